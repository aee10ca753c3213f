"""Compile objects and agents to templates: tags, limits, handlers, areas, territory claims, rewards."""

from collections.abc import Iterable, Mapping, Sequence

from mettagrid.compiler.context import Context
from mettagrid.compiler.handlers import (
    place_after_use,
    place_all,
    place_filters,
    place_handler,
    place_mutations,
    place_tick,
)
from mettagrid.compiler.hash_order import hash_order, reserved_hash_order
from mettagrid.compiler.scores import add_scores
from mettagrid.compiler.sharing import add_value
from mettagrid.compiler.tables import CONSTANTS, INT32_MAX, INT32_MIN, float_bits
from mettagrid.compiler.values import place_value
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import AgentConfig, GridObjectConfig, InventoryConfig, WallConfig
from mettagrid.config.tag import typeTag

MAX_AMOUNT = CONSTANTS["most_held"]
MAX_STRENGTH = 2**31 - 1
MAX_AREA_RADIUS = 65535


def add_object(c: Context, config: GridObjectConfig) -> None:
    """Append the template of an object that is not an agent."""
    is_wall = isinstance(config, WallConfig)
    if is_wall and config.inventory != InventoryConfig():
        with c.at("inventory"):
            c.warn("walls hold nothing; their inventory has no effect")
    limits = {} if is_wall else _object_limits(c, config.inventory)
    initial = {} if is_wall else config.inventory.initial
    c.tables.add("templates", **_shared_fields(c, config, limits, initial))


def add_agent(c: Context, config: AgentConfig, group: int, default_limit: int) -> None:
    """Append the template of one agent."""
    limits = _agent_limits(c, config.inventory, default_limit)
    fields = _shared_fields(c, config, limits, config.inventory.initial)
    rewards = []
    for name, reward in config.rewards.items():
        with c.at("rewards", name, "reward"):
            rewards.append([add_value(c, place_value(c, reward.reward)), int(reward.per_tick)])
    first_reward, reward_count = c.tables.add_rows("rewards", rewards)
    stats = [[c.agent_stats.add(name), float_bits(value)] for name, value in config.initial_stats.items()]
    first_stat, stat_count = c.tables.add_rows("pairs", stats)
    with c.at("on_tick"):
        on_tick = place_tick(c, config.on_tick)
    with c.at("on_after_use_handler"):
        on_after_use = place_after_use(c, config.on_after_use_handler)
    fields |= {"is_agent": 1, "group": group, "on_tick": on_tick, "on_after_use": on_after_use}
    fields |= {"first_reward": first_reward, "reward_count": reward_count}
    c.tables.add("templates", **fields, first_stat=first_stat, stat_count=stat_count)


class Limit:
    """A limit group: its numbers and the resources that share it."""

    def __init__(self, base: int, maximum: int, modifiers: Mapping[int, int]) -> None:
        self.base, self.maximum, self.modifiers = base, maximum, dict(modifiers)


def _configured_limits(c: Context, inventory: InventoryConfig, *, must_exist: bool) -> dict[int, Limit]:
    """Return the limit of each resource, in the engine's order; a resource in two groups has the last one.

    Unknown modifiers are dropped, and so are unknown resources unless they `must_exist`.
    """
    limits: dict[int, Limit] = {}
    for name, group in inventory.limits.items():
        with c.at("inventory", "limits", name):
            known = _known_resources(c, group.modifiers)
            limit = Limit(group.base, group.max, {i: c.number(group.modifiers[n], "modifiers", n) for n, i in known})
            if must_exist:
                members = [c.resource(resource) for resource in group.resources]
            else:
                members = [i for _, i in _known_resources(c, group.resources)]
            limits |= dict.fromkeys(members, limit)
    return limits


def _known_resources(c: Context, names: Iterable[str]) -> list[tuple[str, int]]:
    known = []
    for name in names:
        resource = c.resources.get(name)
        if resource is None:
            c.warn(f"there is no resource {name!r}; the limit ignores it")
        else:
            known.append((name, resource))
    return known


def _object_limits(c: Context, inventory: InventoryConfig) -> dict[int, Limit]:
    limits = _configured_limits(c, inventory, must_exist=False)
    for name in inventory.initial:
        with c.at("inventory", "initial"):
            limits.setdefault(c.resource(name), Limit(inventory.default_limit, MAX_AMOUNT, {}))
    return limits


def _agent_limits(c: Context, inventory: InventoryConfig, default_limit: int) -> dict[int, Limit]:
    limits = _configured_limits(c, inventory, must_exist=True)
    for resource in range(len(c.resources)):
        limits.setdefault(resource, Limit(default_limit, MAX_AMOUNT, {}))
    return limits


def _limit_fields(c: Context, limits: Mapping[int, Limit]) -> dict[str, int]:
    if not limits:
        return {"limit_map": -1, "modifier_mask": -1}
    groups: dict[int, int] = {}
    modifiers: set[int] = set()
    for limit in limits.values():
        if id(limit) in groups:
            continue
        first_modifier, modifier_count = c.tables.add_rows("pairs", limit.modifiers.items())
        first_member, member_count = c.tables.add_list(r for r, other in limits.items() if other is limit)
        modifiers |= set(limit.modifiers)
        groups[id(limit)] = c.tables.add(
            "limit_groups",
            base=clamped(limit.base),
            max=clamped(limit.maximum),
            first_modifier=first_modifier,
            modifier_count=modifier_count,
            first_member=first_member,
            member_count=member_count,
        )
    limit_map, _ = c.tables.add_list(groups[id(limits[r])] if r in limits else -1 for r in range(len(c.resources)))
    first_drop, drop_count = c.tables.add_list(hash_order(limits))
    return {
        "limit_map": limit_map,
        "first_drop": first_drop,
        "drop_count": drop_count,
        "modifier_mask": c.tables.add_mask(modifiers) if modifiers else -1,
    }


def clamped(value: int) -> int:
    return max(INT32_MIN, min(INT32_MAX, value))


def _shared_fields(
    c: Context,
    config: GridObjectConfig,
    limits: Mapping[int, Limit],
    initial: Mapping[str, int],
) -> dict[str, int]:
    tags = sorted(c.tag(name) for name in {*config.tags, typeTag(config.name)})
    first_tag, tag_count = c.tables.add_list(tags)
    first_initial, initial_count = c.tables.add_rows("pairs", _initial_amounts(c, initial))
    first_area, area_count = c.tables.add_rows("areas", _areas(c, config))
    first_control, control_count = c.tables.add_rows("controls", _controls(c, config))
    first_removal, removal_count = c.tables.add_rows("removals", _removals(c, config))
    with c.at("on_use_handler"):
        on_use = place_handler(c, config.on_use_handler)
    if config.handlers:
        with c.at("handlers"):
            c.warn("handlers of objects have no effect; use on_use_handler")
    return {
        "vibe": c.number(config.vibe, "vibe", low=0, high=255),
        "blocks_vision": int(config.blocks_vision),
        "first_tag": first_tag,
        "tag_count": tag_count,
        "first_initial": first_initial,
        "initial_count": initial_count,
        "first_area": first_area,
        "area_count": area_count,
        "first_control": first_control,
        "control_count": control_count,
        "first_removal": first_removal,
        "removal_count": removal_count,
        "on_use": on_use,
        **_limit_fields(c, limits),
    }


def _initial_amounts(c: Context, initial: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return initial amounts in the order in which the published engine inserts them, which decides the order."""
    amounts: dict[int, int] = {}
    for name, amount in initial.items():
        with c.at("inventory", "initial", name):
            amounts[c.resource(name)] = c.number(amount, low=0, high=MAX_AMOUNT)
    return [(resource, amounts[resource]) for resource in reserved_hash_order(amounts)]


def _areas(c: Context, config: GridObjectConfig) -> list[list[int]]:
    areas = []
    for name, area in config.aoes.items():
        if not area.mutations and not area.presence_deltas:
            continue  # it does nothing, and even its filters do not run
        with c.at("aoes", name):
            deltas = area.presence_deltas.items()
            presence = [(c.resource(item), c.number(delta, "presence_deltas", item)) for item, delta in deltas]
            first_presence, presence_count = c.tables.add_rows("pairs", presence)
            areas.append(
                [
                    place_filters(c, area.filters),
                    place_mutations(c, area.mutations),
                    c.number(min(area.radius, MAX_AREA_RADIUS), "radius", low=0),
                    int(area.is_static),
                    int(area.effect_self),
                    first_presence,
                    presence_count,
                ]
            )
    return areas


def _controls(c: Context, config: GridObjectConfig) -> list[list[int]]:
    territories = list(c.game.territories)
    controls = []
    for i, control in enumerate(config.territory_controls):
        with c.at("territory_controls", i):
            if control.territory not in territories:
                c.error(f"there is no territory {control.territory!r}; known: {', '.join(territories) or 'none'}")
            strength = c.number(control.strength, "strength", low=1, high=MAX_STRENGTH)
            decay = c.number(control.decay, "decay", low=1, high=MAX_STRENGTH)
            controls.append([territories.index(control.territory), strength, decay, add_scores(c, strength, decay)])
    return controls


def _removals(c: Context, config: GridObjectConfig) -> list[list[int]]:
    """Return [tag, entry] for every tag with one of the prefixes; the handlers of all its prefixes run in order."""
    handlers: dict[int, dict[str, Handler]] = {}
    for prefix, handler in config.on_tag_remove.items():
        tags = c.tags_with_prefix(prefix)
        if not tags:
            with c.at("on_tag_remove", prefix):
                c.error(f"no tag of the game starts with {prefix!r}")
        for tag in tags:
            handlers.setdefault(tag, {})[prefix] = handler
    with c.at("on_tag_remove"):
        return [[tag, place_all(c, of_tag, checks_failure=True)] for tag, of_tag in handlers.items()]


def type_numbers(configs: Sequence[GridObjectConfig]) -> dict[str, int]:
    """Return the type ids: the position of each name in the sorted set of all names."""
    return {name: i for i, name in enumerate(sorted({config.name for config in configs}))}

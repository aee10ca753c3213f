"""The rule areas of the oracle, each as a list of ingredients and a shift of weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from . import agents, areas, events, handlers, inventories, objects, observation
from .world import AGENT_STATS, DIRECTIONS, World

Ingredient = Callable[[World, int], None]  # takes the world and the number of steps


def boxes(world: World, steps: int) -> None:
    for name in world.some(world.types, 2, 5):
        world.objects[name]["on_use_handler"] = handlers.use_handler(world, name)


def move_rules(world: World, steps: int) -> None:
    world.game["actions"]["move"]["handlers"] = handlers.move_handlers(world)


def directions(world: World, steps: int) -> None:
    world.game["actions"]["move"]["allowed_directions"] = world.some(DIRECTIONS, 3, 8)


def game_tick(world: World, steps: int) -> None:
    world.game["on_tick"] = handlers.tree(world, handlers.GAME_TICK)[0]


def recompute(world: World, steps: int) -> None:
    """Every few steps, by the game or by the agents."""
    if not world.materialized:
        return
    for holder in [world.game] if world.chance(0.5) else world.agents:
        rule = handlers.recompute_handler(world)
        before = holder.get("on_tick")
        holder["on_tick"] = {"handler_type": "all_of", "handlers": [before, rule]} if before else rule


def own_stats(world: World, steps: int) -> None:
    for agent in world.agents:
        if world.chance(0.6):
            agent["initial_stats"] = {name: world.pick([1, 2.5, -3, 7]) for name in world.some(AGENT_STATS, 1, 3)}


def teams(world: World, steps: int) -> None:
    world.hints["spelling"] = world.pick(["index", "team", "default", "agent"])


def ending(world: World, steps: int) -> None:
    world.game["max_steps"] = world.number(1, steps)
    world.game["episode_truncates"] = world.chance(0.5)
    if world.chance(0.5):
        world.game["end_episode_on_game_stats"] = {world.pick(["clock", "score"]): world.number(1, 20)}
        count = {"values": [{"name": "clock", "scope": "game"}, {"value": 1}]}
        world.game["on_tick"] = {"mutations": [{"mutation_type": "stats", "stat": "clock", "source": count}]}


def no_effect(world: World, steps: int) -> None:
    """Options that are accepted and change nothing."""
    actions = world.game["actions"]
    actions["attack"] = {"enabled": world.chance(0.5), "defense_resources": {world.resources[0]: 1}}
    actions["move"]["consumed_resources"] = {world.resources[0]: 1}
    actions["noop"] = {"required_resources": {world.resources[1]: 2}}
    world.game["obs"]["aoe_mask"] = True
    world.game["obs"]["global_obs"]["goal_obs"] = True
    rule = handlers.handler(world, handlers.USE)[0]
    world.objects[world.pick(world.types)]["handlers"] = {"old": rule}
    attack = {"mutation_type": "attack", "weapon_resources": {world.resources[0]: 1}}
    box = world.objects[world.pick(world.types)]
    box["on_use_handler"] = {"mutations": [attack, {"mutation_type": "add_tag", "tag": "mark:a"}]}


def territory_tokens(world: World, steps: int) -> None:
    areas.add_territory(world)
    world.game["obs"]["territory"] = True


def plain(function: Callable[[World], None]) -> Ingredient:
    return lambda world, steps: function(world)


def area(static: bool | None = None, presence: bool | None = None) -> Ingredient:
    return lambda world, steps: areas.add_areas(world, static, presence)


def counts(kind: str) -> Ingredient:
    return lambda world, steps: observation.add_counts(world, kind)


use = plain(agents.add_use)
after_use = plain(agents.add_after_use)
tick = plain(agents.add_tick)
tag_remove = plain(agents.add_tag_remove)
rewards = plain(agents.add_rewards)
global_values = plain(observation.add_global_values)
radius = plain(observation.add_radius)
vision = plain(observation.add_vision)
territory = plain(areas.add_territory)
twin = plain(objects.add_twin)


@dataclass(frozen=True)
class Family:
    parts: list[Ingredient]
    focus: dict[str, dict[str, float]] = field(default_factory=dict)
    boxes: float = 0.2  # share of object types with random handlers
    variety: float = 0.25  # of windows and number bases
    limits: str = "some"  # none, some, groups, modifiers, cascade
    materialized: float = 0.0
    weight: float = 1.0  # how often the family is drawn


def favour(group: str, *kinds: str, factor: float = 6.0) -> dict[str, dict[str, float]]:
    return {group: dict.fromkeys(kinds, factor)}


MOTION = ("push_object", "swap", "relocate", "set_relative_target", "query_place_adjacent")
SPAWN = ("spawn_object", "raycast_spawn", "set_relative_target")

FAMILIES: dict[str, Family] = {
    "move": Family([directions], boxes=0.0),
    "move_handlers": Family([move_rules, directions], favour("mutation", *MOTION, factor=3.0), weight=1.5),
    "use_chain": Family(
        [boxes, use, after_use],
        {"handler": {"chain": 3.0}, **favour("mutation", "set_relative_target", "use_target")},
        boxes=0.6,
    ),
    "obs_window": Family([global_values], variety=1.0),
    "obs_global": Family([global_values, tick], variety=0.6),
    "obs_vision": Family([vision], favour("mutation", *MOTION, factor=3.0), weight=1.5),
    "obs_radius": Family([radius, vision], variety=0.5),
    "filter_entity": Family(
        [boxes, tick], favour("filter", "vibe", "resource", "tag", "tag_prefix", "shared_tag_prefix"), boxes=0.8
    ),
    "filter_logic": Family(
        [boxes, tick], favour("filter", "not", "or", "periodic", "game_value", "max_distance"), boxes=0.8
    ),
    "handler_tree": Family(
        [boxes, tick, use],
        {"handler": {"tree": 4.0}, **favour("mutation", *MOTION, *SPAWN, "use_target", factor=3.0)},
        boxes=0.8,
        weight=1.5,
    ),
    "on_tick": Family([tick, game_tick]),
    "limits": Family([boxes], favour("mutation", "resource_delta", "resource_transfer"), limits="groups"),
    "modifiers": Family([boxes, tick], favour("mutation", "resource_delta", factor=4.0), limits="modifiers"),
    "limit_cascade": Family(
        [boxes, tick], favour("mutation", "resource_delta", "clear_inventory"), limits="cascade", weight=2.0
    ),
    "transfers": Family(
        [boxes, use, tick], favour("mutation", "resource_transfer", "clear_inventory"), boxes=0.8, limits="groups"
    ),
    "tags": Family(
        [boxes, tag_remove, tick, events.add_shedding],
        favour("mutation", "add_tag", "remove_tag", "remove_tags_with_prefix"),
        boxes=0.6,
    ),
    "materialize": Family(
        [boxes, tick, tag_remove, game_tick, events.add_shedding, recompute],
        {**favour("mutation", "recompute_materialized_query"), **favour("query", "materialized")},
        materialized=1.0,
        weight=1.5,
    ),
    "closures": Family(
        [tick, global_values, counts("closure"), rewards, boxes], favour("query", "closure"), weight=1.5
    ),
    "raycasts": Family([tick, global_values, counts("raycast"), rewards, boxes], favour("query", "raycast")),
    "query_order": Family(
        [tick, boxes, rewards], {**favour("query", "order", factor=3.0), **favour("mutation", "query_inventory")}
    ),
    "game_values": Family(
        [tick, global_values, rewards], favour("value", "sum", "ratio", "max", "min", "query_count", factor=2.5)
    ),
    "rewards": Family([rewards, tick], favour("value", "sum", "max", "min", factor=2.0)),
    "stats": Family([own_stats, tick, boxes, global_values], favour("mutation", "stats", "set_game_value")),
    "events": Family([events.add_events], weight=2.5),
    "event_order": Family([events.add_contest], weight=2.0),
    "event_motion": Family([events.add_motion_events], favour("mutation", *SPAWN, factor=2.0), weight=1.5),
    "spawning": Family([boxes, tick, area()], favour("mutation", *SPAWN), boxes=0.6),
    "aoe_static": Family([area(static=True)], weight=1.5),
    "aoe_mobile": Family([area(static=False)]),
    "aoe_presence": Family([area(presence=True), area(presence=True)], limits="groups"),
    "territory": Family([territory], favour("mutation", "add_tag", "remove_tag", *MOTION, factor=2.0), weight=1.5),
    "territory_obs": Family(
        [territory_tokens], favour("mutation", "add_tag", "remove_tag", *MOTION, factor=2.0), weight=2.0
    ),
    "teams": Family([teams, use, twin]),
    "ending": Family([ending, rewards]),
    "no_effect": Family([no_effect], weight=0.5),
    "mixed": Family([], materialized=0.4, boxes=0.5, limits="any", weight=14.0),
}

MIXED: list[Ingredient] = [
    boxes,
    use,
    after_use,
    tick,
    game_tick,
    move_rules,
    directions,
    tag_remove,
    rewards,
    global_values,
    own_stats,
    events.add_events,
    events.add_contest,
    events.add_shedding,
    recompute,
    events.add_motion_events,
    area(),
    area(presence=True),
    territory,
    territory_tokens,
    radius,
    vision,
    twin,
    teams,
]


def agent_limits(world: World, kind: str) -> dict | None:
    if kind == "any":
        kind = world.pick(["none", "some", "groups", "modifiers", "cascade"])
    if kind == "some":
        kind = world.pick(["none", "groups"])
    if kind == "groups":
        return inventories.limit_groups(world, world.resources, 0.2)
    if kind == "modifiers":
        return inventories.limit_groups(world, world.resources, 0.9)
    if kind == "cascade":
        return inventories.cascade_limits(world)
    return None

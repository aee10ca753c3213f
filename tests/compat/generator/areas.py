"""Area effects and territories."""

from __future__ import annotations

from dataclasses import replace

from . import filters, handlers, mutations
from .world import Json, Scope, World


def random_area(world: World, scope: Scope, static: bool | None = None, presence: bool | None = None) -> Json:
    static = world.chance(0.6) if static is None else static
    presence = world.chance(0.3) if presence is None else presence
    area: Json = {"radius": world.pick([0, 1, 1, 2, 2, 3, 4]), "filters": filters.filter_list(world, scope, 0, 1)}
    if not static or world.chance(0.3):
        area["is_static"] = static
    if world.chance(0.6 if scope.actor == "agent" else 0.1):
        area["effect_self"] = world.chance(0.8)  # of interest to agents that carry an area
    if presence:
        # The order in which an agent leaves several areas at once is that of addresses in the published engine: it
        # changes from run to run. One sign for all presence deltas of a game, and with limits one resource, hide it.
        items = [world.presence_item] if world.limit_groups else world.items()
        area["presence_deltas"] = {name: world.presence_sign * world.number(1, 4) for name in items}
    if not presence or world.chance(0.5):
        area["mutations"] = mutations.mutation_list(world, scope, 1, 3)[0]
    return area


def add_areas(world: World, static: bool | None = None, presence: bool | None = None) -> None:
    for name in world.some([*world.types, "wall"], 1, 3):
        areas = {f"area{i}": random_area(world, handlers.AREA, static, presence) for i in range(world.number(1, 2))}
        world.objects[name].setdefault("aoes", {}).update(areas)
    if world.chance(0.5):
        for agent in world.some(world.agents, 1, len(world.agents)):
            agent["aoes"] = {"own": random_area(world, handlers.AREA_OF_AGENT, static, presence)}


def add_territory(world: World) -> None:
    """One to three kinds of territory over tags that change in play, with sources that move."""
    if world.territories:
        return
    world.territories = ["land", "air", "sea"][: world.pick([1, 1, 2, 3])]
    territories = {}
    for name in world.territories:
        territories[name] = {"tag_prefix": world.pick(["team:", "team:", "mark:", "state:"])}
        for moment in ("on_enter", "on_exit", "presence"):
            rules = moment_handlers(world, territories[name]["tag_prefix"])
            if rules:
                territories[name][moment] = rules
    world.game["territories"] = territories
    sources = world.some(world.types, 1, 4)
    world.hints["rare"] = sources  # a few of each, so that there are borders
    for name in sources:
        source = world.objects[name]
        source["territory_controls"] = [control(world) for _ in range(world.pick([1, 1, 2]))]
        tags = source.setdefault("tags", [])
        for tag in world.some([*world.team_tags, "mark:a", "mark:b", "state:on"], 1, 2):
            if tag not in tags:
                tags.append(tag)
        if world.chance(0.6):
            source["on_use_handler"] = turn_over(world)
    if world.chance(0.4):
        for agent in world.some(world.agents, 1, len(world.agents)):
            agent["territory_controls"] = [control(world)]


def moment_handlers(world: World, prefix: str) -> dict[str, Json]:
    """Handlers for entering, leaving or staying. Those of one moment share a context: one may turn the target away."""
    scope, rules = handlers.TERRITORY, {}
    for index in range(world.number(0, 2)):
        guard = scope.target == "maybe" and world.chance(0.7)
        rule, scope = (handlers.guarded_handler if guard else handlers.handler)(world, scope)
        if world.chance(0.4):
            rule["filters"].insert(0, friend_or_foe(world, prefix))
        if scope.target == "any":
            scope = replace(scope, target="maybe")
        rules[f"h{index}"] = rule
    return rules


def friend_or_foe(world: World, prefix: str) -> Json:
    shared = {"filter_type": "shared_tag_prefix", "tag_prefix": prefix}
    return shared if world.chance(0.5) else {"filter_type": "not", "inner": shared}


def control(world: World) -> Json:
    entry: Json = {"territory": world.pick(world.territories), "strength": world.pick([1, 2, 2, 3, 3, 4, 6])}
    if world.chance(0.4):
        entry["decay"] = world.number(1, 3)
    if world.chance(0.08):  # scores that need more than 32 bits
        entry["strength"] = world.pick([2**20, 2**21 + 1, 3 * 2**20, 2**30])
        entry["decay"] = entry["strength"] // world.number(1, 6)
    return entry


def turn_over(world: World) -> Json:
    """Add a handler that pushes a source away, or gives it to another owner, when it is used."""
    tag = world.pick([*world.team_tags, "mark:a", "mark:b"])
    prefix = tag.split(":")[0] + ":"
    clear = {"mutation_type": "remove_tags_with_prefix", "target": "target", "prefix": prefix}
    give = {"mutation_type": "add_tag", "target": "target", "tag": tag}
    push = {"mutation_type": "push_object"}
    first = {"filters": [friend_or_foe(world, prefix)], "mutations": world.pick([[clear, give], [give], [clear]])}
    second = {"filters": [], "mutations": world.pick([[push], [clear], [give]])}
    return {"handler_type": world.pick(["first_match", "all_of"]), "handlers": [first, second]}

"""The twelve filters."""

from __future__ import annotations

from . import queries, values
from .world import Json, Scope, World

# Filters with effect on most steps weigh more than those that rarely pass.
WEIGHTS = {
    "vibe": 1.0,
    "resource": 2.0,
    "tag": 2.0,
    "tag_prefix": 1.0,
    "shared_tag_prefix": 1.0,
    "max_distance": 1.5,
    "game_value": 1.5,
    "not": 1.5,
    "or": 1.5,
    "periodic": 1.5,
    "target_loc_empty": 0.3,
    "target_is_usable": 0.5,
}


def filter_list(world: World, scope: Scope, low: int = 0, high: int = 2) -> list[Json]:
    """Rather few: rules that rarely apply test little."""
    count = min(world.number(low, high), world.number(low, high))
    return [any_filter(world, scope) for _ in range(count)]


def any_filter(world: World, scope: Scope, nested: bool = False) -> Json:
    weights = dict(WEIGHTS)
    if nested or scope.place in ("event", "query", "value"):  # refused there by the published engine
        del weights["target_loc_empty"], weights["target_is_usable"]
    if scope.depth <= 0:
        for kind in ("not", "or", "game_value"):
            del weights[kind]
    kind = world.kind("filter", weights)
    return MAKERS[kind](world, scope)


def entity(world: World, scope: Scope) -> str:
    """Choose the entity to check: an existing one if possible (a missing one fails every filter)."""
    present = [name for name in ("actor", "target") if getattr(scope, name) is not None]
    return world.pick(present or ["actor", "target"])


def vibe(world: World, scope: Scope) -> Json:
    return {"filter_type": "vibe", "target": entity(world, scope), "vibe": world.pick(world.vibes)}


def resource(world: World, scope: Scope) -> Json:
    return {"filter_type": "resource", "target": entity(world, scope), "resources": world.amounts(1, 3)}


def tag(world: World, scope: Scope) -> Json:
    return {"filter_type": "tag", "target": entity(world, scope), "tag": world.tag()}


def tag_prefix(world: World, scope: Scope) -> Json:
    return {"filter_type": "tag_prefix", "target": entity(world, scope), "tag_prefix": world.prefix()}


def shared_tag_prefix(world: World, scope: Scope) -> Json:
    prefix = world.pick(["team:", "team:", "mark:", "state:", "type:"])
    return {"filter_type": "shared_tag_prefix", "tag_prefix": prefix}


def max_distance(world: World, scope: Scope) -> Json:
    entry: Json = {"filter_type": "max_distance", "radius": world.number(1, 4)}
    if world.chance(0.8):
        entry["target"] = entity(world, scope)
    if world.chance(0.6 if scope.depth > 0 else 0.0):
        entry["query"] = queries.any_query(world, scope.deeper())
        entry["radius"] = world.number(0, 4)
    elif world.chance(0.1):
        entry["radius"] = 0
    return entry


def game_value(world: World, scope: Scope) -> Json:
    entry = {
        "filter_type": "game_value",
        "target": entity(world, scope),
        "value": values.any_value(world, scope.deeper()),
        "min": world.number(0, 4),
    }
    if world.chance(0.3):
        entry["min"] = values.any_value(world, scope.deeper())
    return entry


def negation(world: World, scope: Scope) -> Json:
    return {"filter_type": "not", "inner": any_filter(world, scope.deeper(), nested=True)}


def either(world: World, scope: Scope) -> Json:
    count = 0 if world.chance(0.03) else world.number(1, 3)
    return {"filter_type": "or", "inner": [any_filter(world, scope.deeper(), nested=True) for _ in range(count)]}


def periodic(world: World, scope: Scope) -> Json:
    entry: Json = {"filter_type": "periodic", "period": world.number(1, 5)}
    if world.chance(0.5):
        entry["start_on"] = world.number(0, 9)
    return entry


def target_loc_empty(world: World, scope: Scope) -> Json:
    return {"filter_type": "target_loc_empty"}


def target_is_usable(world: World, scope: Scope) -> Json:
    return {"filter_type": "target_is_usable"}


MAKERS = {
    "vibe": vibe,
    "resource": resource,
    "tag": tag,
    "tag_prefix": tag_prefix,
    "shared_tag_prefix": shared_tag_prefix,
    "max_distance": max_distance,
    "game_value": game_value,
    "not": negation,
    "or": either,
    "periodic": periodic,
    "target_loc_empty": target_loc_empty,
    "target_is_usable": target_is_usable,
}


def blockers(world: World) -> list[Json]:
    """Filters that stop a ray: the published engine takes four kinds."""
    scope = Scope("query", None, "any", depth=0)
    makers = [resource, vibe, tag, tag, tag_prefix]
    entries = [world.pick(makers)(world, scope) for _ in range(world.number(0, 2))]
    if world.chance(0.5):
        entries.append({"filter_type": "tag", "target": "target", "tag": world.pick(["type:wall", world.agent_tag])})
    for entry in entries:
        entry["target"] = "target"
    return entries

"""The nine game values. Max and min carry the oracle's "$type" marker, since their JSON shapes are alike."""

from __future__ import annotations

from . import queries
from .world import AGENT_STATS, GAME_STATS, STAT_CEILING, Json, Scope, World

WEIGHTS = {
    "inventory": 3.0,
    "stat": 2.0,
    "const": 1.0,
    "query_inventory": 1.0,
    "query_count": 1.5,
    "sum": 1.5,
    "ratio": 0.8,
    "max": 0.8,
    "min": 0.8,
}
SIMPLE = ("inventory", "stat", "const")


def any_value(world: World, scope: Scope, stats: bool = True) -> Json:
    """Any value; without `stats` none that rules can make grow without bound."""
    weights = {kind: WEIGHTS[kind] for kind in (SIMPLE if scope.depth <= 0 else WEIGHTS)}
    if not stats:
        del weights["stat"]
    return MAKERS[world.kind("value", weights)](world, scope, stats)


def inventory(world: World, scope: Scope, stats: bool) -> Json:
    value = {"item": world.pick(world.resources)}
    if world.chance(0.08):
        value["scope"] = "game"
    elif world.chance(0.3):
        value["scope"] = "agent"
    return value


def stat_name(world: World) -> str:
    resource = world.pick(world.resources)
    engine = [f"{resource}.gained", f"{resource}.lost", f"{resource}.amount", "action.move.success", "action.failed"]
    engine += ["cell.visited", "cell.unique_visited", "status.max_steps_without_motion", "action.noop.success"]
    return world.pick(AGENT_STATS + AGENT_STATS + engine)


def stat(world: World, scope: Scope, stats: bool) -> Json:
    if world.chance(0.5):
        value = {"name": world.pick(GAME_STATS), "scope": "game"}
    else:
        value = {"name": stat_name(world), "scope": "agent"}
    if world.chance(0.1):
        value["delta"] = True  # accepted, no effect
    return value


def const(world: World, scope: Scope, stats: bool) -> Json:
    return {"value": world.pick([0, 1, 1, 2, 3, 5, 0.5, 2.25, 0.1, -1, -2.5])}


def query_inventory(world: World, scope: Scope, stats: bool) -> Json:
    return {"query": queries.any_query(world, scope.deeper()), "item": world.pick(world.resources)}


def query_count(world: World, scope: Scope, stats: bool) -> Json:
    return {"query": queries.any_query(world, scope.deeper())}


def total(world: World, scope: Scope, stats: bool) -> Json:
    log = world.chance(0.25)
    part = nonnegative if log else any_value  # ln(v + 1) of a negative number is not a number
    parts = [part(world, scope.deeper(), stats) for _ in range(world.number(1, 3))]
    value: Json = {"values": parts}
    if world.chance(0.6):
        value["weights"] = [world.pick([1, 2, 0.5, 0.25, -1, 0.1, 0.3, 0]) for _ in parts]
    if log:
        value["log"] = True
    return value


def ratio(world: World, scope: Scope, stats: bool) -> Json:
    inner = scope.deeper()
    return {"numerator": any_value(world, inner, stats), "denominator": any_value(world, inner, stats)}


def extreme(name: str):
    def make(world: World, scope: Scope, stats: bool) -> Json:
        parts = [any_value(world, scope.deeper(), stats) for _ in range(world.number(1, 3))]
        return {"$type": name, "values": parts}

    return make


MAKERS = {
    "inventory": inventory,
    "stat": stat,
    "const": const,
    "query_inventory": query_inventory,
    "query_count": query_count,
    "sum": total,
    "ratio": ratio,
    "max": extreme("MaxGameValue"),
    "min": extreme("MinGameValue"),
}


def at_least(value: Json, low: float) -> Json:
    return {"$type": "MaxGameValue", "values": [value, {"value": low}]}


def at_most(value: Json, high: float) -> Json:
    return {"$type": "MinGameValue", "values": [value, {"value": high}]}


def nonnegative(world: World, scope: Scope, stats: bool = True) -> Json:
    if world.chance(0.7):
        simple = world.pick([inventory, query_count, query_inventory] if scope.depth > 0 else [inventory])
        return simple(world, scope, stats)
    return at_least(any_value(world, scope, stats), 0)


def small_value(world: World, scope: Scope) -> Json:
    """For ranges and maximum numbers of items: mostly 0 to 6."""
    value = nonnegative(world, scope)
    return value if world.chance(0.4) else at_most(value, world.number(1, 6))


def observable(world: World, scope: Scope) -> Json:
    """Return a value that stays inside 0..65535, the documented range of observed numbers."""
    if world.chance(0.4):
        maker = world.pick([inventory, query_count])
        return maker(world, scope, True)
    return at_least(at_most(any_value(world, scope), 65535), 0)


def bounded(world: World, scope: Scope) -> Json:
    """Return a value that may be stored in a stat: no stat in it, or a ceiling over it."""
    if world.chance(0.6):
        return any_value(world, scope, stats=False)
    return at_least(at_most(any_value(world, scope), STAT_CEILING), -STAT_CEILING)


def counter(name: str, scope: str, step: Json, ceiling: float | None = None) -> Json:
    """Return the stat itself plus a step: how counting is written."""
    value: Json = {"values": [{"name": name, "scope": scope}, step]}
    return value if ceiling is None else at_most(value, ceiling)

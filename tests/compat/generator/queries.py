"""The four kinds of query."""

from __future__ import annotations

from . import filters, values
from .world import CARDINALS, Json, Scope, World, duplicate

WEIGHTS = {"query": 4.0, "closure": 1.0, "raycast": 1.0, "materialized": 0.7}


def any_query(world: World, scope: Scope) -> Json:
    weights = dict(WEIGHTS)
    if not world.materialized:
        del weights["materialized"]
    if scope.depth <= 0:
        return plain(world, scope)
    return MAKERS[world.kind("query", weights)](world, scope)


def tag_query(tag: str, *conditions: Json) -> Json:
    return {"query_type": "query", "source": tag, "filters": list(conditions)}


def source_tag(world: World) -> str:
    """Return a tag that has holders in most games."""
    kinds = ["type:" + world.pick(world.types) for _ in range(2)]
    return world.pick([world.agent_tag, *kinds, world.tag()])


def candidate_scope(scope: Scope) -> Scope:
    return scope.deeper(place="query", target="any")


def limited(world: World, scope: Scope, query: Json) -> Json:
    """Sometimes a random order, sometimes a maximum."""
    if world.chance(0.25 * world.factor("query", "order")):
        query["order_by"] = "random"
    if world.chance(0.35):
        query["max_items"] = world.number(0, 4) if world.chance(0.95) else -1
        if scope.depth > 0 and world.chance(0.3):
            query["max_items"] = values.small_value(world, scope.deeper())
    return query


def plain(world: World, scope: Scope) -> Json:
    source: str | Json = source_tag(world)
    if scope.depth > 0 and world.chance(0.2):
        source = any_query(world, scope.deeper())
    query = {"query_type": "query", "source": source}
    if scope.depth > 0:
        query["filters"] = filters.filter_list(world, candidate_scope(scope), 0, 2)
    return limited(world, scope, query)


def closure(world: World, scope: Scope) -> Json:
    edges = []
    if world.chance(0.95):
        edges.append({"filter_type": "max_distance", "target": "target", "radius": world.pick([1, 1, 2, 2, 3, 4])})
    if world.chance(0.4):
        edges.append(filters.any_filter(world, candidate_scope(scope)))
    if world.chance(0.2):
        edges.reverse()
    query = {
        "query_type": "closure",
        "source": plain(world, scope.deeper()),
        "candidates": plain(world, scope.deeper()),
        "edge_filters": edges,
        "filters": filters.filter_list(world, candidate_scope(scope), 0, 1),
    }
    return limited(world, scope, query)


def raycast(world: World, scope: Scope) -> Json:
    query: Json = {"query_type": "raycast", "source": plain(world, scope.deeper()), "blocker": filters.blockers(world)}
    query["max_range"] = world.number(1, 6)
    if world.chance(0.3):
        query["max_range"] = values.small_value(world, scope.deeper())
    if world.chance(0.6):
        query["directions"] = world.some(CARDINALS, 1, 4)
    if world.chance(0.5):
        query["include_blocker"] = world.chance(0.5)
    if world.chance(0.2):
        query["max_items"] = world.number(0, 3)
    if world.chance(0.1):
        query["order_by"] = "random"  # not looked at for rays
    return query


def materialized(world: World, scope: Scope) -> Json:
    """Refers to a materialized query by its tag; often as the source of a further query."""
    entry = world.pick(world.materialized)
    reference = {"query_type": "materialized", "tag": entry["tag"], "query": duplicate(entry["query"])}
    if world.chance(0.5):
        return reference
    conditions = filters.filter_list(world, candidate_scope(scope), 0, 1)
    return limited(world, scope, {"query_type": "query", "source": reference, "filters": conditions})


MAKERS = {"query": plain, "closure": closure, "raycast": raycast, "materialized": materialized}

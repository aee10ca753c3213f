"""Nineteen mutations (`attack` is accepted by the published engine and ignored, so only `no_effect` games have it).

What the published engine cannot bear, found by running it, and therefore never generated:
* resource_delta, resource_transfer, clear_inventory, remove_tags_with_prefix and query_inventory with a source end the
  process when their entity is missing (game on_tick, a move onto an empty cell, after set_relative_target);
* resource_transfer with remove_source_when_empty ends the process when the emptied source is an agent, or an area
  source that is emptied by its own area effect;
* use_target inside an on_use_handler or on_after_use_handler recurses without end when it comes back to the same
  object; here it is only generated behind a filter for object types that use nothing themselves;
* on_tag_remove handlers may remove tags only in one direction (Scope.rank), for the same reason;
* tagging or moving the actor of a territory handler puts a stand-in object into the tag index or on the grid (there is
  one per territory, kept for the episode; its inventory and vibe are fair game).
"""

from __future__ import annotations

from dataclasses import replace

from . import filters, queries, values
from .world import AGENT_STATS, CARDINALS, DIRECTIONS, GAME_STATS, MARKS, STAT_CEILING, Json, Scope, World

WEIGHTS = {
    "resource_delta": 4.0,
    "resource_transfer": 3.0,
    "clear_inventory": 0.5,
    "stats": 2.0,
    "add_tag": 1.5,
    "remove_tag": 1.2,
    "remove_tags_with_prefix": 0.6,
    "change_vibe": 1.0,
    "set_game_value": 1.2,
    "recompute_materialized_query": 1.0,
    "query_inventory": 1.2,
    "query_place_adjacent": 0.4,
    "relocate": 0.3,
    "set_relative_target": 0.5,
    "spawn_object": 0.5,
    "swap": 0.3,
    "use_target": 0.5,
    "raycast_spawn": 0.3,
    "push_object": 0.4,
}
NOT_IN_EVENTS = ("swap", "use_target", "push_object")
NOT_IN_TAG_REMOVE = ("use_target", "recompute_materialized_query", "remove_tags_with_prefix")


def mutation_list(world: World, scope: Scope, low: int = 1, high: int = 3) -> tuple[list[Json], Scope]:
    """Mutations in a row, and the scope as they leave it (the target may have changed)."""
    mutations: list[Json] = []
    for _ in range(world.number(low, high)):
        if world.chance(0.12):
            phrase, scope = any_phrase(world, scope)
            mutations += phrase
        else:
            mutation, scope = any_mutation(world, scope)
            mutations.append(mutation)
    return mutations, scope


def any_phrase(world: World, scope: Scope) -> tuple[list[Json], Scope]:
    """Return two mutations that work together: alone, most would find an occupied or an empty cell."""
    look = set_relative_target(world, scope)[0]
    away = replace(scope, target="maybe")
    phrases: list[tuple[list[Json], Scope]] = [([look, *(spawned := spawn_object(world, away))[:1]], spawned[1])]
    if scope.place != "territory":
        phrases.append(([look, {"mutation_type": "relocate"}], away))
        if scope.place != "event":
            phrases.append(([look, {"mutation_type": "push_object"}], away))
    if scope.place in ("tick", "move"):
        phrases.append(([look, {"mutation_type": "use_target"}], away))
    if scope.place == "use" and scope.target == "object":
        empty = {
            "mutation_type": "resource_transfer",
            "from_target": "target",
            "to_target": "actor",
            "resources": dict.fromkeys(world.resources, -1),
            "remove_source_when_empty": True,
        }
        spawned = spawn_object(world, away)
        phrases += [([empty, spawned[0]], spawned[1]), ([empty, any_mutation(world, away)[0]], away)]
    if scope.exists("target") and scope.place != "tag_remove":
        tag = world.pick(MARKS + world.team_tags)
        clear = {"mutation_type": "remove_tags_with_prefix", "target": "target", "prefix": tag[: tag.find(":") + 1]}
        phrases.append(([clear, {"mutation_type": "add_tag", "target": "target", "tag": tag}], scope))
    return world.pick(phrases)


def any_mutation(world: World, scope: Scope) -> tuple[Json, Scope]:
    weights = {kind: weight for kind, weight in WEIGHTS.items() if available(world, scope, kind)}
    kind = world.kind("mutation", weights)
    return MAKERS[kind](world, scope)


def available(world: World, scope: Scope, kind: str) -> bool:
    anyone = scope.exists("actor") or scope.exists("target")
    if kind in ("resource_delta", "clear_inventory", "remove_tags_with_prefix") and not anyone:
        return False
    if kind == "clear_inventory" and not world.limit_groups:
        return False
    if kind == "resource_transfer" and not (scope.exists("actor") and scope.exists("target")):
        return False
    if kind == "recompute_materialized_query" and not world.materialized:
        return False
    if kind in ("add_tag", "remove_tag", "remove_tags_with_prefix") and scope.place == "territory":
        return scope.exists("target")
    if scope.place == "event":
        return kind not in NOT_IN_EVENTS
    if scope.place == "tag_remove":
        return kind not in NOT_IN_TAG_REMOVE and not (kind == "remove_tag" and scope.rank >= len(MARKS) - 1)
    if kind == "use_target":
        return can_use(scope)
    if scope.place == "territory":
        return kind not in ("relocate", "swap", "push_object")
    return True


def can_use(scope: Scope) -> bool:
    if scope.place in ("use", "after_use"):
        return False
    # An area effect must not reach an on_use_handler that removes the area's source: agents' handlers never do.
    return scope.place not in ("aoe", "territory") or scope.target == "agent"


def entity(world: World, scope: Scope, needed: bool = True) -> str:
    """Actor or target: one that is there when needed, else sometimes a missing one (nothing happens then)."""
    entities = [name for name in ("actor", "target") if scope.exists(name)]
    if entities and (needed or world.chance(0.9)):
        return world.pick(entities)
    return world.pick(["actor", "target"])


def touchable(world: World, scope: Scope, needed: bool = False) -> str:
    """As entity, but never the stand-in of a territory."""
    return "target" if scope.place == "territory" else entity(world, scope, needed)


def resource_delta(world: World, scope: Scope) -> tuple[Json, Scope]:
    deltas = {name: world.pick([1, 1, 2, 3, 5, -1, -1, -2, -4]) for name in world.items()}
    if world.chance(0.03):
        deltas[world.pick(world.resources)] = world.pick([300, -300, 65535, -70000, 0])
    return {"mutation_type": "resource_delta", "target": entity(world, scope), "deltas": deltas}, scope


def resource_transfer(world: World, scope: Scope) -> tuple[Json, Scope]:
    giver, taker = ("target", "actor") if world.chance(0.6) else ("actor", "target")
    if world.chance(0.03):
        taker = giver
    resources = {name: world.pick([-1, 1, 1, 2, 3, 7, 0]) for name in world.items(3)}
    mutation: Json = {
        "mutation_type": "resource_transfer",
        "from_target": giver,
        "to_target": taker,
        "resources": resources,
    }
    removable = giver == "target" and scope.target == "object" and scope.place == "use"
    if removable and world.chance(0.3):
        mutation["remove_source_when_empty"] = True
        # Whatever comes next sees an object that may be off the grid: treat it as missing.
        scope = replace(scope, target="maybe")
    return mutation, scope


def clear_inventory(world: World, scope: Scope) -> tuple[Json, Scope]:
    name = world.pick(world.limit_groups)
    return {"mutation_type": "clear_inventory", "target": entity(world, scope), "limit_name": name}, scope


def stats(world: World, scope: Scope) -> tuple[Json, Scope]:
    owner = world.pick(["game", "agent"])
    name = world.pick(GAME_STATS if owner == "game" else AGENT_STATS)
    inner = scope.deeper()
    if world.chance(0.6):
        step: Json = {"value": world.pick([1, 1, 2, 0.5])}
        if world.chance(0.4):
            step = values.any_value(world, inner, stats=False)
        source = values.counter(name, owner, step, STAT_CEILING if world.chance(0.3) else None)
    else:
        source = values.bounded(world, inner)
    mutation = {"mutation_type": "stats", "stat": name, "target": owner, "source": source}
    if world.chance(0.7):
        mutation["entity"] = entity(world, scope, needed=False)
    return mutation, scope


def add_tag(world: World, scope: Scope) -> tuple[Json, Scope]:
    return {"mutation_type": "add_tag", "target": touchable(world, scope), "tag": world.loose_tag()}, scope


def remove_tag(world: World, scope: Scope) -> tuple[Json, Scope]:
    tag = world.loose_tag()
    if scope.place == "tag_remove":
        tag = world.pick(MARKS[scope.rank + 1 :])
    return {"mutation_type": "remove_tag", "target": touchable(world, scope), "tag": tag}, scope


def remove_tags_with_prefix(world: World, scope: Scope) -> tuple[Json, Scope]:
    prefix = world.pick(["mark:", "state:", "team:"])
    target = touchable(world, scope, needed=True)
    return {"mutation_type": "remove_tags_with_prefix", "target": target, "prefix": prefix}, scope


def change_vibe(world: World, scope: Scope) -> tuple[Json, Scope]:
    mutation = {"mutation_type": "change_vibe", "target": entity(world, scope, needed=False)}
    if world.chance(0.9):
        mutation["vibe_name"] = world.pick(world.vibes)
    return mutation, scope


def set_game_value(world: World, scope: Scope) -> tuple[Json, Scope]:
    mutation: Json = {"mutation_type": "set_game_value", "target": entity(world, scope, needed=False)}
    if world.chance(0.6):
        mutation["value"] = {"item": world.pick(world.resources)}
        if world.chance(0.1):
            mutation["value"]["scope"] = "game"
        source = world.pick([{"item": world.pick(world.resources)}, {"value": world.pick([1, 2.7, -1.5, 3])}])
    elif world.chance(0.5):
        mutation["value"] = {"name": world.pick(GAME_STATS), "scope": "game"}
        source = {"item": world.pick(world.resources)}
    else:
        mutation["value"] = {"name": world.pick(AGENT_STATS), "scope": "agent"}
        source = {"item": world.pick(world.resources)}
    if world.chance(0.4):
        mutation["source"] = source
    else:
        mutation["delta"] = world.pick([1, 1, 2, -1, 0.5, 3.9, -2])
    return mutation, scope


def recompute(world: World, scope: Scope) -> tuple[Json, Scope]:
    tag = world.pick(world.materialized)["tag"]
    prefix = tag if world.chance(0.6) else tag[: tag.find(":") + 1] or tag
    return {"mutation_type": "recompute_materialized_query", "tag_prefix": prefix}, scope


def query_inventory(world: World, scope: Scope) -> tuple[Json, Scope]:
    deltas = {name: world.pick([1, 1, 2, -1, -1, -3]) for name in world.items()}
    mutation: Json = {
        "mutation_type": "query_inventory",
        "query": queries.any_query(world, scope.deeper()),
        "deltas": deltas,
    }
    givers = [name for name in ("actor", "target") if scope.exists(name)]
    if givers and world.chance(0.5):
        mutation["source"] = world.pick(givers)
        if world.chance(0.6):
            mutation["transfer_stats"] = {name: world.pick([f"moved.{name}", "score"]) for name in deltas}
    return mutation, scope


def query_place_adjacent(world: World, scope: Scope) -> tuple[Json, Scope]:
    mutation = {
        "mutation_type": "query_place_adjacent",
        "query": queries.any_query(world, scope.deeper()),
        "target": touchable(world, scope),
    }
    return mutation, scope


def relocate(world: World, scope: Scope) -> tuple[Json, Scope]:
    return {"mutation_type": "relocate"}, scope


def set_relative_target(world: World, scope: Scope) -> tuple[Json, Scope]:
    mutation = {
        "mutation_type": "set_relative_target",
        "direction": world.pick(DIRECTIONS),
        "distance": world.pick([1, 1, 1, 2, 3]),
    }
    return mutation, replace(scope, target="maybe")


def spawn_object(world: World, scope: Scope) -> tuple[Json, Scope]:
    mutation = {"mutation_type": "spawn_object", "object_type": world.pick(world.types)}
    # On failure the handler ends, except where failures are not looked at: the target may then still be missing.
    return mutation, replace(scope, target="any") if scope.checks_failure else scope


def swap(world: World, scope: Scope) -> tuple[Json, Scope]:
    return {"mutation_type": "swap"}, scope


def use_target(world: World, scope: Scope) -> tuple[Json, Scope]:
    # The used object may be emptied and removed by its own handler.
    after = "agent" if scope.target == "agent" else "maybe"
    return {"mutation_type": "use_target"}, replace(scope, target=after)


def raycast_spawn(world: World, scope: Scope) -> tuple[Json, Scope]:
    mutation: Json = {
        "mutation_type": "raycast_spawn",
        "object_type": world.pick(world.types),
        "max_range": world.number(1, 2),
        "blocker": filters.blockers(world),
    }
    if world.chance(0.7):
        mutation["directions"] = world.some(CARDINALS, 1, 3)
    if world.chance(0.3):
        mutation["max_range"] = values.at_most(values.nonnegative(world, scope.deeper()), 2)
    return mutation, scope


def push_object(world: World, scope: Scope) -> tuple[Json, Scope]:
    return {"mutation_type": "push_object"}, scope


MAKERS = {
    "resource_delta": resource_delta,
    "resource_transfer": resource_transfer,
    "clear_inventory": clear_inventory,
    "stats": stats,
    "add_tag": add_tag,
    "remove_tag": remove_tag,
    "remove_tags_with_prefix": remove_tags_with_prefix,
    "change_vibe": change_vibe,
    "set_game_value": set_game_value,
    "recompute_materialized_query": recompute,
    "query_inventory": query_inventory,
    "query_place_adjacent": query_place_adjacent,
    "relocate": relocate,
    "set_relative_target": set_relative_target,
    "spawn_object": spawn_object,
    "swap": swap,
    "use_target": use_target,
    "raycast_spawn": raycast_spawn,
    "push_object": push_object,
}

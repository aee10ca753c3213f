"""Scheduled events: order, priority, ties, limits on targets, fallback chains."""

from __future__ import annotations

from . import filters, mutations, queries
from .world import MARKS, Json, Scope, World

NAMES = ["alpha", "beta", "k1", "k10", "k2", "omega", "zeta", "Beta", "_low", "mid.dle"]
EVENT = Scope("event", "any", "any")


def add_events(world: World, steps: int) -> None:
    names = world.some(NAMES, 2, 6)
    shared = timesteps(world, steps)  # events on the same steps compete by priority and name
    events: dict[str, Json] = {}
    for place, name in enumerate(names):
        event = random_event(world, steps)
        event["name"] = name if world.chance(0.8) else ""
        if world.chance(0.6):
            event["timesteps"] = list(shared)
        if place + 1 < len(names) and world.chance(0.5):
            event["fallback"] = world.pick(names[place + 1 :])  # forward only: a cycle would never end
            if world.chance(0.05):
                event["fallback"] = "nobody"
            if world.chance(0.5):  # hardly anybody qualifies, so the fallback runs
                rich = {"filter_type": "resource", "target": "target", "resources": world.amounts(5, 40, 1)}
                event["filters"] = [rich]
        events[name] = event
    listing = world.some(events, len(events), len(events))
    world.game.setdefault("events", {}).update({name: events[name] for name in listing})


def timesteps(world: World, steps: int) -> list[int]:
    kind = world.number(0, 3)
    if kind == 0:
        start, period = world.number(0, 6), world.number(1, 7)
        return list(range(start, steps + 5, period))
    drawn = [world.number(0, steps) for _ in range(world.number(0, 8))]
    if kind == 1:
        drawn += drawn[: world.number(0, 2)]  # a repeated step fires again
    return drawn if world.chance(0.5) else sorted(drawn)


def random_event(world: World, steps: int) -> Json:
    scope = Scope("event", None, None)
    query: str | Json = queries.source_tag(world)
    if world.chance(0.4):
        query = queries.any_query(world, scope)
    # A query for agents only lets the rules of the event be about agents.
    kind = "agent" if query == world.agent_tag else "any"
    event: Json = {
        "target_query": query,
        "timesteps": timesteps(world, steps),
        "filters": filters.filter_list(world, Scope("event", kind, kind), 0, 1),
        "mutations": mutations.mutation_list(world, Scope("event", kind, kind))[0],
    }
    if world.chance(0.5):
        event["max_targets"] = world.number(1, 4)
    if world.chance(0.6):
        event["priority"] = world.number(-2, 2)
    return event


def add_motion_events(world: World, steps: int) -> None:
    """Events that move, spawn and turn things around."""
    kinds = world.focus.setdefault("mutation", {})
    for kind in ("query_place_adjacent", "set_relative_target", "relocate", "spawn_object", "raycast_spawn"):
        kinds[kind] = 8.0
    add_events(world, steps)
    for kind in ("query_place_adjacent", "set_relative_target", "relocate", "spawn_object", "raycast_spawn"):
        kinds[kind] = 1.0


def add_contest(world: World, steps: int) -> None:
    """Events on the same steps that write the same thing, so that their order shows."""
    kind = world.pick(["stat", "tag", "vibe", "item"])
    tag = world.loose_tag()
    item = world.pick(world.resources)
    shared = timesteps(world, steps)

    def clash() -> Json:
        if kind == "stat":
            old = {"name": "clock", "scope": "game"}
            source = world.pick(
                [
                    {"values": [old, {"value": world.number(1, 5)}]},
                    {"$type": "MinGameValue", "values": [{"values": [old], "weights": [2]}, {"value": 9999}]},
                    {"value": world.number(0, 9)},
                ]
            )
            return {"mutation_type": "stats", "stat": "clock", "source": source}
        if kind == "tag":
            return {"mutation_type": world.pick(["add_tag", "remove_tag"]), "target": "target", "tag": tag}
        if kind == "vibe":
            return {"mutation_type": "change_vibe", "target": "target", "vibe_name": world.pick(world.vibes)}
        delta = world.pick([-9, -4, 3, 7, -1])  # clamped at zero and at the limit
        return {"mutation_type": "resource_delta", "target": "target", "deltas": {item: delta}}

    world.game.pop("events", None)
    add_events(world, steps)
    for event in world.game["events"].values():
        event["timesteps"] = list(shared)
        event["target_query"] = world.agent_tag if world.chance(0.7) else event["target_query"]
        event["mutations"] = [clash()]
        if event.get("filters") and world.chance(0.5):
            event["filters"] = []
    if kind == "stat":
        world.game["obs"]["global_obs"].setdefault("obs", {})["clock"] = {"name": "clock", "scope": "game"}


def add_shedding(world: World, steps: int) -> None:
    """Remove tags and add them again, to trigger on_tag_remove."""
    for index, tag in enumerate(world.some([*MARKS, *world.team_tags], 1, 3)):
        off = {"mutation_type": "remove_tag", "target": "target", "tag": tag}
        event: Json = {"target_query": tag, "timesteps": timesteps(world, steps), "mutations": [off]}
        if world.chance(0.5):
            event["max_targets"] = world.number(1, 3)
        on = {"mutation_type": "add_tag", "target": "target", "tag": tag}
        again = {"target_query": queries.source_tag(world), "timesteps": timesteps(world, steps), "mutations": [on]}
        world.game.setdefault("events", {}).update({f"shed{index}": event, f"wear{index}": again})

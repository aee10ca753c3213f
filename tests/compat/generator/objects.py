"""Object types: stocked chests, things to push, and boxes with random handlers."""

from __future__ import annotations

from dataclasses import replace

from . import handlers, inventories, queries
from .world import MARKS, Json, Scope, World, duplicate


def add_objects(world: World, boxes: float = 0.3) -> None:
    """Fill in every object type; `boxes` is the share of types with a random handler tree."""
    world.objects["wall"] = {"pydantic_type": "wall", "name": "wall"}
    if world.chance(0.1):
        world.objects["wall"]["on_use_handler"] = handlers.handler(world, replace(handlers.USE, target="any"))[0]
    for name in world.types:
        config: Json = {"name": name}
        if world.chance(0.5):
            computed = [entry["tag"] for entry in world.materialized]  # taken away before the first step
            config["tags"] = world.some(MARKS + world.team_tags + computed, 1, 2)
        if world.chance(0.2):
            config["vibe"] = world.number(1, len(world.vibes) - 1) if world.chance(0.9) else world.number(1, 255)
        if world.chance(0.7):
            limits = inventories.limit_groups(world, world.resources, 0.2) if world.chance(0.3) else None
            config["inventory"] = inventories.inventory(world, limits, rich=False)
        if world.chance(boxes):
            config["on_use_handler"] = handlers.use_handler(world, name)
        elif world.chance(0.85):
            config["on_use_handler"] = simple_use(world, config)
        world.objects[name] = config


def simple_use(world: World, config: Json) -> Json:
    """Take, give or push: the everyday flow of resources."""
    stock = list(config.get("inventory", {}).get("initial", {})) or world.some(world.resources, 1, 2)
    transfer: Json = {"mutation_type": "resource_transfer", "from_target": "target", "to_target": "actor"}
    transfer["resources"] = {name: world.pick([1, 2, 5, -1]) for name in world.some(stock, 1, 2)}
    if world.chance(0.25):
        transfer["resources"] = dict.fromkeys(world.resources, -1) if world.chance(0.5) else dict.fromkeys(stock, -1)
        transfer["remove_source_when_empty"] = True
    give: Json = {"mutation_type": "resource_transfer", "from_target": "actor", "to_target": "target"}
    give["resources"] = {name: world.pick([1, 2, -1]) for name in world.some(world.resources, 1, 2)}
    gain = {"mutation_type": "resource_delta", "target": "actor", "deltas": world.amounts(1, 4)}
    trade = {"mutation_type": "resource_delta", "target": "actor", "deltas": world.amounts(-2, 3)}
    push = {"mutation_type": "push_object"}
    return {"filters": [], "mutations": world.pick([[transfer], [transfer], [give], [gain], [trade], [push]])}


def add_twin(world: World) -> None:
    """A second map name for an existing type name, with its own settings."""
    name = world.pick(world.types)
    twin = duplicate(world.objects[name])
    twin["map_name"] = "other_" + name if world.chance(0.85) else name  # then one of the two hides the other
    twin["vibe"] = world.number(0, len(world.vibes) - 1)
    world.objects["twin_" + name] = twin
    world.hints["twin"] = twin["map_name"]


def add_materialized(world: World) -> None:
    """Entries of game.materialize_queries; later ones may refer to earlier ones."""
    tags = world.some(["net:a", "net:b", "lit"], 1, 3)
    if world.chance(0.15):
        tags.append(world.pick(tags))  # two queries for one tag
    for tag in tags:
        make = world.pick([changing_query, changing_query, lambda world: queries.any_query(world, NOBODY)])
        world.materialized.append({"tag": tag, "query": make(world)})


NOBODY = Scope("query", None, None)  # materialized queries are evaluated for no one in particular


def changing_query(world: World) -> Json:
    """Return a query whose result changes as agents walk, trade and change their vibe."""
    agents = queries.tag_query(world.agent_tag)
    things = queries.tag_query("type:" + world.pick(world.types))
    if world.chance(0.5):
        agents, things = things, agents
    reach = {"filter_type": "max_distance", "target": "target", "radius": world.number(1, 3)}
    stocked = {"filter_type": "resource", "target": "target", "resources": world.amounts(1, 5, 1)}
    tuned = {"filter_type": "vibe", "target": "target", "vibe": world.pick(world.vibes)}
    return world.pick(
        [
            {**agents, "filters": [{**reach, "query": things}]},
            {**agents, "filters": [world.pick([stocked, tuned])]},
            {"query_type": "closure", "source": agents, "candidates": things, "edge_filters": [reach]},
            {
                "query_type": "closure",
                "source": {**agents, "filters": [tuned]},
                "candidates": agents,
                "edge_filters": [reach],
            },
            {"query_type": "raycast", "source": agents, "max_range": world.number(1, 4)},
        ]
    )

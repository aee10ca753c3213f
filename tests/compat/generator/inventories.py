"""Inventories: limits, shared groups, modifiers, long chains of modifiers."""

from __future__ import annotations

from .world import Json, World, duplicate


def limit_groups(world: World, resources: list[str], modifiers: float, small: bool = True) -> dict[str, Json]:
    """Split some resources into groups that share a limit; `modifiers` is the chance that items widen one."""
    pool = world.some(resources, 1, len(resources))
    groups: dict[str, Json] = {}
    while pool:
        size = world.pick([1, 1, 2, 3])
        members, pool = pool[:size], pool[size:]
        group: Json = {"base": world.number(0, 12) if small else world.number(5, 60), "resources": members}
        if world.chance(modifiers):
            items = world.some(world.resources, 1, 2)
            group["modifiers"] = {item: world.pick([0, 1, 1, 2, 3, 5, 10]) for item in items}  # unsigned
            if world.chance(0.3):
                group["max"] = world.number(5, 30)
        groups[f"bag{len(groups)}"] = group
        if world.chance(0.2):
            break
    if world.chance(0.1) and groups:  # a resource in two groups: the later one counts
        name = world.pick(list(groups))
        extra = world.pick(resources)
        if extra not in groups[name]["resources"]:
            groups[name]["resources"].append(extra)
    return groups


def inventory(world: World, limits: dict[str, Json] | None = None, rich: bool = True) -> Json:
    config: Json = {}
    if limits:
        config["limits"] = duplicate(limits)
    if world.chance(0.9):
        max_resources = len(world.resources) if rich else 2
        held = world.some(world.resources, 1, max_resources)
        config["initial"] = {name: world.pick([1, 2, 3, 5, 8, 13, 0]) for name in held}
        if world.chance(0.1):
            # The published engine adds up a limit group in 16 bits: no group comes near 65536.
            config["initial"][world.pick(world.resources)] = min(
                world.pick([255, 256, 300, 1000, 65535]), 1000 if limits else 65535
            )
    if world.chance(0.2):
        config["default_limit"] = world.pick([0, 5, 10, 100, 5000])
    return config


def cascade_limits(world: World) -> dict[str, Json]:
    """Groups whose limits hang on items that are limited by other items, so that losing one drops many.

    The order in which the members of a group are dropped is that of a hash table in the published engine. It changes
    shape above 13 and above 29 limited resources, hence the long resource lists of this family.
    """
    names = world.some(world.resources, len(world.resources), len(world.resources))
    groups: dict[str, Json] = {}
    keys: list[str] = []
    while names:
        size = world.number(2, 6)
        members, names = names[:size], names[size:]
        group: Json = {"base": world.number(0, 3), "resources": members}
        if keys and world.chance(0.85):
            group["modifiers"] = {key: world.number(2, 8) for key in world.some(keys, 1, 2)}
        groups[f"bag{len(groups)}"] = group
        keys += world.some(members, 1, 2)
        if world.chance(0.1):
            break  # the rest has no group
    if "modifiers" not in groups["bag0"]:
        groups["bag0"]["base"] = 12
    world.hints["keys"] = keys
    order = world.some(groups, len(groups), len(groups))
    return {name: groups[name] for name in order}

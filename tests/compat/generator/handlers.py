"""Handlers and their first_match / all_of trees, for every place where the game calls one."""

from __future__ import annotations

from dataclasses import replace

from . import filters, mutations
from .world import DIRECTIONS, MARKS, Json, Scope, World

USE = Scope("use", "agent", "object")
USE_AGENT = Scope("use", "agent", "agent")
AFTER_USE = Scope("after_use", "agent", "maybe")  # the used object may be gone
TICK = Scope("tick", "agent", "agent")
GAME_TICK = Scope("game_tick", None, None)
AREA = Scope("aoe", "object", "agent")
AREA_OF_AGENT = Scope("aoe", "agent", "agent")
TERRITORY = Scope("territory", "cell", "agent")
# Few, so that handlers share names: a later one replaces an earlier one. The last two are names of the engine itself.
MOVE_NAMES = ["push", "pay", "step", "zap", "move", "move_handler_1"]


def handler(world: World, scope: Scope, filters_at_most: int = 2) -> tuple[Json, Scope]:
    conditions = filters.filter_list(world, scope, 0, filters_at_most)
    actions, after = mutations.mutation_list(world, scope, 1 if world.chance(0.98) else 0)
    return {"filters": conditions, "mutations": actions}, after


def guarded_handler(world: World, scope: Scope) -> tuple[Json, Scope]:
    """Return a handler whose filters make sure that there is a target, so that its mutations may touch it."""
    guard = world.pick(
        [
            {"filter_type": "target_is_usable"},
            {"filter_type": "tag", "target": "target", "tag": "type:" + world.pick([*world.types, world.agent_type])},
            {"filter_type": "tag_prefix", "target": "target", "tag_prefix": "type:"},
        ]
    )
    rule, after = handler(world, replace(scope, target="any"), 1)
    rule["filters"].insert(0, guard)
    return rule, after


def tree(world: World, scope: Scope, levels: int = 2) -> tuple[Json, Scope]:
    """Return a handler, or a first_match / all_of of trees; children share one context and scope."""
    if levels > 0 and world.chance(0.12) and scope.exists("target"):
        return toggle(world, scope)
    if levels == 0 or world.chance(0.5 / world.factor("handler", "tree")):
        guard = scope.target == "maybe" and world.chance(0.7)
        return guarded_handler(world, scope) if guard else handler(world, scope)
    children = []
    for _ in range(world.number(1, 3) if world.chance(0.98) else 0):
        child, scope = tree(world, scope, levels - 1)
        # A child may be skipped or fail half-way, so a target it would leave behind is never certain.
        if scope.target == "any":
            scope = replace(scope, target="maybe")
        children.append(child)
    return {"handler_type": world.pick(["first_match", "all_of"]), "handlers": children}, scope


def toggle(world: World, scope: Scope) -> tuple[Json, Scope]:
    """Return a mark that comes and goes."""
    tag = world.loose_tag()
    if scope.place == "tag_remove":
        tag = MARKS[-1]
    held = {"filter_type": "tag", "target": "target", "tag": tag}
    drop = {"mutation_type": "remove_tag", "target": "target", "tag": tag}
    take = {"mutation_type": "add_tag", "target": "target", "tag": tag}
    children = [{"filters": [held], "mutations": [drop]}, {"filters": [], "mutations": [take]}]
    if world.chance(0.5):
        more, after = mutations.mutation_list(world, scope, 1, 1)
        children[0]["mutations"] += more
        if after.target != scope.target:
            scope = replace(scope, target="maybe")
    return {"handler_type": "first_match", "handlers": children}, scope


def use_handler(world: World, type_name: str) -> Json:
    """Return the handler of an object's use; some look one cell further and use the object there."""
    chains = type_name not in world.leaf_types and world.leaf_types
    if chains and world.chance(0.25 * world.factor("handler", "chain")):
        return use_chain(world)
    scope = replace(USE, target="any") if type_name in world.leaf_types else USE  # leaves are never removed
    return tree(world, scope)[0]


def use_chain(world: World) -> Json:
    """Looks around and uses what lies there, if it is of a kind that uses nothing itself."""
    leaves = [{"filter_type": "tag", "target": "target", "tag": "type:" + name} for name in world.leaf_types]
    scope = replace(USE, target="maybe")
    children = []
    for _ in range(world.number(1, 3)):
        look = {"mutation_type": "set_relative_target", "direction": world.pick(DIRECTIONS)}
        if world.chance(0.3):
            look["distance"] = world.number(1, 2)
        use: list[Json] = [{"mutation_type": "use_target"}]
        if world.chance(0.4):
            use.append(mutations.any_mutation(world, scope)[0])
        if world.chance(0.2):  # nothing before the use may turn the target to another object
            use.insert(0, mutations.resource_delta(world, replace(scope, target=None))[0])
        children += [{"filters": [], "mutations": [look]}]
        children += [{"filters": [{"filter_type": "or", "inner": leaves}], "mutations": use}]
    children.append(handler(world, scope)[0])
    return {"handler_type": "all_of", "handlers": children}


def tag_remove_handlers(world: World, kind: str, tags: list[str]) -> dict[str, Json]:
    """Keyed by tag prefix; a handler may remove only later marks, so that a chain of them ends."""
    rules = {}
    likely = [MARKS.index(tag) for tag in tags if tag in MARKS]
    for rank in sorted({*likely, *world.some(range(len(MARKS)), 0, 2)}):
        scope = Scope("tag_remove", kind, kind, rank=rank)
        rules[MARKS[rank]] = handler(world, scope, 1)[0]
    if world.materialized or world.chance(0.3):
        tags = [entry["tag"] for entry in world.materialized] or ["team:"]
        rules[world.pick(tags)] = handler(world, Scope("tag_remove", kind, kind, rank=len(MARKS)), 1)[0]
    return rules


def recompute_handler(world: World) -> Json:
    """Brings materialized queries up to date every few steps."""
    prefix = world.pick(world.materialized)["tag"]
    recompute = {"mutation_type": "recompute_materialized_query", "tag_prefix": prefix}
    return {"filters": [{"filter_type": "periodic", "period": world.number(1, 4)}], "mutations": [recompute]}


def move_handlers(world: World) -> list[Json]:
    """Handlers tried before the built-in move and use; most concern rare cells, so that agents still walk."""
    rules = [world.pick([onto_empty, onto_object, reach, onto_anything])(world) for _ in range(world.number(1, 4))]
    for rule in rules:
        if world.chance(0.5):
            rule["name"] = world.pick(MOVE_NAMES)
    return rules


def rarely(world: World) -> Json:
    return world.pick(
        [
            {"filter_type": "periodic", "period": world.number(2, 4)},
            {"filter_type": "vibe", "target": "actor", "vibe": world.pick(world.vibes)},
            {"filter_type": "resource", "target": "actor", "resources": world.amounts(1, 3, 1)},
            {"filter_type": "not", "inner": {"filter_type": "tag", "target": "actor", "tag": world.loose_tag()}},
        ]
    )


def onto_empty(world: World) -> Json:
    scope = Scope("move", "agent", None)
    done, _ = mutations.mutation_list(world, scope, 1, 2)
    if world.chance(0.7):
        done.insert(world.number(0, len(done)), {"mutation_type": "relocate"})
    conditions = [{"filter_type": "target_loc_empty"}, rarely(world)]
    if world.chance(0.3):
        conditions.append({"filter_type": "max_distance", "target": "actor", "radius": world.number(1, 3)})
    return {"filters": conditions, "mutations": done}


def onto_object(world: World) -> Json:
    """Push, swap, pay and use, or anything else with a known kind of object ahead."""
    name, swap = world.pick([*world.types, world.agent_type]), world.chance(0.25)
    if swap:
        name = world.agent_type
    conditions = [{"filter_type": "tag", "target": "target", "tag": "type:" + name}]
    conditions += filters.filter_list(world, Scope("move", "agent", "any"), 0, 1)
    scope = Scope("move", "agent", "agent" if name == world.agent_type else "any")
    start, scope = world.pick(
        [
            ([], scope),
            ([{"mutation_type": "push_object"}], scope),
            ([{"mutation_type": "push_object"}, {"mutation_type": "relocate"}], scope),
            ([{"mutation_type": "use_target"}], replace(scope, target="maybe")),
        ]
    )
    if swap:
        start = [{"mutation_type": "swap"}]
    more, _ = mutations.mutation_list(world, scope, 0 if start else 1, 2)
    return {"filters": conditions, "mutations": start + more}


def reach(world: World) -> Json:
    """Acts along a line of several cells."""
    rule = onto_object(world)
    rule["filters"].insert(
        world.number(0, len(rule["filters"])),
        {"filter_type": "max_distance", "target": "target", "radius": world.number(0, 5)},
    )
    return rule


def onto_anything(world: World) -> Json:
    """No filter on the cell: the scan skips empty cells, so there is a target."""
    rule, _ = handler(world, Scope("move", "agent", "maybe"), 2)
    rule["filters"].append(rarely(world))
    return rule

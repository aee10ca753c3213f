"""Compile mutations to code. A failing mutation jumps, where the trigger checks for failure."""

from collections.abc import Sequence
from typing import TypeGuard

from mettagrid.compiler.code import Label, Routine
from mettagrid.compiler.context import Context
from mettagrid.compiler.filters import entity_of
from mettagrid.compiler.queries import DIRECTIONS, call_query, emit_rays
from mettagrid.compiler.values import emit_number
from mettagrid.config.game_value import GameValue, InventoryValue, Scope
from mettagrid.config.mutation import (
    AddTagMutation,
    AnyMutation,
    AttackMutation,
    ChangeVibeMutation,
    ClearInventoryMutation,
    PushObjectMutation,
    QueryInventoryMutation,
    QueryPlaceAdjacentMutation,
    RaycastSpawnMutation,
    RecomputeMaterializedQueryMutation,
    RelocateMutation,
    RemoveTagMutation,
    RemoveTagsWithPrefixMutation,
    ResourceDeltaMutation,
    ResourceTransferMutation,
    SetGameValueMutation,
    SetRelativeTargetMutation,
    SpawnObjectMutation,
    StatsMutation,
    StatsTarget,
    SwapMutation,
    UseTargetMutation,
)

MAX_DISTANCE = 65535  # the longest side of a map


def emit_mutations(
    c: Context, r: Routine, mutations: Sequence[AnyMutation], fail: Label | None, rule: str | None = None
) -> None:
    """Emit mutations in order. `fail`: target after a failure, None: failures are ignored. `rule`: name in traces."""
    if mutations:
        r.note(f"{c.path} ({rule})" if rule else c.path)
    for i, mutation in enumerate(mutations):
        with c.at("mutations", i), c.nested(""):
            _emit_mutation(c, r, mutation, fail)


def _emit_mutation(c: Context, r: Routine, m: AnyMutation, fail: Label | None) -> None:
    match m:
        case ResourceDeltaMutation():
            for name, delta in m.deltas.items():
                r.emit("ChangeResource", entity_of(m.target), c.resource(name), c.number(delta, "deltas", name))
        case ResourceTransferMutation():
            both = entity_of(m.from_target) * 8 + entity_of(m.to_target)
            for name, amount in m.resources.items():
                amount = c.number(amount, "resources", name)
                r.emit("Transfer", both, c.resource(name), amount, sense=int(m.remove_source_when_empty))
        case ClearInventoryMutation():
            first, count = c.tables.add_list(_limit_members(c, m.limit_name))
            r.emit("ClearResources", entity_of(m.target), first, count)
        case StatsMutation():
            _emit_stat(c, r, m)
        case AddTagMutation():
            r.emit("AddTag", entity_of(m.target), c.changing_tag(m.tag))
        case RemoveTagMutation():
            r.emit("RemoveTag", entity_of(m.target), c.tag(m.tag))
        case RemoveTagsWithPrefixMutation():
            tags = c.tags_with_prefix(m.prefix)
            if not tags:
                c.warn(f"no tag starts with {m.prefix!r}; the mutation does nothing")
            for tag in tags:
                r.emit("RemoveTag", entity_of(m.target), tag)
        case ChangeVibeMutation():
            vibe = c.vibes.get(m.vibe_name)
            if vibe is None:
                c.warn(f"there is no vibe {m.vibe_name!r}; the mutation sets vibe 0")
            r.emit("SetVibe", entity_of(m.target), vibe or 0)
        case SetGameValueMutation():
            _emit_add(c, r, m)
        case RecomputeMaterializedQueryMutation():
            _emit_recompute(c, r, m)
        case QueryInventoryMutation():
            _emit_query_inventory(c, r, m)
        case QueryPlaceAdjacentMutation():
            skip = r.label()
            r.test("TestPresent", skip, False, entity_of(m.target))
            with c.at("query"):
                call_query(c, r, m.query)
            r.emit("PlaceAdjacent", entity_of(m.target))
            r.mark(skip)
        case RelocateMutation():
            r.emit("Relocate")
        case SetRelativeTargetMutation():
            first, _ = c.tables.add_list(DIRECTIONS[m.direction])
            distance = min(c.number(m.distance, "distance", low=1), MAX_DISTANCE)
            _emit_fallible(r, "RelativeTarget", fail, first, 0, distance)
        case SwapMutation():
            r.emit("Swap")
        case PushObjectMutation():
            _emit_fallible(r, "Push", fail)
        case UseTargetMutation():
            _emit_fallible(r, "UseTarget", fail)
        case SpawnObjectMutation():
            _emit_fallible(r, "Spawn", fail, _spawned_template(c, m.object_type))
        case RaycastSpawnMutation():
            template = _spawned_template(c, m.object_type)
            if template >= 0:
                emit_rays(c, r, m.directions, m.max_range, m.blocker, spawn=template, fail=fail)
        case AttackMutation():
            c.warn("the attack mutation has no effect; write attacks as handlers with resource deltas")
        case _:
            c.error(f"a {type(m).__name__} is not a mutation")


def _emit_fallible(r: Routine, op: str, fail: Label | None, a: int = 0, b: int = 0, distance: int = 0) -> None:
    r.emit(op, a, b, distance, jump=fail, sense=int(fail is not None))


def _limit_members(c: Context, limit_name: str) -> list[int]:
    """Return the resources of a limit group, as defined by the first agent that has a group of that name."""
    for agent in c.game.agents or [c.game.agent]:
        if limit_name in agent.inventory.limits:
            return [c.resource(name) for name in agent.inventory.limits[limit_name].resources]
    known = sorted({name for agent in c.game.agents or [c.game.agent] for name in agent.inventory.limits})
    c.error(f"no agent has a limit named {limit_name!r}; there are: {', '.join(known) or 'none'}")


def _emit_stat(c: Context, r: Routine, m: StatsMutation) -> None:
    entity = entity_of(m.entity)
    with c.at("source"):
        emit_number(c, r, m.source, entity)
    if m.target == StatsTarget.GAME:
        r.emit("SetGameStat", c.game_stats.add(m.stat))
    else:
        r.emit("SetAgentStat", entity, c.agent_stats.add(m.stat))


def _emit_add(c: Context, r: Routine, m: SetGameValueMutation) -> None:
    entity = entity_of(m.target)
    if _is_held(m.source) and _is_held(m.value):  # frequent
        with c.at("source"):
            held = c.resource(m.source.item)
        r.emit("AddHeld", entity, c.resource(m.value.item), held)
        return
    with c.at("source"):
        emit_number(c, r, m.delta if m.source is None else m.source, entity)
    if isinstance(m.value, InventoryValue):
        stat = c.game_stats.add(f"{m.value.item}.amount") if m.value.scope == Scope.GAME else -1
        r.emit("AddResource", entity, c.resource(m.value.item), stat)
    elif m.value.scope == Scope.GAME:
        r.emit("AddGameStat", c.game_stats.add(m.value.name))
    else:
        r.emit("AddAgentStat", entity, c.agent_stats.add(m.value.name))


def _is_held(value: GameValue | None) -> TypeGuard[InventoryValue]:
    """Return whether a value is the amount that an object holds."""
    return isinstance(value, InventoryValue) and value.scope != Scope.GAME


def _emit_recompute(c: Context, r: Routine, m: RecomputeMaterializedQueryMutation) -> None:
    """Recompute each matching tag: remove it everywhere, add it to the result, notify the objects that lost it."""
    known = c.tags_with_prefix(m.tag_prefix)
    if not known:  # a known tag without a query is fine: rules name networks that only some maps have
        c.warn(f"no tag starts with {m.tag_prefix!r}; the mutation does nothing")
    for tag in known:
        if tag not in c.materialized:
            continue
        r.emit("UntagAll", tag)
        r.emit("Call", c.materialized[tag])
        r.emit("TagResult", tag)
        r.emit("EachOpen", 0, -1)
        done = r.label()
        loop = r.here()
        r.emit("EachNext", 0, jump=done)
        r.emit("FireRemoval", tag)
        r.emit("Jump", jump=loop)
        r.mark(done)
        r.emit("EachClose", -1)


def _emit_query_inventory(c: Context, r: Routine, m: QueryInventoryMutation) -> None:
    with c.at("query"):
        call_query(c, r, m.query)
    other = -1 if m.source is None else entity_of(m.source)
    if m.transfer_stats and other < 0:
        c.warn("transfer_stats has no effect without a source")
    r.emit("EachOpen", 0, -1)
    done = r.label()
    loop = r.here()
    r.emit("EachNext", 0, jump=done)
    for name, delta in m.deltas.items():
        stat = c.game_stats.add(m.transfer_stats[name]) if name in m.transfer_stats and other >= 0 else -1
        r.emit("QueryMove", other, c.resource(name), c.number(delta, "deltas", name), sense=stat)
    r.emit("Jump", jump=loop)
    r.mark(done)
    r.emit("EachClose", -1)


def _spawned_template(c: Context, object_type: str) -> int:
    template = c.templates.get(object_type)
    if template is None:
        c.warn(f"there is no object with the map name {object_type!r}; nothing is spawned")
        return -1
    c.spawned.add(object_type)
    return template

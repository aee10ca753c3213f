"""Handlers: if all filters pass, apply the mutations. Handlers combine with `firstMatch` and `allOf`.

Every filter and mutation helper can also be imported from here.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from mettagrid.base_config import Config
from mettagrid.config._rules import HANDLERS, AnyNestedHandler, FilterList
from mettagrid.config._rules import AnyMutation as _MutationField
from mettagrid.config.filter import (
    AnyFilter,
    Filter,
    GameValueFilter,
    HandlerTarget,
    MaxDistanceFilter,
    NotFilter,
    OrFilter,
    PeriodicFilter,
    ResourceFilter,
    SharedTagPrefixFilter,
    TagFilter,
    TagPrefixFilter,
    TargetIsUsableFilter,
    TargetLocEmptyFilter,
    VibeFilter,
    actorHas,
    actorHasAnyOf,
    actorHasTag,
    actorHasTagPrefix,
    actorVibe,
    anyOf,
    hasTag,
    hasTagPrefix,
    isA,
    isNear,
    isNot,
    maxDistance,
    sharedTagPrefix,
    targetHas,
    targetHasAnyOf,
    targetVibe,
)
from mettagrid.config.mutation import (
    AddTagMutation,
    AnyMutation,
    AttackMutation,
    ChangeVibeMutation,
    ClearInventoryMutation,
    EntityTarget,
    Mutation,
    PushObjectMutation,
    QueryInventoryMutation,
    QueryPlaceAdjacentMutation,
    RaycastSpawnMutation,
    RecomputeMaterializedQueryMutation,
    RelocateMutation,
    RemoveTagMutation,
    RemoveTagsWithPrefix,
    RemoveTagsWithPrefixMutation,
    ResourceDeltaMutation,
    ResourceTransferMutation,
    SetGameValueMutation,
    SetRelativeTargetMutation,
    SpawnObjectMutation,
    StatsEntity,
    StatsMutation,
    StatsTarget,
    SwapMutation,
    UseTargetMutation,
    addTag,
    changeTargetVibe,
    deposit,
    logActorAgentStat,
    logStat,
    logStatToGame,
    logTargetAgentStat,
    queryDelta,
    queryDeposit,
    queryPlaceAdjacent,
    queryWithdraw,
    recomputeMaterializedQuery,
    removeTag,
    removeTagPrefix,
    updateActor,
    updateTarget,
    useTarget,
    withdraw,
)
from mettagrid.config.query import (
    AnyQuery,
    ClosureQuery,
    MaterializedQuery,
    Query,
    closureQuery,
    materializedQuery,
    query,
)


class Handler(Config):
    """One rule: all filters must pass, in order; then the mutations run, in order, until one fails."""

    name: str = ""
    filters: FilterList = Field(default_factory=list)
    mutations: list[_MutationField] = Field(default_factory=list)


class FirstMatch(Config):
    """Tries handlers in order and stops at the first that succeeds."""

    handler_type: Literal["first_match"] = "first_match"
    handlers: list[AnyNestedHandler] = Field(default_factory=list)


class AllOf(Config):
    """Tries all handlers in order and succeeds if any of them did."""

    handler_type: Literal["all_of"] = "all_of"
    handlers: list[AnyNestedHandler] = Field(default_factory=list)


class AOEConfig(Handler):
    """An effect on agents within `radius` of its source: the source is the actor, the agent the target."""

    radius: int = Field(default=1, ge=0)
    is_static: bool = True
    effect_self: bool = False
    presence_deltas: dict[str, int] = Field(default_factory=dict)


AnyHandler = Annotated[Handler | FirstMatch | AllOf, HANDLERS]


def firstMatch(handlers: "Sequence[AnyHandler | None]") -> "AnyHandler | None":
    """Combine handlers so that the first success ends it.

    `None`s are dropped, and the members of a nested first-match are spliced in. A single handler is returned
    unchanged, and `None` for none.
    """
    return _combined(FirstMatch, handlers)


def allOf(handlers: "Sequence[AnyHandler | None]") -> "AnyHandler | None":
    """Combine handlers so that each is tried; otherwise like `firstMatch`."""
    return _combined(AllOf, handlers)


def _combined(kind: type[FirstMatch] | type[AllOf], handlers: "Sequence[AnyHandler | None]") -> "AnyHandler | None":
    members: list[AnyHandler] = []
    for handler in handlers:
        if isinstance(handler, kind):
            members.extend(handler.handlers)
        elif handler is not None:
            members.append(handler)
    if len(members) < 2:
        return members[0] if members else None
    return kind(handlers=members)


__all__ = [
    "AOEConfig",
    "AddTagMutation",
    "AllOf",
    "AnyFilter",
    "AnyHandler",
    "AnyMutation",
    "AnyQuery",
    "AttackMutation",
    "ChangeVibeMutation",
    "ClearInventoryMutation",
    "ClosureQuery",
    "EntityTarget",
    "Filter",
    "FirstMatch",
    "GameValueFilter",
    "Handler",
    "HandlerTarget",
    "MaterializedQuery",
    "MaxDistanceFilter",
    "Mutation",
    "NotFilter",
    "OrFilter",
    "PeriodicFilter",
    "PushObjectMutation",
    "Query",
    "QueryInventoryMutation",
    "QueryPlaceAdjacentMutation",
    "RaycastSpawnMutation",
    "RecomputeMaterializedQueryMutation",
    "RelocateMutation",
    "RemoveTagMutation",
    "RemoveTagsWithPrefix",
    "RemoveTagsWithPrefixMutation",
    "ResourceDeltaMutation",
    "ResourceFilter",
    "ResourceTransferMutation",
    "SetGameValueMutation",
    "SetRelativeTargetMutation",
    "SharedTagPrefixFilter",
    "SpawnObjectMutation",
    "StatsEntity",
    "StatsMutation",
    "StatsTarget",
    "SwapMutation",
    "TagFilter",
    "TagPrefixFilter",
    "TargetIsUsableFilter",
    "TargetLocEmptyFilter",
    "UseTargetMutation",
    "VibeFilter",
    "actorHas",
    "actorHasAnyOf",
    "actorHasTag",
    "actorHasTagPrefix",
    "actorVibe",
    "addTag",
    "allOf",
    "anyOf",
    "changeTargetVibe",
    "closureQuery",
    "deposit",
    "firstMatch",
    "hasTag",
    "hasTagPrefix",
    "isA",
    "isNear",
    "isNot",
    "logActorAgentStat",
    "logStat",
    "logStatToGame",
    "logTargetAgentStat",
    "materializedQuery",
    "maxDistance",
    "query",
    "queryDelta",
    "queryDeposit",
    "queryPlaceAdjacent",
    "queryWithdraw",
    "recomputeMaterializedQuery",
    "removeTag",
    "removeTagPrefix",
    "sharedTagPrefix",
    "targetHas",
    "targetHasAnyOf",
    "targetVibe",
    "updateActor",
    "updateTarget",
    "useTarget",
    "withdraw",
]

"""Mutations: the effects of handlers and events."""

from typing import Annotated

from mettagrid.config._rules import MUTATIONS
from mettagrid.config.game_value import AnyGameValue
from mettagrid.config.mutation.attack_mutation import AttackMutation
from mettagrid.config.mutation.change_vibe_mutation import ChangeVibeMutation, changeTargetVibe
from mettagrid.config.mutation.clear_inventory_mutation import ClearInventoryMutation
from mettagrid.config.mutation.game_value_mutation import SetGameValueMutation
from mettagrid.config.mutation.mutation import EntityTarget, Mutation
from mettagrid.config.mutation.push_object_mutation import PushObjectMutation
from mettagrid.config.mutation.query_inventory_mutation import (
    QueryInventoryMutation,
    queryDelta,
    queryDeposit,
    queryWithdraw,
)
from mettagrid.config.mutation.query_place_adjacent_mutation import QueryPlaceAdjacentMutation, queryPlaceAdjacent
from mettagrid.config.mutation.raycast_spawn_mutation import RaycastSpawnMutation
from mettagrid.config.mutation.recompute_materialized_query_mutation import (
    RecomputeMaterializedQueryMutation,
    recomputeMaterializedQuery,
)
from mettagrid.config.mutation.relocate_mutation import RelocateMutation
from mettagrid.config.mutation.resource_mutation import (
    ResourceDeltaMutation,
    ResourceTransferMutation,
    deposit,
    updateActor,
    updateTarget,
    withdraw,
)
from mettagrid.config.mutation.set_relative_target_mutation import SetRelativeTargetMutation
from mettagrid.config.mutation.spawn_object_mutation import SpawnObjectMutation
from mettagrid.config.mutation.stats_mutation import (
    StatsEntity,
    StatsMutation,
    StatsTarget,
    logActorAgentStat,
    logStat,
    logStatToGame,
    logTargetAgentStat,
)
from mettagrid.config.mutation.swap_mutation import SwapMutation
from mettagrid.config.mutation.tag_mutation import (
    AddTagMutation,
    RemoveTagMutation,
    RemoveTagsWithPrefix,
    RemoveTagsWithPrefixMutation,
    addTag,
    removeTag,
    removeTagPrefix,
)
from mettagrid.config.mutation.use_target_mutation import UseTargetMutation, useTarget
from mettagrid.config.query import AnyQuery, ClosureQuery, MaterializedQuery, Query

AnyMutation = Annotated[
    ResourceDeltaMutation
    | ResourceTransferMutation
    | ClearInventoryMutation
    | AttackMutation
    | StatsMutation
    | AddTagMutation
    | RemoveTagMutation
    | RemoveTagsWithPrefixMutation
    | SetGameValueMutation
    | QueryPlaceAdjacentMutation
    | RecomputeMaterializedQueryMutation
    | QueryInventoryMutation
    | RelocateMutation
    | SetRelativeTargetMutation
    | SpawnObjectMutation
    | SwapMutation
    | UseTargetMutation
    | ChangeVibeMutation
    | RaycastSpawnMutation
    | PushObjectMutation,
    MUTATIONS,
]

__all__ = [
    "AddTagMutation",
    "AnyGameValue",
    "AnyMutation",
    "AnyQuery",
    "AttackMutation",
    "ChangeVibeMutation",
    "ClearInventoryMutation",
    "ClosureQuery",
    "EntityTarget",
    "MaterializedQuery",
    "Mutation",
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
    "ResourceTransferMutation",
    "SetGameValueMutation",
    "SetRelativeTargetMutation",
    "SpawnObjectMutation",
    "StatsEntity",
    "StatsMutation",
    "StatsTarget",
    "SwapMutation",
    "UseTargetMutation",
    "addTag",
    "changeTargetVibe",
    "deposit",
    "logActorAgentStat",
    "logStat",
    "logStatToGame",
    "logTargetAgentStat",
    "queryDelta",
    "queryDeposit",
    "queryPlaceAdjacent",
    "queryWithdraw",
    "recomputeMaterializedQuery",
    "removeTag",
    "removeTagPrefix",
    "updateActor",
    "updateTarget",
    "useTarget",
    "withdraw",
]

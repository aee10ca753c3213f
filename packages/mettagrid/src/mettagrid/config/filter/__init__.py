"""Filters: the conditions of handlers, events and queries."""

from typing import Annotated

from mettagrid.config._rules import FILTERS
from mettagrid.config.filter.filter import Filter, HandlerTarget, NotFilter, OrFilter, anyOf, isNot
from mettagrid.config.filter.game_value_filter import GameValueFilter
from mettagrid.config.filter.max_distance_filter import MaxDistanceFilter, isNear, maxDistance
from mettagrid.config.filter.periodic_filter import PeriodicFilter
from mettagrid.config.filter.resource_filter import (
    ResourceFilter,
    actorHas,
    actorHasAnyOf,
    targetHas,
    targetHasAnyOf,
)
from mettagrid.config.filter.shared_tag_prefix_filter import SharedTagPrefixFilter, sharedTagPrefix
from mettagrid.config.filter.tag_filter import TagFilter, actorHasTag, hasTag, isA
from mettagrid.config.filter.tag_prefix_filter import TagPrefixFilter, actorHasTagPrefix, hasTagPrefix
from mettagrid.config.filter.target_is_usable_filter import TargetIsUsableFilter
from mettagrid.config.filter.target_loc_empty_filter import TargetLocEmptyFilter
from mettagrid.config.filter.vibe_filter import VibeFilter, actorVibe, targetVibe
from mettagrid.config.game_value import (
    AnyGameValue,
    ConstValue,
    InventoryValue,
    MaxGameValue,
    MinGameValue,
    QueryCountValue,
    QueryInventoryValue,
    RatioGameValue,
    StatValue,
    SumGameValue,
)
from mettagrid.config.mutation.raycast_spawn_mutation import RaycastSpawnMutation
from mettagrid.config.query import (
    AnyQuery,
    ClosureQuery,
    MaterializedQuery,
    Query,
    closureQuery,
    materializedQuery,
    query,
)
from mettagrid.config.raycast_query import RaycastQuery, raycastQuery
from mettagrid.config.tag import typeTag

AnyFilter = Annotated[
    VibeFilter
    | ResourceFilter
    | TagFilter
    | SharedTagPrefixFilter
    | TagPrefixFilter
    | MaxDistanceFilter
    | GameValueFilter
    | NotFilter
    | OrFilter
    | TargetLocEmptyFilter
    | TargetIsUsableFilter
    | PeriodicFilter,
    FILTERS,
]

__all__ = [
    "AnyFilter",
    "AnyGameValue",
    "AnyQuery",
    "ClosureQuery",
    "ConstValue",
    "Filter",
    "GameValueFilter",
    "HandlerTarget",
    "InventoryValue",
    "MaterializedQuery",
    "MaxDistanceFilter",
    "MaxGameValue",
    "MinGameValue",
    "NotFilter",
    "OrFilter",
    "PeriodicFilter",
    "Query",
    "QueryCountValue",
    "QueryInventoryValue",
    "RatioGameValue",
    "RaycastQuery",
    "RaycastSpawnMutation",
    "ResourceFilter",
    "SharedTagPrefixFilter",
    "StatValue",
    "SumGameValue",
    "TagFilter",
    "TagPrefixFilter",
    "TargetIsUsableFilter",
    "TargetLocEmptyFilter",
    "VibeFilter",
    "actorHas",
    "actorHasAnyOf",
    "actorHasTag",
    "actorHasTagPrefix",
    "actorVibe",
    "anyOf",
    "closureQuery",
    "hasTag",
    "hasTagPrefix",
    "isA",
    "isNear",
    "isNot",
    "materializedQuery",
    "maxDistance",
    "query",
    "raycastQuery",
    "sharedTagPrefix",
    "targetHas",
    "targetHasAnyOf",
    "targetVibe",
    "typeTag",
]

"""Filters: the conditions of handlers, events and queries."""

from typing import Annotated, Union

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
from mettagrid.config.query import AnyQuery, ClosureQuery, MaterializedQuery, Query, closureQuery
from mettagrid.config.query import materializedQuery, query
from mettagrid.config.raycast_query import RaycastQuery, raycastQuery
from mettagrid.config.tag import typeTag

AnyFilter = Annotated[
    Union[
        VibeFilter,
        ResourceFilter,
        TagFilter,
        SharedTagPrefixFilter,
        TagPrefixFilter,
        MaxDistanceFilter,
        GameValueFilter,
        NotFilter,
        OrFilter,
        TargetLocEmptyFilter,
        TargetIsUsableFilter,
        PeriodicFilter,
    ],
    FILTERS,
]

__all__ = [
    "AnyFilter",
    "AnyQuery",
    "ClosureQuery",
    "Filter",
    "GameValueFilter",
    "HandlerTarget",
    "MaterializedQuery",
    "MaxDistanceFilter",
    "NotFilter",
    "OrFilter",
    "PeriodicFilter",
    "Query",
    "RaycastQuery",
    "ResourceFilter",
    "SharedTagPrefixFilter",
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

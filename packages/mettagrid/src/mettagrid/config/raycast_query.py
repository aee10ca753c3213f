"""The query that looks along straight lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from mettagrid.base_config import Config
from mettagrid.config._rules import FilterList, IntOrGameValue, TagOrQuery

if TYPE_CHECKING:
    from mettagrid.config.filter import AnyFilter
    from mettagrid.config.game_value import AnyGameValue
    from mettagrid.config.query import AnyQuery

__all__ = ["RaycastQuery", "raycastQuery"]


def cardinal_rays() -> list[str]:
    """Return the default directions of rays, in the order in which they are walked."""
    return ["north", "south", "east", "west"]


class RaycastQuery(Config):
    """Objects met when walking from each source in each direction until a blocker or `max_range` cells."""

    query_type: Literal["raycast"] = "raycast"
    source: TagOrQuery
    max_range: IntOrGameValue = 2
    directions: list[str] = Field(default_factory=cardinal_rays)
    blocker: FilterList = Field(default_factory=list)
    include_blocker: bool = True
    max_items: IntOrGameValue | None = None
    order_by: Literal["random"] | None = None


def as_filter_list(filters: "AnyFilter | Sequence[AnyFilter] | None") -> "list[AnyFilter]":
    """Return one filter, several or none as a list."""
    if filters is None:
        return []
    return [filters] if isinstance(filters, BaseModel) else list(filters)


def raycastQuery(
    source: "str | AnyQuery",
    max_range: "int | AnyGameValue" = 2,
    directions: list[str] | None = None,
    blocker: "AnyFilter | Sequence[AnyFilter] | None" = None,
    include_blocker: bool = True,
) -> RaycastQuery:
    """Select the objects that rays from `source` along `directions` (by default all four) meet before a blocker."""
    return RaycastQuery(
        source=source,
        max_range=max_range,
        directions=cardinal_rays() if directions is None else directions,
        blocker=as_filter_list(blocker),
        include_blocker=include_blocker,
    )

"""Queries: select the objects that a rule applies to."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from mettagrid.base_config import Config
from mettagrid.config._rules import QUERIES, IntOrGameValue, TagOrQuery
from mettagrid.config.raycast_query import RaycastQuery, as_filter_list

if TYPE_CHECKING:
    from mettagrid.config.filter import AnyFilter
else:
    from mettagrid.config._rules import AnyFilter, AnyQuery

__all__ = [
    "AnyQuery",
    "ClosureQuery",
    "MaterializedQuery",
    "Query",
    "RaycastQuery",
    "closureQuery",
    "materializedQuery",
    "query",
]


class Query(Config):
    """Objects with the tag `source`, or found by the query `source`, that pass all filters."""

    query_type: Literal["query"] = "query"
    source: TagOrQuery
    filters: list[AnyFilter] = Field(default_factory=list)
    max_items: IntOrGameValue | None = None
    order_by: Literal["random"] | None = None


class MaterializedQuery(Query):
    """A query whose results carry `tag` until it is recomputed; as a source it means the holders of `tag`."""

    query_type: Literal["materialized"] = "materialized"  # type: ignore[assignment]
    source: str = ""
    tag: str
    query: AnyQuery


class ClosureQuery(Config):
    """`source` and every candidate reached from it, step by step, over edges that pass `edge_filters`.

    In an edge filter the actor is an earlier member and the target the candidate; `filters` apply to the result.
    """

    query_type: Literal["closure"] = "closure"
    source: TagOrQuery
    candidates: TagOrQuery
    edge_filters: list[AnyFilter] = Field(default_factory=list)
    filters: list[AnyFilter] = Field(default_factory=list)
    max_items: IntOrGameValue | None = None
    order_by: Literal["random"] | None = None


AnyQuery = Annotated[Query | MaterializedQuery | ClosureQuery | RaycastQuery, QUERIES]


def query(source: "str | AnyQuery", filters: "AnyFilter | list[AnyFilter] | None" = None) -> Query:
    """Select objects with a tag, or from another query, that pass a filter or a list of filters."""
    return Query(source=source, filters=as_filter_list(filters))


def materializedQuery(tag: str, q: AnyQuery) -> MaterializedQuery:
    """Mark the results of `q` with `tag`."""
    return MaterializedQuery(tag=tag, query=q)


def closureQuery(
    source: "str | AnyQuery",
    candidates: "str | AnyQuery",
    edge_filters: "AnyFilter | list[AnyFilter] | None" = None,
    filters: "AnyFilter | list[AnyFilter] | None" = None,
) -> ClosureQuery:
    """Select the objects that can be reached from `source` through `candidates`."""
    return ClosureQuery(
        source=source, candidates=candidates, edge_filters=as_filter_list(edge_filters), filters=as_filter_list(filters)
    )

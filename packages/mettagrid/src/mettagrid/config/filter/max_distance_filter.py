"""Filter on distance."""

from typing import TYPE_CHECKING, Literal

from mettagrid.config.filter.filter import Filter, HandlerTarget
from mettagrid.config.query import Query

if TYPE_CHECKING:
    from mettagrid.config.query import AnyQuery
else:
    from mettagrid.config._rules import AnyQuery


class MaxDistanceFilter(Filter):
    """Passes within `radius` (Euclidean) of the actor, or of any object the query finds.

    Radius 0 means no limit: it always passes without a query, and with one if the query finds anything.
    """

    target: HandlerTarget = HandlerTarget.TARGET
    filter_type: Literal["max_distance"] = "max_distance"
    query: AnyQuery | None = None
    radius: int = 1


def isNear(query: "str | AnyQuery", radius: int = 1) -> MaxDistanceFilter:
    """Require that the target is near an object with that tag, or found by that query."""
    near = Query(source=query) if isinstance(query, str) else query
    return MaxDistanceFilter(query=near, radius=radius)


def maxDistance(radius: int) -> MaxDistanceFilter:
    """Require that actor and target are at most `radius` apart."""
    return MaxDistanceFilter(radius=radius)

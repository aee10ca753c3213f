"""Filter on what an entity holds."""

from typing import Literal

from pydantic import Field

from mettagrid.config.filter.filter import Filter, HandlerTarget, OrFilter, anyOf


class ResourceFilter(Filter):
    """Passes when the entity holds at least the given amount of every resource."""

    filter_type: Literal["resource"] = "resource"
    resources: dict[str, int] = Field(default_factory=dict)


def actorHas(resources: dict[str, int]) -> ResourceFilter:
    """The actor holds all these amounts."""
    return ResourceFilter(target=HandlerTarget.ACTOR, resources=resources)


def targetHas(resources: dict[str, int]) -> ResourceFilter:
    """The target holds all these amounts."""
    return ResourceFilter(target=HandlerTarget.TARGET, resources=resources)


def actorHasAnyOf(resources: list[str]) -> OrFilter:
    """The actor holds at least one of one of the resources."""
    return anyOf([actorHas({resource: 1}) for resource in resources])


def targetHasAnyOf(resources: list[str]) -> OrFilter:
    """The target holds at least one of one of the resources."""
    return anyOf([targetHas({resource: 1}) for resource in resources])

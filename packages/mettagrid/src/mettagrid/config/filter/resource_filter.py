"""Filter on the inventory of an entity."""

from typing import Literal

from pydantic import Field

from mettagrid.config.filter.filter import Filter, HandlerTarget, OrFilter, anyOf


class ResourceFilter(Filter):
    """Passes when the entity holds at least the given amount of every resource."""

    filter_type: Literal["resource"] = "resource"
    resources: dict[str, int] = Field(default_factory=dict)


def actorHas(resources: dict[str, int]) -> ResourceFilter:
    """Require that the actor holds all these amounts."""
    return ResourceFilter(target=HandlerTarget.ACTOR, resources=resources)


def targetHas(resources: dict[str, int]) -> ResourceFilter:
    """Require that the target holds all these amounts."""
    return ResourceFilter(target=HandlerTarget.TARGET, resources=resources)


def actorHasAnyOf(resources: list[str]) -> OrFilter:
    """Require that the actor holds at least one unit of any of the resources."""
    return anyOf([actorHas({resource: 1}) for resource in resources])


def targetHasAnyOf(resources: list[str]) -> OrFilter:
    """Require that the target holds at least one unit of any of the resources."""
    return anyOf([targetHas({resource: 1}) for resource in resources])

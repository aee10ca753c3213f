"""Filter on one tag."""

from typing import Literal

from mettagrid.config.filter.filter import Filter, HandlerTarget
from mettagrid.config.tag import typeTag


class TagFilter(Filter):
    """Passes when the entity has the tag."""

    filter_type: Literal["tag"] = "tag"
    tag: str


def hasTag(tag: str) -> TagFilter:
    """Require that the target has `tag`."""
    return TagFilter(target=HandlerTarget.TARGET, tag=tag)


def actorHasTag(tag: str) -> TagFilter:
    """Require that the actor has `tag`."""
    return TagFilter(target=HandlerTarget.ACTOR, tag=tag)


def isA(type_value: str) -> TagFilter:
    """Require that the target is of that type."""
    return hasTag(typeTag(type_value))

"""Filter on the beginning of tags."""

from typing import Literal

from mettagrid.config.filter.filter import Filter, HandlerTarget


class TagPrefixFilter(Filter):
    """Passes when the entity has any tag that begins with the prefix."""

    filter_type: Literal["tag_prefix"] = "tag_prefix"
    tag_prefix: str


def hasTagPrefix(prefix: str, target: HandlerTarget = HandlerTarget.TARGET) -> TagPrefixFilter:
    """Require that the target (or the actor) has a tag that begins with `prefix`."""
    return TagPrefixFilter(target=target, tag_prefix=prefix)


def actorHasTagPrefix(prefix: str) -> TagPrefixFilter:
    """Require that the actor has a tag that begins with `prefix`."""
    return hasTagPrefix(prefix, HandlerTarget.ACTOR)

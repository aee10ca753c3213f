"""The base of filters on one entity, and the logical filters."""

from typing import Literal

from mettagrid.base_config import Config, ConfigStrEnum
from mettagrid.config._rules import AnyFilter


class HandlerTarget(ConfigStrEnum):
    """Which side of a handler a filter looks at."""

    ACTOR = "actor"
    TARGET = "target"


class Filter(Config):
    """Base of the filters that look at one entity."""

    target: HandlerTarget


class NotFilter(Config):
    """Passes when `inner` fails."""

    filter_type: Literal["not"] = "not"
    inner: AnyFilter


class OrFilter(Config):
    """Passes when any of `inner` passes; never when `inner` is empty."""

    filter_type: Literal["or"] = "or"
    inner: list[AnyFilter]


def isNot(filter: AnyFilter) -> NotFilter:  # the published name
    """Negate a filter."""
    return NotFilter(inner=filter)


def anyOf(filters: list[AnyFilter]) -> OrFilter:
    """Require at least one of the filters."""
    return OrFilter(inner=filters)

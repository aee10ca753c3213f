"""Find chains of events that `lower_events` could have written, as configs for the published engine have them.

Such a chain, of more than a hundred events that differ only in a distance, is compiled as one event with `nearest`.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from mettagrid.config.event_config import EventConfig, NearestFirst
from mettagrid.config.filter import isNear
from mettagrid.config.filter.max_distance_filter import MaxDistanceFilter
from mettagrid.config.query import Query

MAX_RINGS = 1000  # distances of one event with `nearest`; each is compiled

_OWN = frozenset(("name", "target_query", "timesteps", "priority", "fallback"))  # of each link
_COMMON = [name for name in EventConfig.model_fields if name not in _OWN]


class Chain(NamedTuple):
    """An event with `nearest`, and the keys of the events after the first in the chain that it stands for."""

    event: EventConfig
    links: list[str]


def find_chains(events: Mapping[str, EventConfig]) -> dict[str, Chain]:
    """Return the chains of at least two events, by the key of the first."""
    uses = Counter(event.fallback for event in events.values())
    chains = {}
    for key, event in events.items():
        near = _near(event)
        if near is None or near.radius != 1:
            continue
        links: list[str] = []
        last = event
        while (following := last.fallback) is not None and following in events and len(links) + 1 < MAX_RINGS:
            link = events[following]
            if uses[following] > 1 or link.timesteps or not _continues(event, link, len(links) + 2):
                break
            links.append(following)
            last = link
        if links:
            chains[key] = Chain(_joined(event, last, len(links) + 1), links)
    return chains


def _near(event: EventConfig) -> MaxDistanceFilter | None:
    """Return the last filter of an event's targets, if it is a distance from what a query finds."""
    query = event.target_query
    if type(query) is not Query or query.max_items is not None or query.order_by is not None or not query.filters:
        return None
    near = query.filters[-1]
    if not isinstance(near, MaxDistanceFilter) or near.query is None:
        return None
    return near if near == isNear(near.query, near.radius) else None


def _continues(first: EventConfig, link: EventConfig, radius: int) -> bool:
    """Return whether a link differs from the first in nothing but the distance."""
    near, farther = _near(first), _near(link)
    one, other = first.target_query, link.target_query
    if near is None or farther is None or not isinstance(one, Query) or not isinstance(other, Query):
        return False
    return (
        farther.radius == radius
        and farther.query == near.query
        and other.source == one.source
        and other.filters[:-1] == one.filters[:-1]
        and all(getattr(link, name) == getattr(first, name) for name in _COMMON)
    )


def _joined(first: EventConfig, last: EventConfig, within: int) -> EventConfig:
    near, query = _near(first), first.target_query
    assert near is not None and near.query is not None and isinstance(query, Query)
    targets = query.model_copy(update={"filters": query.filters[:-1]})
    nearest = NearestFirst(to=near.query, within=within)
    return first.model_copy(update={"target_query": targets, "nearest": nearest, "fallback": last.fallback})

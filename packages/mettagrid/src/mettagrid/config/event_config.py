"""Events: rules that run at given steps."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from mettagrid.base_config import Config
from mettagrid.config._rules import TagOrQuery
from mettagrid.config.filter import isNear
from mettagrid.config.handler_config import AnyQuery, Handler, Query

__all__ = ["AnyQuery", "EventConfig", "Handler", "NearestFirst", "lower_events", "once", "periodic"]

_LAST_STEP = 100_000  # end of an endless schedule


class NearestFirst(Config):
    """Prefer targets near the objects that `to` finds: tried within distance 1, then 2, and so on up to `within`."""

    to: TagOrQuery
    within: int = Field(ge=1)


class EventConfig(Handler):
    """A handler that runs on the results of `target_query` at each of `timesteps`.

    Within a step events run by `priority`, lowest first, then by name. At most `max_targets` targets, chosen at
    random, are changed (all of them if `None`). If none was changed, the event called `fallback` runs instead.

    With `nearest` the event tries targets within distance 1 of the given objects, then within 2, and so on, until one
    was changed; `fallback` comes after the last distance. The published engine does not have this field: there it is a
    chain of events, one for each distance (`lower_events`), and both play the same episode.
    """

    target_query: TagOrQuery
    timesteps: list[int] = Field(default_factory=list)
    priority: int = 0
    max_targets: int | None = Field(default=None, ge=1)
    fallback: str | None = None
    nearest: NearestFirst | None = None

    @model_serializer(mode="wrap")
    def _leave_out_nearest(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped = handler(self)
        if self.nearest is None:  # the published reader rejects the key
            dumped.pop("nearest", None)
        return dumped


def lower_events(events: Mapping[str, EventConfig]) -> dict[str, EventConfig]:
    """Return the events without `nearest`: each event that has it becomes a chain linked by `fallback`.

    The event keeps its key for distance 1; `<key>_r2`, `<key>_r3`, ... are the others. Raises `ValueError` if an event
    has one of these keys already.
    """
    check_chains(events)
    return dict(link for key, event in events.items() for link in _chain(key, event))


def check_chains(events: Mapping[str, EventConfig]) -> None:
    """Raise `ValueError` if the chain of an event with `nearest` needs a key that another event has."""
    for key, event in events.items():
        for radius in range(2, event.nearest.within + 1) if event.nearest else ():
            if (link := f"{key}_r{radius}") in events:
                raise ValueError(f"The event {key!r} with `nearest` needs the name {link!r}, which another event has.")


def _chain(key: str, event: EventConfig) -> list[tuple[str, EventConfig]]:
    nearest = event.nearest
    if nearest is None:
        return [(key, event)]
    chain: list[tuple[str, EventConfig]] = []
    following = event.fallback
    for radius in range(nearest.within, 0, -1):
        suffix = "" if radius == 1 else f"_r{radius}"
        link = event.model_copy(
            update={
                "name": f"{event.name}{suffix}" if event.name else "",
                "target_query": _near(event.target_query, nearest.to, radius),
                "timesteps": event.timesteps if radius == 1 else [],
                "fallback": following,
                "nearest": None,
            }
        )
        following = key + suffix
        chain.append((following, link))
    return chain


def _near(targets: "str | AnyQuery", to: "str | AnyQuery", radius: int) -> Query:
    """Return the targets within `radius` of the objects that `to` finds."""
    near = isNear(to, radius)
    if type(targets) is Query and targets.max_items is None and targets.order_by is None:
        return targets.model_copy(update={"filters": [*targets.filters, near]})
    return Query(source=targets, filters=[near])


def once(timestep: int) -> list[int]:
    """Return the schedule of a single firing."""
    return [timestep]


def periodic(start: int, period: int, end: int | None = None, end_period: int | None = None) -> list[int]:
    """Return the steps from `start` to `end` (inclusive, 100000 by default), `period` apart.

    With `end_period` the gap changes evenly from `period` at the start to `end_period` at the end; it is rounded to
    whole steps (half to even) after each firing and is never below 1.
    """
    for name, gap in (("period", period), ("end_period", end_period)):
        if gap is not None and gap <= 0:
            raise ValueError(f"{name} is {gap}; it must be at least 1.")
    last = _LAST_STEP if end is None else end
    if end_period is None:
        return list(range(start, last + 1, period))
    steps = []
    step = start
    while step <= last:
        steps.append(step)
        progress = (step - start) / (last - start) if last > start else 0.0
        step += max(1, round(period + progress * (end_period - period)))
    return steps

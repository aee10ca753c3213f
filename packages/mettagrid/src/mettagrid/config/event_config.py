"""Events: rules that run at given steps."""

from pydantic import Field

from mettagrid.config._rules import TagOrQuery
from mettagrid.config.handler_config import AnyQuery, Handler

__all__ = ["AnyQuery", "EventConfig", "Handler", "once", "periodic"]

_LAST_STEP = 100_000  # end of an endless schedule


class EventConfig(Handler):
    """A handler applied to what `target_query` finds, at each of `timesteps`.

    Within a step events run by `priority`, lowest first, then by name. At most `max_targets` targets, chosen at
    random, are changed (all of them when `None`). If none was, the event called `fallback` runs instead.
    """

    target_query: TagOrQuery
    timesteps: list[int] = Field(default_factory=list)
    priority: int = 0
    max_targets: int | None = Field(default=None, ge=1)
    fallback: str | None = None


def once(timestep: int) -> list[int]:
    """The schedule of a single firing."""
    return [timestep]


def periodic(start: int, period: int, end: int | None = None, end_period: int | None = None) -> list[int]:
    """Steps from `start` to `end` (inclusive, 100000 by default), `period` apart.

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

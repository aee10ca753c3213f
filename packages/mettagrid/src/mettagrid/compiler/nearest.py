"""Compile events with `nearest`: one instruction picks the targets at the smallest distance.

`lower_events` defines the meaning of such an event: a chain of events, one for each distance. The instruction gives the
same targets in the same order, and therefore the same random draws, if a query finds the same wherever it stands: the
event has no filters, and its queries neither draw random numbers nor read stats (reading a stat creates it).
"""

from mettagrid.compiler import sharing
from mettagrid.compiler.code import Routine
from mettagrid.compiler.context import Context
from mettagrid.compiler.queries import place_query
from mettagrid.config.event_config import EventConfig


class NearestSearch:
    """The targets of one event, and the objects that they should be near."""

    def __init__(self, c: Context, event: EventConfig) -> None:
        assert event.nearest is not None
        self._c = c
        self._within = event.nearest.within
        with c.at("target_query"):
            self._targets = place_query(c, event.target_query)
        with c.at("nearest", "to"):
            self._to = place_query(c, event.nearest.to)
        self.is_exact = (
            not event.filters
            and sharing.is_repeatable(c, self._targets)
            and sharing.is_repeatable(c, self._to)
            and sharing.depends_on_state_alone(c, self._to)
        )
        """whether the search gives the same result as the chain of events"""

    def emit(self, r: Routine) -> None:
        """Emit code that leaves the targets at the smallest distance on top of the arena, or none."""
        r.emit("Call", self._targets)
        r.emit("Call", self._to)
        r.emit("KeepNearest", self._within)

"""Compile events with `nearest` to a binary search for the smallest distance within which there is a target.

`lower_events` defines the meaning of such an event: a chain of events, one for each distance. A search gives the same
targets in the same order, and therefore the same random draws, as long as repeating a query gives the same result: the
event has no filters, and its queries neither draw random numbers nor read stats (reading a stat creates it).
"""

from mettagrid.compiler.code import OPS, TARGET, Label, Routine
from mettagrid.compiler.context import Context
from mettagrid.compiler.filters import emit_filters
from mettagrid.compiler.queries import place_query
from mettagrid.compiler.values import emit_number
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import isNear
from mettagrid.config.query import Query

_NAMES = {code: name for name, code in OPS.items()}
_IMPURE = frozenset(("ScanShuffle", "PushAgentStat", "PushGameStat"))


class NearestSearch:
    """The search for one event: routines that find targets within a distance."""

    def __init__(self, c: Context, event: EventConfig) -> None:
        assert event.nearest is not None
        targets = event.target_query
        query = targets if isinstance(targets, Query) else Query(source=targets)
        self._c = c
        self._within = event.nearest.within
        self._is_plain = type(query) is Query and query.max_items is None and query.order_by is None
        self._narrow = self._place_filters(query)
        # Events of one ship query the same distances. The query is compiled once; only its distance differs.
        self._near_query = Query(source=query.source, filters=[isNear(event.nearest.to, 1)])
        self._entries = c.nearest_entries.setdefault(self._near_query.model_dump_json(), {})

    def is_exact(self, event: EventConfig) -> bool:
        """Return whether the search gives the same result as the chain of events."""
        entries = (self._narrow, self._near(1))
        return self._is_plain and not event.filters and not any(_is_impure(self._c, entry) for entry in entries)

    def emit(self, r: Routine) -> None:
        """Emit code that leaves the targets at the smallest distance on top of the arena, or none."""
        done, none = r.label(), r.label()
        self._emit_test(r, self._within, none)
        self._emit_search(r, 1, self._within, done)
        r.mark(none)
        self._emit_matches(r, self._within)
        r.mark(done)

    def _emit_search(self, r: Routine, low: int, high: int, done: Label) -> None:
        if low == high:
            self._emit_matches(r, low)
            r.emit("Jump", jump=done)
            return
        middle = (low + high) // 2
        farther = r.label()
        self._emit_test(r, middle, farther)
        self._emit_search(r, low, middle, done)
        r.mark(farther)
        self._emit_search(r, middle + 1, high, done)

    def _emit_test(self, r: Routine, radius: int, none: Label) -> None:
        """Emit a jump if there is no target within the distance."""
        self._emit_matches(r, radius)
        r.emit("PushCount")
        emit_number(self._c, r, 1, TARGET)
        r.test("TestAtLeast", none, False)

    def _emit_matches(self, r: Routine, radius: int) -> None:
        r.emit("Call", self._near(radius))
        r.emit("Call", self._narrow)

    def _near(self, radius: int) -> int:
        """Place the routine that finds everything within a distance, before filtering."""
        if radius not in self._entries:
            self._near_query.filters[0].radius = radius  # type: ignore[union-attr]
            with self._c.at("target_query"):
                self._entries[radius] = place_query(self._c, self._near_query)
        return self._entries[radius]

    def _place_filters(self, query: Query) -> int:
        """Place the routine that filters the result on top of the arena."""
        r = Routine()
        r.emit("ScanResult")
        done = r.label()
        loop = r.here()
        r.emit("ScanNext", jump=done)
        with self._c.at("target_query"):
            emit_filters(self._c, r, query.filters, loop)
        r.emit("ScanKeep", jump=loop)
        r.mark(done)
        r.emit("ScanClose")
        r.emit("Return", 1)
        return self._c.place(r, "nearest")


def _is_impure(c: Context, entry: int) -> bool:
    """Return whether a routine, or one it calls, draws random numbers or reads stats."""
    for op, _, _, a, _, _ in c.code.routine(entry):
        if _NAMES[op] in _IMPURE or (_NAMES[op] == "Call" and _is_impure(c, a)):
            return True
    return False

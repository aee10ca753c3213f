"""Compile queries to routines that leave their result in the arena."""

from collections.abc import Sequence

from mettagrid.compiler import filters as tests
from mettagrid.compiler import sharing, values
from mettagrid.compiler.code import ACTOR, TARGET, Label, Routine
from mettagrid.compiler.context import Context
from mettagrid.config.filter import AnyFilter
from mettagrid.config.game_value import GameValue
from mettagrid.config.query import ClosureQuery, MaterializedQuery, Query, RaycastQuery

AnyQuery = Query | MaterializedQuery | ClosureQuery | RaycastQuery

DIRECTIONS = {
    "north": (-1, 0),
    "south": (1, 0),
    "west": (0, -1),
    "east": (0, 1),
    "northwest": (-1, -1),
    "northeast": (-1, 1),
    "southwest": (1, -1),
    "southeast": (1, 1),
}
"""(dr, dc) by name, in the order of the orientation codes."""


def call_query(c: Context, r: Routine, query: AnyQuery | str, *, is_frequent: bool = False) -> None:
    """Emit a query; its result is on top of the arena. The result of a query that runs often may be cached."""
    entry = place_query(c, query)
    depends_on_agent = c.in_agent_value and not sharing.depends_on_state_alone(c, entry)
    place = sharing.cache_slot(c, entry, for_agent=c.in_agent_value) if is_frequent or c.in_agent_value else None
    if place is None:
        r.emit("Call", entry)
    else:
        r.emit("CallShared", entry, place, int(depends_on_agent))


def plain_tag(c: Context, query: AnyQuery | str) -> int | None:
    """Return the tag if a query only finds the holders of a tag, else None."""
    if type(query) is Query and not (query.filters or query.order_by) and query.max_items is None:
        with c.at("source"):
            return c.tag(query.source) if isinstance(query.source, str) else None
    if isinstance(query, MaterializedQuery):
        return c.tag(query.tag)
    return c.tag(query) if isinstance(query, str) else None


def place_query(c: Context, query: AnyQuery | str) -> int:
    """Place the routine of a query; a tag means all its holders."""
    r = Routine()
    in_edge, c.in_edge_filter = c.in_edge_filter, False  # a query inside an edge filter has no frontier node
    in_value, c.in_agent_value = c.in_agent_value, False  # ...and inside a query, the target is not the agent
    with c.nested(""):
        if isinstance(query, str):
            r.emit("ScanTag", c.tag(query))
            _emit_scan(c, r, [], None, None)
        elif isinstance(query, MaterializedQuery):
            r.emit("ScanTag", c.tag(query.tag))  # only its tag counts here, not its source and filters
            _emit_scan(c, r, [], None, None)
        elif isinstance(query, ClosureQuery):
            _emit_closure(c, r, query)
        elif isinstance(query, RaycastQuery):
            _emit_raycast(c, r, query)
        else:
            _emit_source(c, r, query.source)
            _emit_scan(c, r, query.filters, query.order_by, query.max_items)
    c.in_edge_filter, c.in_agent_value = in_edge, in_value
    r.emit("Return", 1)
    return c.place(r, "query")


def _emit_source(c: Context, r: Routine, source: AnyQuery | str) -> None:
    """Emit the start of a scan over a tag's holders or over another query's result."""
    with c.at("source"):
        if isinstance(source, str):
            r.emit("ScanTag", c.tag(source))
        else:
            call_query(c, r, source)
            r.emit("ScanResult")


def _emit_scan(
    c: Context, r: Routine, filters: Sequence[AnyFilter], order_by: str | None, max_items: GameValue | int | None
) -> None:
    """Emit the body and end of a scan: filter, shuffle, limit."""
    done = r.label()
    loop = r.here()
    r.emit("ScanNext", jump=done)
    tests.emit_filters(c, r, filters, loop)
    r.emit("ScanKeep", jump=loop)
    r.mark(done)
    if order_by == "random":
        r.emit("ScanShuffle")
    if max_items is not None:
        with c.at("max_items"):
            values.emit_number(c, r, max_items, ACTOR)
        r.emit("ScanLimit")
    r.emit("ScanClose")


def _emit_closure(c: Context, r: Routine, query: ClosureQuery) -> None:
    with c.at("source"):
        call_query(c, r, query.source)
    with c.at("candidates"):
        call_query(c, r, query.candidates)
    r.emit("ClosureOpen")
    done = r.label()
    loop = r.here()
    r.emit("ClosureNext", jump=done)
    c.in_edge_filter = True
    tests.emit_filters(c, r, query.edge_filters, loop, "edge_filters")
    c.in_edge_filter = False
    r.emit("ClosureAdd", jump=loop)
    r.mark(done)
    r.emit("ClosureClose")
    if query.filters or query.order_by or query.max_items is not None:
        r.emit("ScanResult")
        _emit_scan(c, r, query.filters, query.order_by, query.max_items)


def _emit_raycast(c: Context, r: Routine, query: RaycastQuery) -> None:
    with c.at("source"):
        call_query(c, r, query.source)
    emit_rays(c, r, query.directions, query.max_range, query.blocker, include_blocker=query.include_blocker)
    if query.order_by:
        c.warn("order_by of a raycast query has no effect")
    if query.max_items is not None:
        r.emit("ScanResult")
        _emit_scan(c, r, [], None, query.max_items)


def emit_rays(
    c: Context,
    r: Routine,
    directions: Sequence[str],
    max_range: GameValue | int,
    blocker: Sequence[AnyFilter],
    *,
    include_blocker: bool = False,
    spawn: int = -1,
    fail: Label | None = None,
) -> None:
    """Emit rays from the query result (objects on them are the new result), or from the target (fill empty cells).

    Spawning without a target fails and jumps to `fail`.
    """
    steps: list[int] = []
    for name in directions:
        if name not in DIRECTIONS:
            c.error(f"{name!r} is not a direction; allowed: {', '.join(DIRECTIONS)}")
        steps += DIRECTIONS[name]
    first, _ = c.tables.add_list(steps)
    r.emit("RayOpen", first, len(directions), spawn, jump=fail, sense=int(fail is not None))
    done, stop = r.label(), r.label()
    source = r.here()
    r.emit("RaySource", jump=done)
    with c.at("max_range"):
        values.emit_number(c, r, max_range, TARGET)
    r.emit("RayRange")
    loop = r.here()
    r.emit("RayNext", jump=source)
    tests.emit_blockers(c, r, blocker, stop)
    r.emit("RayKeep" if spawn < 0 else "Jump", jump=loop)
    r.mark(stop)
    r.emit("RayStop", int(include_blocker and spawn < 0), jump=loop)
    r.mark(done)
    r.emit("RayClose")

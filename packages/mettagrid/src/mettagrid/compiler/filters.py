"""Compile filters to conditional jumps.

A filter with a name that the game does not have is dropped, as in the published engine: it always passes, and a `not`
around it never does. The compiler warns about it.
"""

from collections.abc import Sequence

from mettagrid.compiler import queries, values
from mettagrid.compiler.code import ACTOR, FRONTIER, TARGET, Label, Routine
from mettagrid.compiler.context import Context
from mettagrid.config._rules import UnreadFilter
from mettagrid.config.filter import (
    AnyFilter,
    GameValueFilter,
    MaxDistanceFilter,
    NotFilter,
    OrFilter,
    PeriodicFilter,
    ResourceFilter,
    SharedTagPrefixFilter,
    TagFilter,
    TagPrefixFilter,
    TargetIsUsableFilter,
    TargetLocEmptyFilter,
    VibeFilter,
)
from mettagrid.config.query import Query

MAX_RADIUS = 46340  # the largest whose square fits in 31 bits; larger than any map


def entity_of(name: str) -> int:
    return ACTOR if str(name) == "actor" else TARGET


def emit_filters(c: Context, r: Routine, filters: Sequence[AnyFilter], fail: Label, field: str = "filters") -> None:
    """Emit all filters in order; the first that does not pass jumps to `fail`."""
    for i, item in enumerate(filters):
        with c.at(field, i), c.nested(""):
            item = _read(c, item)
            if _is_known(c, item):
                _emit_test(c, r, item, fail, when=False)


def emit_any(c: Context, r: Routine, filters: Sequence[AnyFilter], target: Label, field: str) -> None:
    """Emit a jump to `found` if any filter passes."""
    for i, item in enumerate(filters):
        with c.at(field, i), c.nested(""):
            item = _read(c, item)
            if _is_known(c, item):
                _emit_test(c, r, item, target, when=True)


def emit_blockers(c: Context, r: Routine, filters: Sequence[AnyFilter], target: Label) -> None:
    """Emit a jump to `found` if any blocker of a ray passes. A blocker on several resources is several blockers."""
    split: list[AnyFilter] = []
    for item in filters:
        if isinstance(item, ResourceFilter):
            split += [item.model_copy(update={"resources": {name: n}}) for name, n in item.resources.items()]
        else:
            split.append(item)
    emit_any(c, r, split, target, "blocker")


def _read(c: Context, item: AnyFilter) -> AnyFilter:
    """Return the filter, parsed now if it is unread and the game corrects that."""
    if isinstance(item, UnreadFilter) and "composite_filters" in c.corrections:
        try:
            return Query(source="", filters=[item.data]).filters[0]
        except ValueError as error:
            c.error(f"the filter cannot be read: {error}")
    return item


def _is_known(c: Context, item: AnyFilter) -> bool:
    """Return whether the names in a filter that the engine checks exist; warn if not."""
    missing = ""
    match item:
        case UnreadFilter():
            c.warn("a filter given as plain data inside a sum, ratio, maximum or minimum has no effect; give an object")
            return False
        case VibeFilter():
            missing = "" if c.vibes.get(item.vibe) is not None else f"vibe {item.vibe!r}"
        case TagFilter():
            missing = "" if c.tags.get(item.tag) is not None else f"tag {item.tag!r}"
        case ResourceFilter():
            unknown = [name for name in item.resources if c.resources.get(name) is None]
            if unknown:
                c.warn(f"the filter names resources the game does not have and ignores them: {', '.join(unknown)}")
            return len(unknown) < len(item.resources)
    if missing:
        c.warn(f"the filter names the {missing}, which the game does not have; it is dropped and always passes")
    return not missing


def _emit_all(c: Context, r: Routine, tests: Sequence[tuple[str, int, int, int]], jump: Label, when: bool) -> None:
    """Emit several simple tests as one, which is true if all are."""
    skip = r.label()
    for i, (op, *operands) in enumerate(tests):
        last = i == len(tests) - 1
        if when and not last:
            r.test(op, skip, False, *operands)
        else:
            r.test(op, jump, when, *operands)
    r.mark(skip)


def _emit_test(c: Context, r: Routine, item: AnyFilter, jump: Label, when: bool) -> None:
    """Emit a jump if the filter's result equals `when`; otherwise continue."""
    match item:
        case VibeFilter():
            r.test("TestVibe", jump, when, entity_of(item.target), c.vibes.get(item.vibe) or 0)
        case ResourceFilter():
            entity = entity_of(item.target)
            held = [(c.resources.get(name), c.number(n, "resources", name)) for name, n in item.resources.items()]
            tests = [("TestResource", entity, i, amount) for i, amount in held if i is not None]
            _emit_all(c, r, tests, jump, when)
        case TagFilter():
            r.test("TestTag", jump, when, entity_of(item.target), c.tag(item.tag))
        case TagPrefixFilter():
            r.test("TestTagMask", jump, when, entity_of(item.target), c.tag_mask(item.tag_prefix))
        case SharedTagPrefixFilter():
            r.test("TestSharedMask", jump, when, c.tag_mask(item.tag_prefix))
        case MaxDistanceFilter():
            _emit_distance(c, r, item, jump, when)
        case GameValueFilter():
            entity = entity_of(item.target)
            with c.at("value"):
                values.emit_number(c, r, item.value, entity)
            with c.at("min"):
                values.emit_number(c, r, item.min, entity)
            r.test("TestAtLeast", jump, when)
        case NotFilter():
            with c.at("inner"), c.nested("not"):
                if _is_known(c, item.inner):
                    _emit_test(c, r, item.inner, jump, not when)
                else:
                    r.test("TestConst", jump, when, 0)
        case OrFilter():
            _emit_or(c, r, item, jump, when)
        case TargetLocEmptyFilter():
            r.test("TestEmptyCell", jump, when)
        case TargetIsUsableFilter():
            r.test("TestUsable", jump, when)
        case PeriodicFilter():
            period = c.number(item.period, "period", low=1)
            start = period if item.start_on is None else c.number(item.start_on, "start_on")
            r.test("TestPeriodic", jump, when, period, start)
        case _:
            c.error(f"a {type(item).__name__} is not a filter")


def _emit_or(c: Context, r: Routine, item: OrFilter, jump: Label, when: bool) -> None:
    passed = jump if when else r.label()
    emit_any(c, r, item.inner, passed, "inner")
    if not when:
        r.emit("Jump", jump=jump)
        r.mark(passed)


def _emit_distance(c: Context, r: Routine, item: MaxDistanceFilter, jump: Label, when: bool) -> None:
    limit = min(item.radius, MAX_RADIUS) ** 2 if item.radius > 0 else -1
    entity = entity_of(item.target)
    if item.query is None:
        other = FRONTIER if c.in_edge_filter else ACTOR
        r.test("TestDistance", jump, when, entity, other, limit)
        return
    # Without the entity the query does not run, which matters if it draws random numbers.
    skip = r.label()
    r.test("TestPresent", skip if when else jump, False, entity)
    with c.at("query"):
        tag = queries.plain_tag(c, item.query)
        if tag is None:
            queries.call_query(c, r, item.query, is_frequent=True)
    if tag is None:
        r.test("TestNearResult", jump, when, entity, 0, limit)
    else:
        r.test("TestNearTag", jump, when, entity, tag, limit)
    r.mark(skip)

"""Compile handler trees to routines that succeed or fail."""

from collections.abc import Mapping, Sequence

from mettagrid.compiler.code import Label, Routine
from mettagrid.compiler.context import Context
from mettagrid.compiler.filters import emit_filters
from mettagrid.compiler.mutations import emit_mutations
from mettagrid.config.filter import AnyFilter
from mettagrid.config.handler_config import AllOf, FirstMatch, Handler
from mettagrid.config.mutation import AnyMutation

AnyHandler = Handler | FirstMatch | AllOf


def place_handler(c: Context, handler: AnyHandler | None) -> int:
    """Place the routine of a handler tree and return its entry; 0 for none."""
    if handler is None:
        return 0
    r = Routine()
    success, failure = r.label(), r.label()
    _emit_tree(c, r, handler, success, failure)
    r.mark(success)
    r.emit("Return", 1)
    r.mark(failure)
    r.emit("Return", 0)
    return c.place(r, getattr(handler, "name", ""))


def place_tick(c: Context, handler: AnyHandler | None) -> int:
    """Place the routine of a handler tree whose success does not matter; return 0 for none."""
    if handler is None:
        return 0
    r = Routine()
    end = r.label()
    _emit_tree(c, r, handler, end, end)
    r.mark(end)
    r.emit("Return", 1)
    return c.place(r, getattr(handler, "name", ""))


def place_after_use(c: Context, handler: AnyHandler | None) -> int:
    """Place the routine of an `on_after_use_handler`: it fails if the last handler that reached its mutations failed.

    Whether filters passed does not matter; this is how the published engine decides whether the use succeeded.
    """
    if handler is None:
        return 0
    r = Routine()
    failed, done = r.label(), r.label()
    r.emit("FlagPush")
    _emit_tree(c, r, handler, done, done, failure_flag=0)
    r.mark(done)
    r.test("FlagPop", failed, True)
    r.emit("Return", 1)
    r.mark(failed)
    r.emit("Return", 0)
    return c.place(r, getattr(handler, "name", ""))


def place_all(c: Context, handlers: Mapping[str, Handler], *, checks_failure: bool) -> int:
    """Place one routine that tries every handler of a dict in order; return 0 for an empty dict."""
    if not handlers:
        return 0
    r = Routine()
    for name, handler in handlers.items():
        with c.at(name):
            following = r.label()
            emit_filters(c, r, handler.filters, following)
            emit_mutations(c, r, handler.mutations, following if checks_failure else None)
            r.mark(following)
    r.emit("Return", 1)
    return c.place(r, "")


def place_filters(c: Context, filters: Sequence[AnyFilter]) -> int:
    """Place a routine that succeeds if all filters pass; return 0 if there are none."""
    if not filters:
        return 0
    r = Routine()
    failure = r.label()
    emit_filters(c, r, filters, failure)
    r.emit("Return", 1)
    r.mark(failure)
    r.emit("Return", 0)
    return c.place(r, "")


def place_mutations(c: Context, mutations: Sequence[AnyMutation]) -> int:
    """Place a routine that applies all mutations and ignores failures; return 0 if there are none."""
    if not mutations:
        return 0
    r = Routine()
    emit_mutations(c, r, mutations, None)
    r.emit("Return", 1)
    return c.place(r, "")


def _emit_tree(
    c: Context, r: Routine, handler: AnyHandler, success: Label, failure: Label, failure_flag: int | None = None
) -> None:
    """Emit a handler tree that ends in a jump to one of the labels.

    `failure_flag`: depth in the flag stack at which to record whether mutations failed; None: not recorded.
    """
    if isinstance(handler, Handler):
        with c.nested(handler.name or "handler"):
            _emit_leaf(c, r, handler, success, failure, failure_flag)
    elif isinstance(handler, FirstMatch):
        with c.nested("first_match"):
            for i, child in enumerate(handler.handlers):
                following = r.label()
                with c.at("handlers", i):
                    _emit_tree(c, r, child, success, following, failure_flag)
                r.mark(following)
            r.emit("Jump", jump=failure)
    else:
        with c.nested("all_of"):
            _emit_all_of(c, r, handler, success, failure, failure_flag)


def _emit_leaf(
    c: Context, r: Routine, handler: Handler, success: Label, failure: Label, failure_flag: int | None
) -> None:
    emit_filters(c, r, handler.filters, failure)
    if failure_flag is None:
        emit_mutations(c, r, handler.mutations, failure, handler.name)
        r.emit("Jump", jump=success)
        return
    failed = r.label()
    emit_mutations(c, r, handler.mutations, failed, handler.name)
    r.emit("FlagSet", failure_flag, 0)
    r.emit("Jump", jump=success)
    r.mark(failed)
    r.emit("FlagSet", failure_flag, 1)
    r.emit("Jump", jump=failure)


def _emit_all_of(
    c: Context, r: Routine, handler: AllOf, success: Label, failure: Label, failure_flag: int | None
) -> None:
    if success == failure and failure_flag is None:
        for i, child in enumerate(handler.handlers):
            following = r.label()
            with c.at("handlers", i):
                _emit_tree(c, r, child, following, following)
            r.mark(following)
        r.emit("Jump", jump=success)
        return
    deeper = None if failure_flag is None else failure_flag + 1
    r.emit("FlagPush")
    for i, child in enumerate(handler.handlers):
        done, following = r.label(), r.label()
        with c.at("handlers", i):
            _emit_tree(c, r, child, done, following, deeper)
        r.mark(done)
        r.emit("FlagSet", 0, 1)
        r.mark(following)
    r.test("FlagPop", success, True)
    r.emit("Jump", jump=failure)

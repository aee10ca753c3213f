"""Whether an exception is a clean refusal: one of the package's own, raised on purpose, with a sentence.

Everything else is a leak: a KeyError from some table, a RecursionError, what numpy or Python say about memory, text of
a C++ library.
"""

from __future__ import annotations

import dis
import re
from types import TracebackType

from pydantic import ValidationError

PLAIN = (ValueError, TypeError, RuntimeError)
"""Types that may be raised as they are; subclasses of them only when they are the package's own."""


def is_clean(error: BaseException) -> bool:
    """Whether the package refuses in the way it documents."""
    if not is_sentence(str(error)):
        return False
    if isinstance(error, ValidationError):
        return True
    if type(error) not in PLAIN and type(error).__module__.split(".")[0] != "mettagrid":
        return False
    innermost = last_frame(error)
    # The engine's own faults come out of the extension, which has no frames.
    return innermost is None or is_raise(innermost) or type(error) is RuntimeError


def is_sentence(text: str) -> bool:
    return len(text) >= 12 and " " in text


def is_raise(traceback: TracebackType) -> bool:
    """Whether a frame ends in a `raise` statement of the package, and not in something that a call did."""
    if package_of(traceback) != "mettagrid":
        return False
    code, at = traceback.tb_frame.f_code, traceback.tb_lasti
    return any(op.offset == at and op.opname == "RAISE_VARARGS" for op in dis.get_instructions(code))


def last_frame(error: BaseException) -> TracebackType | None:
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return frame


def package_of(traceback: TracebackType) -> str:
    return str(traceback.tb_frame.f_globals.get("__name__", "")).split(".")[0]


def where(error: BaseException) -> str:
    """`module:line function` of the last frame inside the package."""
    found = "outside the package"
    frame = error.__traceback__
    while frame is not None:
        if package_of(frame) == "mettagrid":
            name = frame.tb_frame.f_globals["__name__"]
            found = f"{name}:{frame.tb_lineno} {frame.tb_frame.f_code.co_name}"
        frame = frame.tb_next
    return found


def signature(error: BaseException) -> str:
    """The error without what differs from case to case: equal ones are one finding."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", str(error).split("\n")[0])
    return f"{type(error).__name__}: {re.sub(r'[0-9]+', 'N', text)[:160]}"

"""Decide whether an exception is a clean refusal: one of the package's own, raised on purpose, with a sentence.

Everything else is a leak: a KeyError from some table, a RecursionError, what numpy or Python say about memory, text of
a C++ library.
"""

from __future__ import annotations

import dis
import linecache
import re
from types import TracebackType

from pydantic import ValidationError

PLAIN = (ValueError, TypeError, RuntimeError)
"""Types that may be raised as they are; subclasses of them only when they are the package's own."""

EXTENSION_CALL = re.compile(r"(\w+\.step|_native\.\w+(\.__init__)?|super\(\)\.__init__|\w+\._\w+)\(")


def is_clean(error: BaseException) -> bool:
    """Return whether the package refuses in the way it documents."""
    if not is_sentence(str(error)):
        return False
    if isinstance(error, ValidationError):
        return True
    if type(error) not in PLAIN and type(error).__module__.split(".")[0] != "mettagrid":
        return False
    innermost = last_frame(error)
    if innermost is None or package_of(innermost) != "mettagrid":
        return type(error) is RuntimeError  # the extension, called by a test without the package between
    return is_raise(innermost) or is_call_of_extension(innermost)


def is_sentence(text: str) -> bool:
    return len(text) >= 12 and " " in text


def is_raise(traceback: TracebackType) -> bool:
    """Return whether a frame ends in a `raise` statement, and not in something that a call did."""
    code, at = traceback.tb_frame.f_code, traceback.tb_lasti
    return any(op.offset == at and op.opname == "RAISE_VARARGS" for op in dis.get_instructions(code))


def is_call_of_extension(traceback: TracebackType) -> bool:
    """Return whether a frame ends in a call of the extension, such as `world.step()`, which has no frames."""
    code = traceback.tb_frame.f_code
    line, end_line, column, end_column = list(code.co_positions())[traceback.tb_lasti // 2]
    if line is None or end_line is None or column is None or end_column is None:
        return False
    text = "".join(linecache.getline(code.co_filename, number) for number in range(line, end_line + 1))
    call = text.encode()[column : len(text.encode()) if end_line > line else end_column].decode()
    return bool(EXTENSION_CALL.match(call))


def last_frame(error: BaseException) -> TracebackType | None:
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return frame


def package_of(traceback: TracebackType) -> str:
    return str(traceback.tb_frame.f_globals.get("__name__", "")).split(".")[0]


def where(error: BaseException) -> str:
    """`module:line function` of the last frame inside the package."""
    place = "outside the package"
    frame = error.__traceback__
    while frame is not None:
        if package_of(frame) == "mettagrid":
            name = frame.tb_frame.f_globals["__name__"]
            place = f"{name}:{frame.tb_lineno} {frame.tb_frame.f_code.co_name}"
        frame = frame.tb_next
    return place


def signature(error: BaseException) -> str:
    """Return the error without what differs from case to case: equal ones are one finding."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"|(?<=last )\S+(?=;)", "'...'", str(error).split("\n")[0])
    return f"{type(error).__name__}: {re.sub(r'[0-9]+', 'N', text)[:160]}"

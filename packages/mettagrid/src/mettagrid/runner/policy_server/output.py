"""Label the output of a policy process: unbuffered, in one stream, each line with the step and the agent.

    [step 12 agent 3] I see a chest

Lines that are printed while the policy loads have no label. Output of child processes and native code has none either,
but appears in order in the same stream.
"""

from __future__ import annotations

import faulthandler
import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from mettagrid.runner.author_traceback import author_traceback

__all__ = ["arrange_output", "print_failure", "speak_as", "tell_if_longer"]

_STREAM = 1
_lock = threading.Lock()
_label = b""
_at_line_start = True
_is_arranged = False


def speak_as(step: int | None = None, agent: int | None = None) -> None:
    """Label the output from now on with this step and this agent; None means all agents."""
    global _label
    agent_label = "" if agent is None else f" agent {agent}"
    _label = b"" if step is None else f"[step {step}{agent_label}] ".encode()


def arrange_output() -> None:
    """Merge stdout and stderr of this process and its children into one stream, and log native crashes there."""
    global _is_arranged
    _is_arranged = True
    os.dup2(_STREAM, 2)
    sys.stdout, sys.stderr = _stream(), _stream()
    faulthandler.enable(file=2)
    sys.excepthook = _report


@contextmanager
def tell_if_longer(seconds: float) -> Iterator[None]:
    """Log a stack dump if the code inside takes longer than this."""
    if not _is_arranged:
        yield
        return
    faulthandler.dump_traceback_later(seconds, file=2)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def print_failure(error: BaseException) -> None:
    """Write a policy's exception to the log, with the frames of its own code."""
    with _lock:
        start = b"" if _at_line_start else b"\n"
        where = _label.decode().strip("[] ")
        text = f"{FAILED}{' at ' + where if where else ''}:\n{author_traceback(error)}"
    sys.stderr.write(start.decode())
    speak_as()
    sys.stderr.write(text)


#: The line before the traceback of a policy that raised an exception begins with this.
FAILED = "The policy failed"


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    print_failure(error)


def _stream() -> io.TextIOWrapper:
    # Bytes go through `buffer`, as in any text stream; neither layer buffers.
    return io.TextIOWrapper(_Labelled(), encoding="utf-8", errors="backslashreplace", write_through=True)


class _Labelled(io.RawIOBase):
    """Writes bytes to the log; each line gets the label that is current when it begins."""

    name = "<log>"

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return _STREAM

    def write(self, data: object) -> int:
        global _at_line_start
        text = bytes(data)  # type: ignore[call-overload]
        if not text:
            return 0
        with _lock:
            labelled = text
            if _label:
                lines = text.split(b"\n")
                joined = (b"\n" + _label).join(lines[:-1] + ([lines[-1]] if lines[-1] else []))
                labelled = (_label if _at_line_start else b"") + joined + (b"" if lines[-1] else b"\n")
            _at_line_start = text.endswith(b"\n")
            _write_all(labelled)
        return len(text)


def _write_all(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(_STREAM, view) :]

"""Where text goes: data to stdout, everything else to stderr. Plain when nobody looks at a terminal, or asks for it."""

from __future__ import annotations

import gc
import io
import logging
import os
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any, Literal, TextIO

__all__ = [
    "Format",
    "deprecated",
    "hint",
    "note",
    "print_data",
    "print_table",
    "printed_text",
    "prints_to_stderr",
    "show_log",
    "table",
    "warn",
]

Format = Literal["yaml", "json"]

_CODES = {"bold": "1", "red": "31", "yellow": "33", "cyan": "36"}


def print_data(document: Any, kind: Format) -> None:
    """One document and nothing else on stdout; keys keep their order. Numbers that JSON does not have become null."""
    document = _finite(document)
    if kind == "json":
        import json

        print(json.dumps(document, indent=2, allow_nan=False))
        return
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    print(yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=True), end="")


def print_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    right: Sequence[int] = (),
    file: TextIO | None = None,
) -> None:
    """A table with an empty line before it; see `table`."""
    stream = file or sys.stdout
    if title:
        print(f"\n{styled(title, 'bold', stream)}", file=stream)
    print(table(headers, rows, right=right), file=stream)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[int] = ()) -> str:
    """Aligned columns under a line; `right` are the columns of numbers. The width of the terminal plays no part."""
    lines = [[str(cell) for cell in row] for row in (headers, *rows)]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(headers))]
    lines.insert(1, ["-" * width for width in widths])

    def cell(text: str, column: int) -> str:
        space = " " * (widths[column] - _width(text))
        return space + text if column in right else text + space

    return "\n".join("  ".join(cell(text, column) for column, text in enumerate(line)).rstrip() for line in lines)


def printed_text(show: Callable[[], None]) -> str:
    """Return what `show` prints on stdout."""
    buffer = io.StringIO()
    with redirect_stdout(buffer):
        show()
    return buffer.getvalue()


def note(text: str) -> None:
    """Something a person may want to know."""
    print(text, file=sys.stderr)


def warn(text: str) -> None:
    """Something that works, but not as it was asked for."""
    print(f"{styled('warning:', 'yellow', sys.stderr)} {text}", file=sys.stderr)


def show_log() -> None:
    """Let warnings of the library be seen as ours are, before it sets up a log of its own."""
    root = logging.getLogger()
    if not any(isinstance(handler, _Warnings) for handler in root.handlers):
        root.addHandler(_Warnings(logging.WARNING))
    warnings.showwarning = _show_warning


class _Warnings(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        warn(record.getMessage())


def _show_warning(message: Warning | str, *place: object, **more: object) -> None:
    warn(str(message))


def hint(text: str) -> None:
    """What may help."""
    print(f"{styled('hint:', 'cyan', sys.stderr)} {text}", file=sys.stderr)


def deprecated(old: str, new: str) -> None:
    """An older spelling was used."""
    warn(f"`{old}` is an older spelling; write `{new}`")


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Code of policies runs inside: whatever it prints, in Python or below, goes to stderr."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    sys.stdout.flush()
    with redirect_stdout(sys.stderr):
        try:
            kept = os.dup(1)
        except OSError:  # there is no stdout
            yield
            return
        try:
            os.dup2(2, 1)
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 1)
            os.close(kept)


def styled(text: str, style: str, stream: TextIO) -> str:
    """The text with colour where the stream is a terminal and `NO_COLOR` is not set."""
    if os.environ.get("NO_COLOR") or not stream.isatty():
        return text
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def _width(text: str) -> int:
    """Columns on a terminal: wide letters and most symbols take two, marks none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value

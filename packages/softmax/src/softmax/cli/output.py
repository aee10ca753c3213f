"""Output of commands: data on stdout, everything else on stderr; colours only on a terminal and without `NO_COLOR`."""

from __future__ import annotations

import io
import logging
import os
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "Format",
    "deprecated",
    "hint",
    "note",
    "print_data",
    "print_json",
    "print_table",
    "printed_text",
    "show_log",
    "table",
    "warn",
]

Format = Literal["yaml", "json"]

_CODES = {"bold": "1", "red": "31", "yellow": "33", "cyan": "36"}


def print_data(document: Any, kind: Format) -> None:
    """Print one document and nothing else on stdout, keys in their order. NaN and infinities become null."""
    document = _finite(document)
    if kind == "json":
        import json

        print(json.dumps(document, indent=2, allow_nan=False))
        return
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    print(yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=True), end="")


def print_json(document: BaseModel) -> None:
    """Print a model as one JSON document and nothing else on stdout."""
    print(document.model_dump_json(indent=2, by_alias=True))


def print_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    right: Sequence[int] = (),
    file: TextIO | None = None,
) -> None:
    """Print a table below its title; see `table`."""
    stream = file or sys.stdout
    if title:
        print(f"\n{styled(title, 'bold', stream)}", file=stream)
    print(table(headers, rows, right=right), file=stream)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[int] = ()) -> str:
    """Return aligned columns under a header line, whatever the terminal's width; `right` are the columns of numbers."""
    lines = [[str(cell) for cell in row] for row in (headers, *rows)]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(headers))]
    lines.insert(1, ["-" * width for width in widths])

    def cell(text: str, column: int) -> str:
        space = " " * (widths[column] - _width(text))
        return space + text if column in right else text + space

    return "\n".join("  ".join(cell(text, column) for column, text in enumerate(line)).rstrip() for line in lines)


def printed_text(show: Callable[[], None]) -> str:
    """Call `show` and return the text it prints on stdout."""
    buffer = io.StringIO()
    with redirect_stdout(buffer):
        show()
    return buffer.getvalue()


def note(text: str) -> None:
    """Print a remark on stderr."""
    print(text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Print a warning on stderr."""
    note(f"{styled('warning:', 'yellow', sys.stderr)} {text}")


def show_log() -> None:
    """Show warnings of libraries as our own, unless they configure logging themselves."""
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
    """Print a hint on stderr."""
    note(f"{styled('hint:', 'cyan', sys.stderr)} {text}")


def deprecated(old: str, new: str) -> None:
    """Warn that a command or option has a newer spelling."""
    warn(f"`{old}` is an older spelling; write `{new}`")


def styled(text: str, style: str, stream: TextIO) -> str:
    """Colour the text where the stream is a terminal and `NO_COLOR` is unset."""
    if os.environ.get("NO_COLOR") or not stream.isatty():
        return text
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def _width(text: str) -> int:
    """Count columns on a terminal: wide letters and most symbols take two, combining marks none."""
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

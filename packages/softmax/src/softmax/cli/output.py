"""Output of commands: data on stdout, everything else on stderr; colours only on a terminal and without `NO_COLOR`."""

from __future__ import annotations

import io
import logging
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TextIO

from softmax.cli.tables import table
from softmax.cli.text import decimal, encodable, survive_encoding, terminal_width

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "Format",
    "command_line",
    "decimal",
    "deprecated",
    "hint",
    "note",
    "print_data",
    "print_error",
    "print_json",
    "print_table",
    "printed_text",
    "show_log",
    "table",
    "warn",
]

Format = Literal["yaml", "json"]

_CODES = {"bold": "1", "red": "31", "yellow": "33", "cyan": "36"}
_PACKAGES = ("softmax", "cogames", "coworld")
"""whose messages `--verbose` shows"""


@dataclass
class Settings:
    """Options of the whole program."""

    quiet: bool = False
    verbose: bool = False
    fields: list[str] = field(default_factory=list)
    """fields to print of a JSON document; all if empty"""


settings = Settings()
"""of the command that runs; `Program.main` sets them"""


def configure(*, quiet: bool = False, verbose: bool = False) -> None:
    """Prepare the streams for a command."""
    settings.quiet, settings.verbose, settings.fields = quiet, verbose, []
    survive_encoding(sys.stdout, sys.stderr)


def print_data(document: Any, kind: Format) -> None:
    """Print one document and nothing else on stdout, keys in their order. NaN and infinities become null."""
    document = _chosen(_finite(document))
    if kind == "json":
        import json

        print(json.dumps(document, indent=2, allow_nan=False))
        return
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    print(yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=_is_unicode(sys.stdout)), end="")


def print_json(document: BaseModel) -> None:
    """Print a model as one JSON document and nothing else on stdout."""
    if not settings.fields and _is_unicode(sys.stdout):
        print(document.model_dump_json(indent=2, by_alias=True))
    else:
        print_data(document.model_dump(mode="json", by_alias=True), "json")


def print_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    right: Sequence[int] = (),
    ids: Sequence[int] = (),
    file: TextIO | None = None,
) -> None:
    """Print a table below its title, not wider than the terminal; see `table`."""
    stream = file or sys.stdout
    if title:
        print(f"\n{styled(title, 'bold', stream)}", file=stream)
    width = terminal_width(stream)
    print(
        table(headers, rows, right=right, ids=ids, width=width, spell=lambda text: encodable(text, stream)), file=stream
    )


def command_line(*words: object) -> str:
    """Join words to a command that a shell reads as these words."""
    return shlex.join(map(str, words))


def printed_text(show: Callable[[], None]) -> str:
    """Call `show` and return the text it prints on stdout."""
    buffer = io.StringIO()
    with redirect_stdout(buffer):
        show()
    return buffer.getvalue()


def note(text: str) -> None:
    """Print a remark on stderr; `--quiet` hides it."""
    if not settings.quiet:
        print_error(text)


def print_error(text: str) -> None:
    """Print a line on stderr, also with `--quiet`, after what stdout has so far: both may go to one file."""
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """Print a warning on stderr."""
    print_error(f"{styled('warning:', 'yellow', sys.stderr)} {text}")


def show_log() -> None:
    """Show warnings of libraries as our own, unless they configure logging themselves; with `--verbose` also details.

    Details are messages of our own packages, such as one line per request to a server.
    """
    root = logging.getLogger()
    handler = next((handler for handler in root.handlers if isinstance(handler, _Messages)), None)
    if handler is None:
        handler = _Messages()
        root.addHandler(handler)
    handler.setLevel(logging.INFO if settings.verbose else logging.WARNING)
    for name in _PACKAGES:
        logging.getLogger(name).setLevel(logging.INFO if settings.verbose else logging.NOTSET)
    warnings.showwarning = _show_warning


class _Messages(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            warn(record.getMessage())
        elif record.name.partition(".")[0] in _PACKAGES:
            print_error(record.getMessage())


def _show_warning(message: Warning | str, *place: object, **more: object) -> None:
    warn(str(message))


def hint(text: str) -> None:
    """Print a hint on stderr; `--quiet` hides it."""
    note(f"{styled('hint:', 'cyan', sys.stderr)} {text}")


def deprecated(old: str, new: str) -> None:
    """Warn that a command or option has a newer spelling."""
    warn(f"`{old}` is an older spelling; write `{new}`")


def styled(text: str, style: str, stream: TextIO) -> str:
    """Colour the text where the stream is a terminal and `NO_COLOR` is unset."""
    if os.environ.get("NO_COLOR") or not stream.isatty():
        return text
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def _is_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")


def _chosen(document: Any) -> Any:
    if not settings.fields:
        return document
    from softmax.cli.fields import choose_fields

    return choose_fields(document, settings.fields)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value

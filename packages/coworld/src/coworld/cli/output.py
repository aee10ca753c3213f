"""Where text goes: data to stdout, everything else to stderr. Plain when nobody looks at a terminal, or asks for it."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["CommandError", "UsageError", "fail", "hint", "note", "print_json", "report"]

_CODES = {"red": "31", "yellow": "33", "cyan": "36"}


class CommandError(Exception):
    """The command is refused or has failed: one sentence, and what may help. Exit code 1."""

    def __init__(self, message: str, *, hint: str | None = None, kind: str = "failed") -> None:
        super().__init__(message)
        self.hint = hint
        self.kind = kind


class UsageError(CommandError):
    """The words on the command line make no sense together. Exit code 2."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint, kind="usage")


def fail(message: str, *, hint: str | None = None) -> NoReturn:
    """End the command with exit code 1."""
    raise CommandError(message, hint=hint)


def print_json(document: BaseModel) -> None:
    """One document and nothing else on stdout."""
    print(document.model_dump_json(indent=2, by_alias=True))


def note(text: str) -> None:
    """Something a person may want to know."""
    print(text, file=sys.stderr, flush=True)


def hint(text: str) -> None:
    """What may help."""
    note(f"{styled('hint:', 'cyan', sys.stderr)} {text}")


def report(kind: str, message: str, help_text: str | None, *, as_json: bool) -> None:
    """Tell an error on stderr; with `--json` the one document on stdout says it too."""
    note(f"{styled('Error:', 'red', sys.stderr)} {message}")
    if help_text:
        hint(help_text)
    if as_json:
        print(json.dumps({"error": {"type": kind, "message": message, "hint": help_text}}, indent=2))


def styled(text: str, style: str, stream: TextIO) -> str:
    """The text with colour where the stream is a terminal and `NO_COLOR` is not set."""
    if os.environ.get("NO_COLOR") or not stream.isatty():
        return text
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"

"""Errors as users see them: one sentence, hints, an exit code.

A command raises `CommandError` (or calls `fail`) to end with its own message. Library exceptions with `hints` or a
`hint` are shown with them. ValueErrors and OSErrors of our packages carry a message for users and are shown unchanged.
Anything else is a defect, shown with its type.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from softmax.cli.output import print_error, styled

__all__ = [
    "INTERRUPTED",
    "CommandError",
    "Explanation",
    "UsageError",
    "explain",
    "fail",
    "hints_of",
    "is_interrupt",
    "report",
    "usage_message",
]

INTERRUPTED = 130
"""exit code after Ctrl-C, by the convention of shells"""


class CommandError(Exception):
    """The command is refused or has failed; exit code 1."""

    exit_code = 1

    def __init__(self, message: str, hints: Sequence[str] = (), *, kind: str = "failed") -> None:
        super().__init__(message)
        self.hints = list(hints)
        self.kind = kind


class UsageError(CommandError):
    """The words on the command line contradict each other; exit code 2."""

    exit_code = 2

    def __init__(self, message: str, hints: Sequence[str] = ()) -> None:
        super().__init__(message, hints, kind="usage")


@dataclass(frozen=True)
class Explanation:
    """An error for users. `context` are lines to print first, such as the frames of a policy's own code."""

    message: str
    hints: Sequence[str] = ()
    kind: str = "failed"
    exit_code: int = 1
    context: Sequence[str] = ()


def fail(message: str, *hints: str) -> NoReturn:
    """End the command with exit code 1."""
    raise CommandError(message, hints)


def explain(error: BaseException, packages: Sequence[str]) -> Explanation:
    """Explain an error; exceptions of `packages` carry a message for users."""
    if is_interrupt(error):
        return Explanation("Interrupted", kind="interrupted", exit_code=INTERRUPTED)
    if isinstance(error, CommandError):
        return Explanation(str(error), error.hints, error.kind, error.exit_code)
    kind = getattr(error, "error_type", None)
    kind = kind if isinstance(kind, str) else _kind(type(error).__name__)
    hints = hints_of(error)
    if hints is not None or _package(type(error).__module__) in packages:
        return Explanation(str(error) or type(error).__name__, hints or (), kind)
    if isinstance(error, OSError) and error.strerror is not None:
        place = f": {error.filename}" if error.filename is not None else ""
        return Explanation(f"{error.strerror}{place}", kind="file")
    first = (str(error).splitlines() or [""])[0]
    if isinstance(error, OSError) and first and _raised_in(error) in packages:
        return Explanation(first, kind="file")
    if not isinstance(error, ValueError) or _raised_in(error) not in packages:
        first, kind = f"{type(error).__name__}: {first}", "internal"
    return Explanation(first, ["run it again with --debug to see where this happened"], kind)


def is_interrupt(error: BaseException) -> bool:
    """Return whether the user has pressed Ctrl-C; Typer turns some interrupts into its own `Abort`."""
    return isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort"


def hints_of(error: BaseException) -> list[str] | None:
    """Return the hints of an exception that has `hints` or a `hint`; None for any other exception."""
    hints = getattr(error, "hints", None)
    if isinstance(hints, list):
        return hints
    single = getattr(error, "hint", None)
    return [single] if isinstance(single, str) and single else None


def report(explanation: Explanation, *, as_json: bool = False) -> None:
    """Print an explanation on stderr; with `as_json` also as the one document on stdout."""
    for line in explanation.context:
        print_error(f"  {line}".rstrip())
    print_error(_line(explanation.message))
    for text in explanation.hints:
        print_error(f"{styled('hint:', 'cyan', sys.stderr)} {text}")
    if as_json:
        first = explanation.hints[0] if explanation.hints else None
        error = {"type": explanation.kind, "message": explanation.message, "hint": first}
        print(json.dumps({"error": error}, indent=2))


def usage_message(error: BaseException) -> str | None:
    """Return the message for words that make no command; None for any other error.

    These are Typer's own exceptions, which have no public name; the help of a group called without arguments is one.
    """
    if getattr(error, "exit_code", None) != 2 or not hasattr(error, "format_message"):
        return None
    message = str(error.format_message())
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError" or context is None:
        return message
    return f"{_line(message)}\n{styled('hint:', 'cyan', sys.stderr)} see `{context.command_path} --help`"


def _line(message: str) -> str:
    return f"{styled('Error:', 'red', sys.stderr)} {message}"


def _kind(name: str) -> str:
    """Turn `ManifestError` into `manifest`."""
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")
    return words.removesuffix("_error") or "error"


def _package(module: str) -> str:
    return module.partition(".")[0]


def _raised_in(error: BaseException) -> str:
    """Return the package whose code raised the error."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return "" if place is None else _package(str(place.tb_frame.f_globals.get("__name__", "")))

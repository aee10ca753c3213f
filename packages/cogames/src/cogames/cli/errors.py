"""What goes wrong, told in one line with hints.

A `CommandError` is what a command itself refuses. Errors of the library are ValueErrors and OSErrors with a sentence
that says what to do; they are shown as they are. Everything else is a mistake of ours or of a policy's code.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from cogames.cli.output import hint, styled

__all__ = ["CommandError", "fail", "report", "usage_message"]

OURS = ("cogames", "mettagrid", "cogsguard", "cogbox")


class CommandError(Exception):
    """The command is refused or has failed: one sentence, and what may help."""

    def __init__(self, message: str, hints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.hints = list(hints)


def fail(message: str, *hints: str) -> NoReturn:
    """End the command with exit code 1."""
    raise CommandError(message, hints)


def usage_message(error: BaseException) -> str | None:
    """What to say when the words on the command line make no command; None for any other error.

    These are Typer's own exceptions, which have no public name; the help of a group called without arguments is one.
    """
    if getattr(error, "exit_code", None) != 2 or not hasattr(error, "format_message"):
        return None
    message = str(error.format_message())
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError" or context is None:
        return message
    path = context.command_path
    return f"{_line('Error', message)}\n{styled('hint:', 'cyan', sys.stderr)} see `{path} --help`"


def report(error: BaseException) -> int:
    """Tell an error on stderr and return the exit code."""
    message, hints = _explain(error)
    words = str(getattr(error, "last_words", ""))  # of a policy that could not be made
    if "File " in words:
        for line in words.splitlines():
            print(f"  {line}".rstrip(), file=sys.stderr)
    print(_line("Error", message), file=sys.stderr)
    for text in hints:
        hint(text)
    return 1


def _line(label: str, message: str) -> str:
    return f"{styled(f'{label}:', 'red', sys.stderr)} {message}"


def _explain(error: BaseException) -> tuple[str, list[str]]:
    hints = getattr(error, "hints", None)  # of a CommandError, or of an error of `cogames.client`
    if isinstance(hints, list):
        return str(error), hints
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        return "Stopped", []
    if _is_ours(error):
        return str(error) or type(error).__name__, _hints(error)
    if isinstance(error, OSError) and error.strerror is not None:
        place = f": {error.filename}" if error.filename is not None else ""
        return f"{error.strerror}{place}", []
    first = (str(error).splitlines() or [""])[0]
    if not isinstance(error, ValueError) or _raised_in(error) not in OURS:
        first = f"{type(error).__name__}: {first}"
    return first, ["run it again with --debug to see where this happened"]


def _is_ours(error: BaseException) -> bool:
    """Whether the message was written for people: an exception class of our packages, raised with a sentence."""
    return type(error).__module__.partition(".")[0] in OURS


def _raised_in(error: BaseException) -> str:
    """The package whose code raised it."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return "" if place is None else str(place.tb_frame.f_globals.get("__name__", "")).partition(".")[0]


def _hints(error: BaseException) -> list[str]:
    """What may help when a policy cannot be made; the exception itself stays in the worker that tried."""
    from cogames.policy_args import policy_error_hints

    cause = error.__cause__
    if cause is None and getattr(error, "error_type", None) == "ModuleNotFoundError":
        cause = ModuleNotFoundError(str(error))
    return policy_error_hints(cause) if isinstance(cause, Exception) else []

"""Errors that a user or an author can fix, as one tree.

    CoworldError                a sentence that says what is wrong, and a hint with what to do about it
    ├── DocumentError           a manifest, request or config that breaks its rules; has `problems`
    │   └── ManifestError       the same for a `coworld_manifest.json`
    ├── SourceError             something named by a path or an address that cannot be read
    │   ├── MissingFileError    a `FileNotFoundError` too
    │   ├── InvalidJsonError    a `json.JSONDecodeError` too
    │   └── NotAnObjectError    a `TypeError` too
    └── BundleError             an episode bundle that cannot be made or read

They are `ValueError`s, as scripts written for the published package expect; those scripts also catch the classes of the
standard library.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "BundleError",
    "CoworldError",
    "DocumentError",
    "InvalidJsonError",
    "ManifestError",
    "MissingFileError",
    "NotAnObjectError",
    "Problem",
    "SourceError",
]


class CoworldError(ValueError):
    """An error that the author of a Coworld or the user of a command can fix."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Problem:
    """One broken rule: where (`variants[0].game_config.width`; "" is the whole document), what, and the fix."""

    path: str
    message: str
    fix: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class DocumentError(CoworldError):
    """A document that breaks rules. `problems` lists every known one, in the order of the checks.

    The text of the error is that of the first problem. Rules that concern several fields have a fixed sentence, which
    is the text; a problem with the shape of one field reads `path: what`.
    """

    def __init__(self, problems: Sequence[Problem], *, text: str | None = None) -> None:
        first = problems[0]
        super().__init__(text or str(first), hint=first.fix)
        self.problems = tuple(problems)


class ManifestError(DocumentError):
    """A `coworld_manifest.json` that breaks rules."""


class SourceError(CoworldError):
    """A path or an address that cannot be read."""


class MissingFileError(SourceError, FileNotFoundError):
    """A path without a file."""

    def __init__(self, path: object, *, hint: str) -> None:
        self.filename = str(path)
        self.errno, self.strerror = errno.ENOENT, "No such file or directory"
        super().__init__(f"{path} could not be read: {self.strerror}", hint=hint)

    def __str__(self) -> str:
        return str(self.args[0])


class InvalidJsonError(SourceError, json.JSONDecodeError):
    """Text that is not JSON; has the position of the first error."""

    def __init__(self, name: str, error: json.JSONDecodeError, *, hint: str) -> None:
        where = f"line {error.lineno}, column {error.colno}"
        ValueError.__init__(self, f"{name} is not JSON at {where}: {error.msg}")
        self.hint = hint
        self.msg, self.doc, self.pos = error.msg, error.doc, error.pos
        self.lineno, self.colno = error.lineno, error.colno


class NotAnObjectError(SourceError, TypeError):
    """JSON that is not an object."""


class BundleError(CoworldError):
    """An episode bundle that cannot be created, or that is not safe to read."""

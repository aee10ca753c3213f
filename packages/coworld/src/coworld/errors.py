"""What goes wrong with a Coworld that is somebody's mistake, as one tree.

    CoworldError                a sentence that says what is wrong, and a hint with what to do about it
    ├── DocumentError           a manifest, request or config that breaks its rules; has `problems`
    │   └── ManifestError       the same for a `coworld_manifest.json`
    ├── SourceError             something named by a path or an address that cannot be read
    └── BundleError             an episode bundle that cannot be made or read

They are `ValueError`s, as scripts written for the published package expect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["BundleError", "CoworldError", "DocumentError", "ManifestError", "Problem", "SourceError"]


class CoworldError(ValueError):
    """Something the author of a Coworld or the caller of a command can put right."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Problem:
    """One broken rule: where (`variants[0].game_config.width`; "" is the whole document), what, and the way out."""

    path: str
    message: str
    fix: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class DocumentError(CoworldError):
    """A document that breaks rules: all of them that are known, in the order in which they are checked.

    The text of the error is that of the first problem. Rules that concern several fields have a fixed sentence, which
    is the text; what is wrong with the shape of one field is told as `path: what`.
    """

    def __init__(self, problems: Sequence[Problem], *, text: str | None = None) -> None:
        first = problems[0]
        super().__init__(text or str(first), hint=first.fix)
        self.problems = tuple(problems)


class ManifestError(DocumentError):
    """A `coworld_manifest.json` that breaks rules."""


class SourceError(CoworldError):
    """A path or an address that cannot be read."""


class BundleError(CoworldError):
    """An episode bundle that cannot be made, or one that must not be trusted."""

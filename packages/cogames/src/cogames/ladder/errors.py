"""Errors of ladders, each one sentence for users."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["LadderError"]


class LadderError(ValueError):
    """A ladder cannot be played as requested; `hints` are next steps."""

    def __init__(self, message: str, hints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.hints = list(hints)

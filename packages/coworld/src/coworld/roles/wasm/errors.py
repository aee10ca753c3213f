"""The errors of a component's calls, which are also the verdicts of its run."""

from __future__ import annotations

from typing import Literal

__all__ = ["ToolError", "ToolErrorKind"]

ToolErrorKind = Literal["not-found", "forbidden", "budget-exhausted", "invalid", "internal"]


class ToolError(Exception):
    """An error that a call returns to the component."""

    def __init__(self, kind: ToolErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message

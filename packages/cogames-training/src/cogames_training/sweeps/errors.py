"""Errors of sweeps."""

from collections.abc import Sequence

__all__ = ["SweepError"]


class SweepError(ValueError):
    """A sweep that cannot run; the message says why and `hints` what to do."""

    def __init__(self, message: str, hints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.hints = list(hints)

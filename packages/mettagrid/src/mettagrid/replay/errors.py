"""The errors of replays.

ReplayError (a ValueError)
├── UnreadableReplay           the bytes are not a replay, or damaged, or too large
│   └── UnknownReplayVersion   a newer version of a format than this package knows
├── UnknownReplayFormat        a file name without a known ending
└── ReplayNotWritten           a replay could not be written
"""

from __future__ import annotations

__all__ = ["ReplayError", "ReplayNotWritten", "UnknownReplayFormat", "UnknownReplayVersion", "UnreadableReplay"]


class ReplayError(ValueError):
    """An error of a replay."""


class UnreadableReplay(ReplayError):
    """The bytes cannot be read as a replay; the message says why."""


class UnknownReplayVersion(UnreadableReplay):
    """The replay is of a version that this package does not know."""

    def __init__(self, version: object, *, newest: int) -> None:
        super().__init__(
            f"The replay has format version {str(version)[:20]}, and this package reads versions 1 to {newest}; "
            "a newer release may read it"
        )
        self.version = version


class UnknownReplayFormat(ReplayError):
    """The name of an output file does not end like a replay."""


class ReplayNotWritten(ReplayError):
    """A replay could not be written."""

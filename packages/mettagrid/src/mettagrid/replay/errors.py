"""What can go wrong with replays.

ReplayError (a ValueError)
├── UnreadableReplay           the bytes are no replay, or damaged, or unreasonably large
│   └── UnknownReplayVersion   a version of a format that did not exist when this was written
├── UnknownReplayFormat        a file name that does not say how to write
└── ReplayNotWritten           a replay could not be written
"""

from __future__ import annotations

__all__ = ["ReplayError", "ReplayNotWritten", "UnknownReplayFormat", "UnknownReplayVersion", "UnreadableReplay"]


class ReplayError(ValueError):
    """Anything that is wrong with a replay."""


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
    """The name of a file to be written does not end like a replay."""


class ReplayNotWritten(ReplayError):
    """A replay could not be written."""

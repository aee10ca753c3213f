"""What can go wrong before a box runs.

    CogboxError
      LevelMissing      no level that was demanded is to be had here
      BadRequest        a command, mount, link or limit that makes no sense (also a ValueError)

A program that misbehaves is no error: it gets a verdict.
"""

from collections.abc import Mapping

from cogbox.level import Level


class CogboxError(Exception):
    """Base of the errors of this package."""


class BadRequest(CogboxError, ValueError):
    """The request itself is wrong."""


class LevelMissing(CogboxError):
    """No isolation of the demanded strength works on this machine."""

    def __init__(self, minimum: Level, reasons: Mapping[Level, str]) -> None:
        told = "; ".join(f"{level.value}: {reason}" for level, reason in reasons.items())
        super().__init__(
            f"No isolation of at least `{minimum.value}` works here ({told}). "
            "Run `python -m cogbox doctor` for what would help."
        )
        self.minimum, self.reasons = minimum, dict(reasons)

"""Exceptions raised before a box runs.

    CogboxError
      LevelMissing      none of the requested levels works on this machine
      BadRequest        an invalid command, mount, link or limit (also a ValueError)

A misbehaving program does not raise: its result has a verdict.
"""

from collections.abc import Mapping

from cogbox.level import Level


class CogboxError(Exception):
    """Base of the errors of this package."""


class BadRequest(CogboxError, ValueError):
    """The request is not valid."""


class LevelMissing(CogboxError):
    """No isolation of the requested strength works on this machine."""

    def __init__(self, minimum: Level, reasons: Mapping[Level, str]) -> None:
        details = "; ".join(f"{level.value}: {reason}" for level, reason in reasons.items())
        super().__init__(
            f"No isolation of at least `{minimum.value}` works here ({details}). "
            "Run `python -m cogbox doctor` for remedies."
        )
        self.minimum, self.reasons = minimum, dict(reasons)

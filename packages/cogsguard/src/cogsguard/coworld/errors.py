"""Errors that end the programs of this package.

CoworldGameError (a ValueError)
├── BadConfig       the game's config is not JSON, or contains values that the game does not support
├── MissingSetting  an environment variable of the runner is not set
└── SeatLost        a player lost its seat or its connection
"""

__all__ = ["BadConfig", "CoworldGameError", "MissingSetting", "SeatLost"]


class CoworldGameError(ValueError):
    """An error that ends a program of this package; the message is one sentence."""


class BadConfig(CoworldGameError):
    """A config that cannot be played."""


class MissingSetting(CoworldGameError):
    """An environment variable is not set."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"`{name}` is not set: {why}")


class SeatLost(CoworldGameError):
    """The connection between player and game ended before the game."""

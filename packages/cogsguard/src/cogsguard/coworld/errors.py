"""What ends the programs of this package.

CoworldGameError (a ValueError)
├── BadConfig       the game's config is no JSON, or asks for what the game does not have
├── MissingSetting  an environment variable that the runner sets is not there
└── SeatLost        a player lost its seat, or the game its player
"""

__all__ = ["BadConfig", "CoworldGameError", "MissingSetting", "SeatLost"]


class CoworldGameError(ValueError):
    """Anything that ends a program of this package; the message is one sentence."""


class BadConfig(CoworldGameError):
    """A config that cannot be played."""


class MissingSetting(CoworldGameError):
    """A variable of the environment that is not set."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"`{name}` is not set: {why}")


class SeatLost(CoworldGameError):
    """The connection between player and game ended too early."""

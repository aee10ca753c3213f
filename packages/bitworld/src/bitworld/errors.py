"""What can go wrong, each with a sentence for the person who caused it."""

__all__ = ["BadConfig", "BadMessage", "BadReplay", "BitWorldError", "JoinRefused", "UnknownGame"]


class BitWorldError(Exception):
    """The base of all errors of this package."""


class BadConfig(BitWorldError):
    """A game's configuration has a wrong value."""


class BadMessage(BitWorldError):
    """A message of the wire protocol is damaged."""


class JoinRefused(BitWorldError):
    """A player cannot take the seat it asked for."""


class BadReplay(BitWorldError):
    """A replay file is damaged, of another game or version, or does not lead to the recorded states."""


class UnknownGame(BitWorldError):
    """No game has this name."""

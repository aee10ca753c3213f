"""A round before it is played: who enters, and who has which seat in which episode."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

__all__ = ["MAX_EPISODES", "CannotSeat", "Entrant", "GameVariant", "PlannedEpisode", "PlannedSeat", "episode_seed"]

MAX_EPISODES = 10_000
"""of one round"""


class CannotSeat(ValueError):
    """The settings cannot seat these entrants. The sentence is shown to the owner of the league."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player in a round."""

    player_id: str
    standing: float = 0.0
    """orders neighbours; the greatest is the best"""
    strength: float = 1500.0
    """on the scale of Elo, for matchmaking"""
    waited: int = 0
    """rounds of this division since the last one in which it had a seat"""


@dataclass(frozen=True, slots=True)
class GameVariant:
    """A variant of the game, and how many seats it has. The certification fixture has no id."""

    id: str | None
    seats: int


@dataclass(frozen=True, slots=True)
class PlannedSeat:
    """An entrant or a policy of the league's pool in a seat: positions in the lists of the round."""

    entrant: int | None = None
    pool: int | None = None
    is_filler: bool = True
    """its score does not count"""
    side: int | None = None
    """seats of one side win and lose together; None where every entrant plays for itself"""


@dataclass(frozen=True, slots=True)
class PlannedEpisode:
    seats: tuple[PlannedSeat, ...]
    variant_id: str | None
    seed: int

    def credited(self) -> list[int]:
        """Return the entrants whose scores count, in the order of their seats; one may occur more than once."""
        return [seat.entrant for seat in self.seats if seat.entrant is not None and not seat.is_filler]


def episode_seed(seed: str, number: int) -> int:
    """Return the seed of an episode from the round's: 31 bits."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:4]) >> 1

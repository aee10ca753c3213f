"""Games of a ladder: one episode each, and the duels that they decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cogames.ladder.missions import Meeting

__all__ = ["DuelKey", "Game", "Pair", "games_of_duel", "partners_of_duel"]

Pair = tuple[int, int]
"""positions of two entrants, the smaller first"""


@dataclass(frozen=True, order=True)
class Game:
    """One episode: a mission, the number of its map, one or two entrants, and which of the two sides they have."""

    mission: int
    number: int
    entrants: tuple[int, ...]
    side: int = 0

    @property
    def key(self) -> str:
        """Return the name of the game's file."""
        players = "-".join(f"{entrant:02}" for entrant in self.entrants)
        side = "" if len(self.entrants) == 1 else f"-{'ab'[self.side]}"
        return f"{self.mission:02}-{self.number:03}-{players}{side}"


@dataclass(frozen=True, order=True)
class DuelKey:
    """Two entrants on one map of a mission. A duel is the unit that counts: the maps are independent."""

    pair: Pair
    mission: int
    number: int


def games_of_duel(duel: DuelKey, meeting: Meeting, entrants: int) -> list[Game]:
    """Return the games that decide a duel. Duels share games, so each game is played once."""
    if meeting == "solo":
        return [Game(duel.mission, duel.number, (entrant,)) for entrant in duel.pair]
    if meeting == "teams":
        return [Game(duel.mission, duel.number, duel.pair, side) for side in (0, 1)]
    games = (game for one in duel.pair for _, games in partners_of_duel(duel, one, entrants) for game in games)
    return list(dict.fromkeys(games))


def partners_of_duel(duel: DuelKey, entrant: int, entrants: int) -> Iterator[tuple[int, Sequence[Game]]]:
    """Yield every partner of a `mixed` duel with the games that `entrant` plays beside it; itself counts as one."""
    for partner in range(entrants):
        if partner == entrant:
            yield partner, [Game(duel.mission, duel.number, (entrant,))]
        else:
            pair = (min(entrant, partner), max(entrant, partner))
            yield partner, [Game(duel.mission, duel.number, pair, side) for side in (0, 1)]

"""The base class of games written in Python: the world is a dataclass."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from bitworld._native import Random
from bitworld.games.shared.seated_game import S, SeatedGame
from bitworld.games.shared.state import from_words, hash_of, to_words

__all__ = ["Contestant", "PythonGame", "WorldState"]


@dataclass(kw_only=True)
class Contestant:
    """The part of a player's state that every game has; a game adds its own fields in a subclass."""

    slot: int
    score: int = 0
    """points in this game; the account of the player grows by every point"""


class WorldState(Protocol):
    """A dataclass of a game: everything that can change, as `bitworld.games.shared.state` describes.

    The rules draw from `random`; `players` has an entry for each seat.
    """

    random: Random
    players: list[Any]


W = TypeVar("W", bound=WorldState)


class PythonGame(SeatedGame[S], Generic[S, W]):
    """A game whose world is a dataclass. A subclass writes the methods marked abstract and says its types.

    Every point that `play` adds to a player's `score` becomes reward. Every attribute named in `count_names` becomes a
    line of the reward protocol.
    """

    world_type: ClassVar[type[Any]]
    world: W

    @abstractmethod
    def new_world(self, random: Random) -> W:
        """Return a world without players."""

    @abstractmethod
    def new_player(self, slot: int) -> Contestant:
        """Return the state of a player that enters the world, which does not yet contain it."""

    def removed(self, player: int) -> None:
        """Repair what refers to players by index, after player `player` has left `world.players`."""

    def start_world(self) -> None:
        earlier = getattr(self, "world", None)
        self.world = self.new_world(earlier.random if earlier else Random(self.settings.seed))

    def add_player(self, slot: int) -> None:
        self.world.players.append(self.new_player(slot))

    def remove_player(self, player: int) -> None:
        del self.world.players[player]
        self.removed(player)

    def tally(self) -> list[list[int]]:
        names: Sequence[str] = ("score", *self.count_names)
        return [[getattr(player, name) for name in names] for player in self.world.players]

    def world_hash(self) -> int:
        return hash_of(to_words(self.world))

    def save_world(self) -> bytes:
        return to_words(self.world).tobytes()

    def load_world(self, saved: bytes) -> None:
        (self.world,) = from_words(np.frombuffer(saved, np.int64), self.world_type)

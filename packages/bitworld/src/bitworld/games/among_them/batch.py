"""Play many games of Among Them together, over threads, into arrays: for training and for searches."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bitworld._native import AmongThemBatch
from bitworld.errors import BadConfig
from bitworld.games.among_them.artist import artist_of
from bitworld.games.among_them.config import MOST_PLAYERS, read_config
from bitworld.games.among_them.map import GameMap, load_map
from bitworld.games.among_them.native import native_config, native_map
from bitworld.picture import PACKED_BYTES, SIDE

__all__ = ["CREWMATES_WON", "DRAW", "IMPOSTERS_WON", "RUNNING", "Batch"]

RUNNING, CREWMATES_WON, IMPOSTERS_WON, DRAW = -1, 0, 1, 2

Pictures = Literal["none", "pixels", "packed"]


class Batch:
    """Games that step together. `step` reads `masks` and writes the other arrays, without any allocation.

    An episode is one game. In the step in which it ends, its `dones` is true and the pictures show the result; the next
    step begins the next episode and plays its first tick. Game i plays its first episode with the seed `seed + i`, the
    next with `seed + games + i`, and so on. The result does not depend on the number of threads.
    """

    def __init__(
        self,
        games: int,
        players: int = 8,
        config: Mapping[str, Any] | None = None,
        *,
        threads: int = 1,
        pictures: Pictures = "pixels",
        hashes: bool = False,
        skip_lobby: bool = True,
        game_map: GameMap | None = None,
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """Start all games. `arrays` replaces arrays of this object by the caller's own, by name.

        With `skip_lobby`, players can act from the first step: the configuration's waits before the game become zero.
        """
        given = dict(config or {})
        if skip_lobby:
            given |= {"startWaitTicks": 0, "roleRevealTicks": 0, "gameStartWaitTicks": 0}
        self.config = read_config(given | {"minPlayers": _checked_players(players)})
        self.games, self.players = games, players
        own = dict(arrays or {})
        self.masks = _array(own, "masks", np.uint8, games, players)
        """[games, players], the buttons that each player holds; the caller writes them"""
        self.rewards = _array(own, "rewards", np.float32, games, players)
        """[games, players], what each player earned in the last step"""
        self.dones = _array(own, "dones", np.bool_, games)
        """[games], whether the episode ended in the last step"""
        self.outcomes = _array(own, "outcomes", np.int8, games)
        """[games], RUNNING, CREWMATES_WON, IMPOSTERS_WON or DRAW"""
        self.hashes = _array(own, "hashes", np.uint64, games) if hashes else None
        """[games], the state hashes; None without `hashes`"""
        self.pixels = _array(own, "pixels", np.uint8, games, players, SIDE, SIDE) if pictures == "pixels" else None
        """[games, players, SIDE, SIDE], what each player sees, as indexes of the palette"""
        self.packed = _array(own, "packed", np.uint8, games, players, PACKED_BYTES) if pictures == "packed" else None
        """[games, players, PACKED_BYTES], the same as on the wire: two pixels in a byte"""
        if own:
            raise ValueError(f"the batch has no arrays named {', '.join(own)}")
        self.map = game_map or load_map(self.config["mapPath"])
        self._native = AmongThemBatch(
            native_config(self.config),
            native_map(self.map),
            artist=None if pictures == "none" else artist_of(self.map),
            games=games,
            players=players,
            threads=threads,
            seed=self.config["seed"],
            masks=self.masks,
            rewards=self.rewards,
            dones=self.dones,
            outcomes=self.outcomes,
            hashes=self.hashes,
            pixels=self.pixels,
            packed=self.packed,
        )

    def step(self, *, draw: bool = True) -> None:
        """Advance every game by one tick with `masks`. Without `draw`, the pictures stay as they are."""
        self._native.step(draw)

    def draw(self) -> None:
        """Draw the pictures of all games as they are now."""
        self._native.show()

    def reset(self, seed: int | None = None) -> None:
        """Begin the first episode of every game again, with another seed if one is given."""
        self._native.reset(self.config["seed"] if seed is None else seed)
        self.rewards[:] = 0

    def start(self, game: int, seed: int) -> None:
        """Begin an episode of one game: all players join, and its first tick is played without buttons."""
        self._native.start(game, seed)
        self.rewards[game] = 0

    def chat(self, game: int, player: int, text: str) -> bool:
        """Say something in a meeting; return whether the game accepts it now."""
        accepted: bool = self._native.chat(game, player, text)
        return accepted

    def seed_of(self, game: int) -> int:
        """Return the seed of the running episode of a game."""
        seed: int = self._native.seed_of(game)
        return seed

    def snapshot(self, game: int) -> bytes:
        """Return the state of a game. `AmongThem` with the same configuration and map can restore it, too."""
        state: bytes = self._native.snapshot(game)
        return state

    def restore(self, game: int, snapshot: bytes) -> None:
        """Return a game to a state of a game with the same configuration. Raises `ValueError` for other bytes."""
        self._native.restore(game, snapshot)


def _checked_players(players: int) -> int:
    if not 1 <= players <= MOST_PLAYERS:
        raise BadConfig(f"Among Them has 1 to {MOST_PLAYERS} players, not {players}")
    return players


def _array(own: dict[str, NDArray[Any]], name: str, dtype: Any, *shape: int) -> NDArray[Any]:
    """Return the caller's array or a new one. Raises `ValueError` if the array does not fit."""
    if name not in own:
        return np.zeros(shape, dtype)
    array = own.pop(name)
    if array.shape != shape or array.dtype != dtype or not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{name} must be a contiguous, writable array of {np.dtype(dtype)} {list(shape)}")
    return array

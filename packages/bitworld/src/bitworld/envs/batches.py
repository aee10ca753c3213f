"""Many games that step together: native where a game has a batch, else one Python object per game."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from bitworld._native import BlocksBatch
from bitworld.envs._episode import begun_game
from bitworld.envs._options import Options
from bitworld.games.among_them.batch import Batch as AmongThemBatch
from bitworld.games.infinite_blocks import Settings as BlocksSettings
from bitworld.games.shared.settings import read_settings

__all__ = ["Batch", "new_batch"]


class Batch(Protocol):
    """Games with the same number of players. The caller owns all arrays."""

    def start(self, game: int, seed: int) -> None:
        """Begin a game and play its first tick without buttons."""

    def step(self, masks: np.ndarray, rewards: np.ndarray, ended: np.ndarray) -> None:
        """Play one tick: masks uint8 and rewards float32 [games, players]; `ended` bool [games] is set by the rules."""

    def draw(self, pictures: np.ndarray) -> None:
        """Draw what every player sees, uint8 [games, players, 128, 128]; each picture is contiguous."""


def new_batch(options: Options, games: int, threads: int) -> Batch:
    """Return a batch of the game that the options name. The caller counts the ticks of an episode."""
    make = _NATIVE.get(options.game)
    return _GameObjects(options, games) if make is None else make(options, games, threads)


class _Blocks:
    def __init__(self, options: Options, games: int, threads: int) -> None:
        settings = read_settings(BlocksSettings, options.game_config(0))
        self._batch = BlocksBatch(games, options.players, threads, *settings.rules)

    def start(self, game: int, seed: int) -> None:
        self._batch.start(game, seed)

    def step(self, masks: np.ndarray, rewards: np.ndarray, ended: np.ndarray) -> None:
        self._batch.step(masks, rewards)
        ended[:] = False

    def draw(self, pictures: np.ndarray) -> None:
        self._batch.draw(pictures)


class _AmongThem:
    def __init__(self, options: Options, games: int, threads: int) -> None:
        self._batch = AmongThemBatch(games, options.players, options.game_config(0), threads=threads, skip_lobby=False)

    def start(self, game: int, seed: int) -> None:
        self._batch.start(game, seed)

    def step(self, masks: np.ndarray, rewards: np.ndarray, ended: np.ndarray) -> None:
        self._batch.masks[:] = masks
        self._batch.step(draw=False)
        rewards[:] = self._batch.rewards
        ended[:] = self._batch.dones

    def draw(self, pictures: np.ndarray) -> None:
        assert self._batch.pixels is not None
        self._batch.draw()
        pictures[:] = self._batch.pixels


class _GameObjects:
    def __init__(self, options: Options, games: int) -> None:
        self._options = options
        self._players = options.players
        self._games = [begun_game(options, game) for game in range(games)]
        self._totals = np.zeros((games, options.players))

    def start(self, game: int, seed: int) -> None:
        self._games[game] = begun_game(self._options, seed)
        self._totals[game] = [account.reward for account in self._games[game].accounts()]

    def step(self, masks: np.ndarray, rewards: np.ndarray, ended: np.ndarray) -> None:
        for number, (game, row) in enumerate(zip(self._games, masks.tolist(), strict=True)):
            if len(game.seats) == self._players:
                game.step(row)
            totals = [account.reward for account in game.accounts()]
            rewards[number] = totals - self._totals[number]
            self._totals[number] = totals
            ended[number] = game.is_over or len(game.seats) < self._players

    def draw(self, pictures: np.ndarray) -> None:
        for game, rows in zip(self._games, pictures, strict=True):
            for player in range(len(game.seats)):
                game.draw(player, rows[player])


_NATIVE: dict[str, Callable[[Options, int, int], Batch]] = {"among_them": _AmongThem, "infinite_blocks": _Blocks}

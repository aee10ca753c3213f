"""One game with all its players, from the first picture to the end."""

from collections.abc import Sequence

import numpy as np

from bitworld.envs._options import Options
from bitworld.envs.actions import ACTION_MASKS
from bitworld.game import Game
from bitworld.registry import new_game

__all__ = ["Episode", "begun_game"]


def begun_game(options: Options, seed: int) -> Game:
    """Return a game whose players have joined, after its first tick: its picture shows the game and not the lobby."""
    game = new_game(options.game, options.game_config(seed))
    for player in range(options.players):
        game.join(f"player_{player}")
    game.step([0] * options.players)
    return game


class Episode:
    """A game whose players join at once. `observations` is uint8 [players, stack, 128, 128], always the same array."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.observations = np.zeros((options.players, *options.shape), np.uint8)
        self.start(0)

    def start(self, seed: int) -> None:
        self.game = begun_game(self.options, seed)
        self.ticks = 1
        self.terminated = self.truncated = False
        self._rewards = [account.reward for account in self.game.accounts()]
        self._draw()
        self.observations[:] = self.observations[:, -1:]

    def step(self, actions: Sequence[int]) -> list[float]:
        """Play the ticks of one action of every player; return their rewards."""
        options = self.options
        for tick in range(options.ticks_per_action):
            is_held = tick < options.held_ticks
            self._tick([int(ACTION_MASKS[action]) if is_held else 0 for action in actions])
        self.truncated = not self.terminated and self.ticks >= options.max_ticks
        self.observations[:, :-1] = self.observations[:, 1:]
        self._draw()
        return self._take_rewards()

    @property
    def is_over(self) -> bool:
        return self.terminated or self.truncated

    def _tick(self, masks: list[int]) -> None:
        self.ticks += 1
        # A game that returns to its lobby has lost its players.
        if len(self.game.seats) == self.options.players:
            self.game.step(masks)
        self.terminated |= self.game.is_over or len(self.game.seats) < self.options.players

    def _draw(self) -> None:
        if len(self.game.seats) == self.options.players:
            for player in range(self.options.players):
                self.game.draw(player, self.observations[player, -1])

    def _take_rewards(self) -> list[float]:
        now = [account.reward for account in self.game.accounts()]
        earned = [float(after - before) for after, before in zip(now, self._rewards, strict=True)]
        self._rewards = now
        return earned

"""Many games as a Gymnasium vector environment, in which every player is an environment."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bitworld.envs._optional import extra
from bitworld.envs._options import Options
from bitworld.envs._spaces import action_space, observation_space
from bitworld.envs.actions import masks_of
from bitworld.envs.batches import new_batch

with extra("envs"):
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

__all__ = ["BitWorldVectorEnv"]


class BitWorldVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """A Gymnasium `VectorEnv`: `games` games of `players` players, game by game.

    Observations uint8 [num_envs, stack, 128, 128], rewards float32, terminations and truncations bool [num_envs]. These
    are always the same arrays, which the next step overwrites; with `copy` they are copies. `threads` applies to games
    with a native batch. The other arguments are those of `BitWorldGymEnv`.

    Game i begins with seed + i, its next episode with seed + games + i, and so on. The players of a game end together.
    The step after that starts its next episode (Gymnasium's `NEXT_STEP`): its actions are ignored, its observations are
    the first ones, its rewards 0. The infos of the step in which games end have `episode_reward` and `episode_ticks`.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        config: Mapping[str, Any] | None = None,
        *,
        games: int = 1,
        players: int = 1,
        max_ticks: int = 10_000,
        stack: int = 4,
        ticks_per_action: int = 1,
        taps: bool = False,
        threads: int = 1,
        seed: int = 0,
        copy: bool = False,
    ) -> None:
        if games < 1 or threads < 1:
            raise ValueError(f"games and threads must be at least 1, not {games} and {threads}")
        self._options = options = Options(
            game=game,
            config=config or {},
            players=players,
            max_ticks=max_ticks,
            stack=stack,
            ticks_per_action=ticks_per_action,
            taps=taps,
        )
        self._batch = new_batch(options, games, threads)
        self._copies = copy
        self.num_envs = games * players
        self.single_observation_space = observation_space(options)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

        self._stacks = np.zeros((games, players, *options.shape), np.uint8)
        self._rewards = np.zeros((games, players), np.float32)
        self._sums = np.zeros((games, players), np.float32)
        self._episode_rewards = np.zeros((games, players))
        self._ended = np.zeros(games, np.bool_)
        self._terminated = np.zeros(games, np.bool_)
        self._truncated = np.zeros(games, np.bool_)
        self._ticks = np.zeros(games, np.int64)
        self._nothing = np.zeros((games, players), np.uint8)
        self._first_seed = seed
        self._seeds = np.zeros(games, np.int64)
        self._has_begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start the next episodes, or with a seed the first ones of that seed."""
        super().reset(seed=seed)
        games = len(self._ticks)
        if seed is not None or not self._has_begun:
            first = self._first_seed if seed is None else seed
            self._seeds[:] = first + np.arange(games) - games
            self._has_begun = True
        self._start(np.ones(games, np.bool_))
        return self._given(self._observations()), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action of every player. Raises ValueError or TypeError for invalid ones before anything changes."""
        options = self._options
        masks = masks_of(actions, self.num_envs).reshape(self._nothing.shape)
        restarts = self._terminated | self._truncated
        self._sums[:] = 0
        self._terminated[:] = False
        for tick in range(options.ticks_per_action):
            self._batch.step(masks if tick < options.held_ticks else self._nothing, self._rewards, self._ended)
            self._rewards[self._terminated] = 0  # of the next game, which some batches have begun
            self._sums += self._rewards
            self._ticks += 1
            self._terminated |= self._ended
        self._truncated = (self._ticks >= options.max_ticks) & ~self._terminated
        self._episode_rewards += self._sums
        self._stacks[:, :, :-1] = self._stacks[:, :, 1:]
        self._start(restarts)
        infos = self._infos()
        outputs = (self._sums.reshape(-1), self._for_players(self._terminated), self._for_players(self._truncated))
        rewards, terminated, truncated = map(self._given, outputs)
        return self._given(self._observations()), rewards, terminated, truncated, infos

    def _start(self, which: np.ndarray) -> None:
        """Begin the next episode of some games, and draw all."""
        for game in np.flatnonzero(which):
            self._seeds[game] += len(which)
            self._batch.start(int(game), int(self._seeds[game]))
        self._ticks[which] = 1
        for array in (self._episode_rewards, self._sums, self._terminated, self._truncated):
            array[which] = 0
        self._batch.draw(self._stacks[:, :, -1])
        self._stacks[which] = self._stacks[which, :, -1:]

    def _infos(self) -> dict[str, Any]:
        over = self._terminated | self._truncated
        if not over.any():
            return {}
        mask = self._for_players(over)
        rewards = np.where(mask, self._episode_rewards.reshape(-1), 0)
        ticks = np.where(mask, self._for_players(self._ticks), 0)
        return {"episode_reward": rewards, "_episode_reward": mask, "episode_ticks": ticks, "_episode_ticks": mask}

    def _observations(self) -> np.ndarray:
        return self._stacks.reshape(self.num_envs, *self._options.shape)

    def _for_players(self, values: np.ndarray) -> np.ndarray:
        return values.repeat(self._options.players)

    def _given(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self._copies else array

"""One player alone in a game, as a Gymnasium environment.

Importing this module registers it: `gymnasium.make("bitworld.envs.gym_env:BitWorld-v0", game="infinite_blocks")`.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from bitworld.envs._episode import Episode
from bitworld.envs._optional import extra
from bitworld.envs._options import Options
from bitworld.envs._spaces import action_space, in_colour, observation_space
from bitworld.envs.actions import checked
from bitworld.game import TICKS_PER_SECOND

with extra("envs"):
    import gymnasium

__all__ = ["BitWorldGymEnv"]


class BitWorldGymEnv(gymnasium.Env[np.ndarray, Any]):
    """A Gymnasium `Env` with one player. Observations are new arrays, uint8 [stack, 128, 128].

    `config` is the configuration of the game; the environment sets `seed`, `maxTicks` and `minPlayers`. An action holds
    its buttons for `ticks_per_action` ticks; with `taps` it releases them in the last one. The infos have the `tick`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": TICKS_PER_SECOND}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        config: Mapping[str, Any] | None = None,
        *,
        max_ticks: int = 10_000,
        stack: int = 4,
        ticks_per_action: int = 1,
        taps: bool = False,
        render_mode: Literal["rgb_array"] | None = None,
    ) -> None:
        options = Options(
            game=game,
            config=config or {},
            max_ticks=max_ticks,
            stack=stack,
            ticks_per_action=ticks_per_action,
            taps=taps,
        )
        self._episode = Episode(options)
        self.render_mode = render_mode
        self.observation_space = observation_space(options)
        self.action_space = action_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode. `seed` determines it; without one the next seed is drawn."""
        super().reset(seed=seed)
        self._episode.start(int(self.np_random.integers(2**31)) if seed is None else seed)
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play one action. Raises ValueError or TypeError for an invalid one before anything changes."""
        episode = self._episode
        (reward,) = episode.step([checked(action)])
        return self._observation(), reward, episode.terminated, episode.truncated, self._info()

    def render(self) -> np.ndarray | None:
        """Return the newest picture with `render_mode="rgb_array"`, else None."""
        return in_colour(self._episode.observations[0, -1]) if self.render_mode == "rgb_array" else None

    def _observation(self) -> np.ndarray:
        return self._episode.observations[0].copy()

    def _info(self) -> dict[str, Any]:
        return {"tick": self._episode.ticks}


gymnasium.register("BitWorld-v0", entry_point="bitworld.envs.gym_env:BitWorldGymEnv")

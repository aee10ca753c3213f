"""Many worlds as a Gymnasium vector environment, in which every agent is an environment."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs._actions import Vibes, checked_vibes
from mettagrid.envs._optional import extra
from mettagrid.envs._spaces import byte_space, choice_space
from mettagrid.envs._world import new_buffers
from mettagrid.envs._worlds import Worlds

with extra("envs"):
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

__all__ = ["MettaGridVectorEnv"]


class MettaGridVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """A Gymnasium `VectorEnv`: `num_envs` agents, world by world, in as many worlds as needed.

    Observations uint8 [num_envs, tokens, 3], rewards float32, terminations and truncations bool [num_envs]. These are
    the engine's own arrays, the same ones after every call; with `copy` they are copies, as in Gymnasium's own vector
    environments. `vibes` is as in `MettaGridPettingZooEnv`, the worlds' seeds and maps as in
    `MettaGridPufferVectorEnv`.

    The agents of a world end together. The step after that starts its next episode (Gymnasium's `NEXT_STEP`): its
    actions are ignored, its observations are the initial ones, its rewards 0. When a world ends, the infos of that step
    have `episode_reward` float32 and `episode_steps` int64 [num_envs], with the masks `_episode_reward` and
    `_episode_steps`; `batch.worlds` has all its stats until the next step.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi"],
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    closed = True  # until the constructor is done

    def __init__(
        self,
        cfg: MettaGridConfig,
        num_envs: int,
        *,
        vibes: Vibes = "none",
        threads: int = 1,
        num_maps: int | None = None,
        next_seed: Literal["same", "next"] = "next",
        desync: bool = False,
        seed: int = 0,
        render_mode: Literal["ansi"] | None = None,
        copy: bool = False,
    ) -> None:
        num_worlds, rest = divmod(num_envs, cfg.game.num_agents)
        if rest or num_envs < 1:
            raise ValueError(
                f"num_envs counts agents and must be a multiple of the game's {cfg.game.num_agents}, not {num_envs}"
            )
        self._vibes = checked_vibes(vibes)
        self._worlds = worlds = Worlds(
            [cfg],
            num_worlds,
            seed=seed,
            threads=threads,
            num_maps=num_maps,
            next_seed=next_seed,
            auto_reset=False,
            desync=desync,
        )
        worlds.begin(new_buffers(num_envs, worlds.num_tokens))
        self.batch = worlds.batch
        self.num_envs = num_envs
        self.render_mode = render_mode
        self._copies = copy
        self._over: list[int] = []
        self._is_fresh = True
        self.single_observation_space = byte_space(worlds.num_tokens, 3)
        self.single_action_space = choice_space(worlds.codec, self._vibes)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.closed = False

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start the next episodes, or with a seed (world i takes seed + i) or one per world the first ones again."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is not None or not self._is_fresh:
            self._worlds.reset(seed)
        self._is_fresh = False
        self._over = []
        return self._given(self.batch.observations), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Step every world once. Raises ValueError or TypeError for invalid actions before anything changes."""
        batch = self.batch
        batch.actions[:], batch.vibe_actions[:] = self._worlds.codec.split(actions, self._vibes, self.num_envs)
        self._is_fresh = False
        self._worlds.step()
        if self._over:
            batch.reset(worlds=self._over)  # discards the step they just took
        self._over = self._worlds.over()
        outputs = (batch.observations, batch.rewards, batch.terminals, batch.truncations)
        observations, rewards, terminals, truncations = map(self._given, outputs)
        return observations, rewards, terminals, truncations, self._infos()

    def _infos(self) -> dict[str, Any]:
        if not self._over:
            return {}
        rewards = np.zeros(self.num_envs, np.float32)
        steps = np.zeros(self.num_envs, np.int64)
        mask = np.zeros(self.num_envs, np.bool_)
        for number in self._over:
            part, world = self.batch.agents_of(number), self.batch.worlds[number]
            rewards[part], steps[part], mask[part] = world.get_episode_rewards(), world.current_step, True
        return {"episode_reward": rewards, "_episode_reward": mask, "episode_steps": steps, "_episode_steps": mask}

    def _given(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self._copies else array

    def render(self) -> tuple[str, ...] | None:
        """Return the map of every world as text with `render_mode="ansi"`, else None."""
        if self.render_mode != "ansi":
            return None
        return tuple(self._worlds.text(number) for number in range(len(self.batch.worlds)))

    def close_extras(self, **kwargs: object) -> None:
        self._worlds.close()

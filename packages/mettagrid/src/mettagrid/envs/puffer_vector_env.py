"""Many worlds as one native PufferLib environment."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs._puffer import PufferStyle, buffers_of
from mettagrid.envs._supervisor import BatchPolicy, load_supervisor
from mettagrid.envs._worlds import Worlds

__all__ = ["MettaGridPufferVectorEnv"]


class MettaGridPufferVectorEnv(PufferStyle):
    """All agents of `num_envs` worlds, world by world in one set of arrays, stepped in one native call.

    Arrays, actions, episode ends and supervisor are as in `MettaGridPufferEnv`. Infos are a list with a dictionary for
    each world whose episode ended in this step: the infos of `StatsTracker` without the single agents.

    World i plays configuration i % len(cfg) with seed + i; `next_seed` says whether its later episodes have the same
    seed or one more. `num_maps` maps are built in the background, map j with the map builder's seed + j (or `seed` + j
    if it has none), and episode k of world i is on map (i + k * num_envs) % num_maps; by default each world keeps its
    own map. With several configurations it always does. `desync` truncates the first episode of each world early, so
    that they do not all end together. `threads` only affects the speed.
    """

    def __init__(
        self,
        cfg: MettaGridConfig | Sequence[MettaGridConfig],
        num_envs: int = 1,
        *,
        threads: int = 1,
        num_maps: int | None = None,
        next_seed: Literal["same", "next"] = "next",
        desync: bool = False,
        supervisor: BatchPolicy | None = None,
        buf: Mapping[str, np.ndarray] | None = None,
        seed: int = 0,
    ) -> None:
        configs = [cfg] if isinstance(cfg, MettaGridConfig) else list(cfg)
        self._worlds = worlds = Worlds(
            configs,
            num_envs,
            seed=seed,
            threads=threads,
            num_maps=num_maps,
            next_seed=next_seed,
            desync=desync,
        )
        buffers = buffers_of(buf, worlds.num_agents, worlds.num_tokens)
        worlds.begin(buffers)
        self._set_up(buffers, worlds.codec, load_supervisor(supervisor))
        self.num_envs = num_envs
        self.batch = worlds.batch
        self._is_fresh = True
        self._ask_supervisor()

    def reset(self, seed: int | Iterable[int] | None = None) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """Start the next episodes, or with a seed (world i takes seed + i) or one per world the first ones again."""
        if seed is not None or not self._is_fresh:
            self._worlds.reset(seed)
            self._ask_supervisor()
        self._is_fresh = False
        return self.observations, []

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step every world once; actions as in `MettaGridPufferEnv.step`."""
        self._write(*self._split(actions))
        self._is_fresh = False
        self._worlds.step()
        self._ask_supervisor()
        infos = [self._worlds.infos(number) for number in self._worlds.over()]
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    @property
    def env_cfg(self) -> MettaGridConfig:
        return self._worlds.configs[0]

    def get_episode_rewards(self) -> np.ndarray:
        """Return the sums of rewards of the current episodes so far, float32 [n]."""
        return np.concatenate([world.get_episode_rewards() for world in self.batch.worlds])

    def render(self) -> str:
        """Return the map of the first world as text."""
        return self._worlds.text(0)

    def close(self) -> None:
        self._worlds.close()

"""One world as a native PufferLib environment; PufferLib itself is not required."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs._puffer import PufferStyle, buffers_of
from mettagrid.envs._step_infos import StepInfos
from mettagrid.envs._supervisor import BatchPolicy, load_supervisor, split_supervisor_actions_inplace
from mettagrid.envs._world import OneWorld
from mettagrid.simulator import Simulation, Simulator

if TYPE_CHECKING:
    from mettagrid.policy.policy_spec import PolicySpec

__all__ = ["MettaGridPufferEnv", "split_supervisor_actions_inplace"]


class MettaGridPufferEnv(PufferStyle):
    """All agents of one world, in the caller's arrays if `buf` has them.

    `observations` uint8 [n, tokens, 3], `rewards` float32, `terminals`, `truncations` and `masks` bool, `actions`,
    `teacher_actions` and `vibe_actions` int32 [n]. They are attributes, `step` returns the first four, and they stay
    the same arrays for the lifetime of the environment. After a step `actions` holds primary actions in any case.

    After the end of an episode the next `step` is the first one of the next episode: the last observation is returned,
    the initial one of the new episode is not. All episodes have the same seed, and the simulator's next map.

    A supervisor, an object with `step_batch` or the description of a policy that has it, writes a label for every agent
    after `reset` and `step`. `step_info_keys` names numbers for the infos of every step: see `StepInfos`. The infos
    also include what handlers of the simulator write to the simulation's `_context["infos"]`.
    """

    def __init__(
        self,
        simulator: Simulator,
        cfg: MettaGridConfig,
        supervisor_policy_spec: "BatchPolicy | PolicySpec | None" = None,
        step_info_keys: Sequence[str] | None = None,
        buf: Mapping[str, np.ndarray] | None = None,
        seed: int = 0,
    ) -> None:
        self._step_infos = StepInfos(step_info_keys or ())
        buffers = buffers_of(buf, cfg.game.num_agents, cfg.game.obs.num_tokens)
        self._seed = seed
        self._world = OneWorld(simulator, cfg, buffers)
        self._set_up(buffers, self._world.codec, load_supervisor(supervisor_policy_spec, cfg))
        self._start()

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode with this seed, or with the previous one; return the observations and infos."""
        before, self._seed = self._seed, self._seed if seed is None else seed
        try:
            self._start()
        except (TypeError, ValueError):
            self._seed = before
            raise
        return self.observations, self._infos()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Step once: [n] or [n, 1] combined indices (P + p*V + v is primary action p with vibe v), or [n, 2] (p, v).

        Raises ValueError or TypeError for other actions before anything changes.
        """
        streams = self._split(actions)
        if self.current_simulation.is_done():
            self._start()
        self._write(*streams)
        self.current_simulation.step()
        self._ask_supervisor()
        return self.observations, self.rewards, self.terminals, self.truncations, self._infos()

    def _start(self) -> None:
        self._world.start(self._seed)
        self._ask_supervisor()

    def _infos(self) -> dict[str, Any]:
        sim = self.current_simulation
        return {**sim._context.get("infos", {}), **self._step_infos.read(sim._c_sim)}

    def set_mg_config(self, config: MettaGridConfig) -> None:
        """Play this configuration from the next episode on; it needs the same number of agents and the same actions."""
        if config.game.num_agents != self.num_agents:
            raise ValueError(f"The environment has {self.num_agents} agents, the new game {config.game.num_agents}")
        self._world.config = config

    @property
    def env_cfg(self) -> MettaGridConfig:
        return self._world.config

    @property
    def current_simulation(self) -> Simulation:
        """The simulation of the current episode."""
        return self._world.simulation

    _sim = current_simulation  # the published name

    def get_episode_rewards(self) -> np.ndarray:
        """Return the sums of rewards so far, float32 [n]."""
        return self.current_simulation.episode_rewards

    def render(self) -> str:
        """Return the map as text."""
        return self._world.text()

    def close(self) -> None:
        self._world.close()

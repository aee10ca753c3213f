"""One world after another in the same arrays, for the environments with a single world."""

import numpy as np

from mettagrid.compiler import compiled
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs._actions import ActionCodec
from mettagrid.envs._text import map_text
from mettagrid.simulator import Buffers, Simulation, Simulator
from mettagrid.simulator._setup import checked_seed, fill_agents


def new_buffers(num_agents: int, num_tokens: int) -> Buffers:
    """Allocate the arrays for `num_agents` agents."""
    return Buffers(
        observations=np.full((num_agents, num_tokens, 3), 255, np.uint8),
        terminals=np.zeros(num_agents, np.bool_),
        truncations=np.zeros(num_agents, np.bool_),
        rewards=np.zeros(num_agents, np.float32),
        masks=np.ones(num_agents, np.bool_),
        actions=np.zeros(num_agents, np.int32),
        teacher_actions=np.zeros(num_agents, np.int32),
        vibe_actions=np.zeros(num_agents, np.int32),
    )


class OneWorld:
    """The simulation of one episode; `start` replaces it by the next one in the same arrays."""

    def __init__(self, simulator: Simulator, config: MettaGridConfig, buffers: Buffers | None = None) -> None:
        fill_agents(config.game)
        self.simulator = simulator
        self.config = config
        self.action_names = list(compiled(config.game).action_names)
        self.codec = ActionCodec(self.action_names)
        self.buffers = buffers or new_buffers(config.game.num_agents, config.game.obs.num_tokens)
        self._simulation: Simulation | None = None

    @property
    def simulation(self) -> Simulation:
        if self._simulation is None:
            raise RuntimeError("No episode has started; call `reset` first")
        return self._simulation

    @property
    def num_agents(self) -> int:
        return len(self.buffers.rewards)

    @property
    def vibe_actions(self) -> np.ndarray:
        assert self.buffers.vibe_actions is not None  # `Buffers` fills it in
        return self.buffers.vibe_actions

    def start(self, seed: int) -> None:
        """Start a new episode of `config`; the actions do not change."""
        checked_seed(seed)  # before the old one is closed
        self.close()
        self._simulation = self.simulator.new_simulation(self.config, seed, buffers=self.buffers)
        if self._simulation.action_names != self.action_names:
            raise ValueError("The game has other actions than before, and the spaces of an environment cannot change")

    def clear_actions(self) -> None:
        self.buffers.actions[:] = 0
        self.vibe_actions[:] = 0

    def text(self) -> str:
        return map_text(self.simulation._c_sim, self.simulation.config)

    def close(self) -> None:
        if self._simulation is not None:
            self._simulation.close()

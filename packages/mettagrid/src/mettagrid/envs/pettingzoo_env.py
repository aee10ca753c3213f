"""A world as a PettingZoo environment: all agents at once, or one after another."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs._actions import Vibes, checked_vibes
from mettagrid.envs._optional import extra
from mettagrid.envs._spaces import byte_space, choice_space
from mettagrid.envs._world import OneWorld
from mettagrid.simulator import Simulation, Simulator

with extra("envs"):
    from gymnasium.spaces import Box, Space
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import parallel_to_aec

__all__ = ["MettaGridPettingZooEnv", "aec_env"]


class MettaGridPettingZooEnv(ParallelEnv):
    """A PettingZoo `ParallelEnv` with agents 0 to n-1.

    An observation is uint8 [tokens, 3]: the engine's own array, the same one for the lifetime of the environment, which
    every step overwrites; copy it to keep it. Rewards are floats, infos empty. An action is the index of one of P
    primary actions; with `vibes="combined"` P + p*V + v is vibe v together with primary action p, with `vibes="pair"`
    an action is (p, 0 for no change or 1 + v). `render()` returns the map as text with `render_mode="ansi"`, else None.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "mettagrid_v0", "render_modes": ["ansi"], "is_parallelizable": True}

    def __init__(
        self,
        simulator: Simulator,
        cfg: MettaGridConfig,
        *,
        vibes: Vibes = "none",
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        self._vibes = checked_vibes(vibes)
        self._seed = 0
        self._world = world = OneWorld(simulator, cfg)
        world.start(self._seed)
        self.render_mode = render_mode
        self.possible_agents: list[int] = list(range(world.num_agents))
        self.agents: list[int] = list(self.possible_agents)
        # PettingZoo seeds the space of each agent, so agents do not share one.
        observations = world.buffers.observations
        self._observation_spaces = [byte_space(*observations.shape[1:]) for _ in self.agents]
        self._action_spaces = [choice_space(world.codec, self._vibes) for _ in self.agents]
        self._views = list(observations)
        self.state_space = byte_space(observations.size)

    def reset(
        self, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[dict[int, np.ndarray], dict[int, dict[str, Any]]]:
        """Start an episode with this seed, or the previous one, on the simulator's next map. `options` is ignored."""
        seed = self._seed if seed is None else seed
        self._world.start(seed)
        self._world.clear_actions()
        self._seed = seed
        self.agents = list(self.possible_agents)
        return dict(enumerate(self._views)), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[int, Any]
    ) -> tuple[dict[int, np.ndarray], dict[int, float], dict[int, bool], dict[int, bool], dict[int, dict[str, Any]]]:
        """Step once; an agent without an action repeats its last one. Agents that are done leave `agents`.

        Raises ValueError for an agent or an action that does not exist, before anything changes. Once all agents are
        done, `step` does nothing until `reset`.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        world = self._world
        split = [(agent, *self._split(agent, action)) for agent, action in actions.items()]
        for agent, primary, vibe in split:
            world.buffers.actions[agent] = primary
            world.vibe_actions[agent] = vibe
        world.simulation.step()
        agents, buffers = self.agents, world.buffers
        rewards, terminals, truncations = (
            array.tolist() for array in (buffers.rewards, buffers.terminals, buffers.truncations)
        )
        self.agents = [agent for agent in agents if not (terminals[agent] or truncations[agent])]
        return (
            {agent: self._views[agent] for agent in agents},
            {agent: rewards[agent] for agent in agents},
            {agent: terminals[agent] for agent in agents},
            {agent: truncations[agent] for agent in agents},
            {agent: {} for agent in agents},
        )

    def _split(self, agent: int, action: object) -> tuple[int, int]:
        if agent not in range(len(self._views)):
            raise ValueError(f"There is no agent {agent!r}; the agents are 0 to {len(self._views) - 1}")
        try:
            return self._world.codec.split_one(action, self._vibes)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Agent {agent}: {error}") from None

    def observation_space(self, agent: int) -> Box:
        return self._observation_spaces[agent]

    def action_space(self, agent: int) -> "Space[Any]":
        return self._action_spaces[agent]

    def state(self) -> np.ndarray:
        """Return all observations in agent order as one row, uint8 [agents * tokens * 3]: the engine's own memory."""
        return self._world.buffers.observations.reshape(-1)

    @property
    def max_steps(self) -> int:
        return self._world.config.game.max_steps

    @property
    def current_simulation(self) -> Simulation:
        """The simulation of the current episode."""
        return self._world.simulation

    def render(self) -> str | None:
        return self._world.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        self._world.close()


def aec_env(
    simulator: Simulator,
    cfg: MettaGridConfig,
    *,
    vibes: Vibes = "none",
    render_mode: Literal["ansi"] | None = None,
) -> AECEnv:
    """Return the world as PettingZoo's `AECEnv`, agent by agent: the step runs once the last agent has acted."""
    return parallel_to_aec(MettaGridPettingZooEnv(simulator, cfg, vibes=vibes, render_mode=render_mode))

"""One agent of a world as a Gymnasium environment.

Importing this module registers it: `gymnasium.make("mettagrid.envs.gym_env:MettaGrid-v0", cfg=config)`, and with
`gymnasium.make_vec(..., num_envs=64)` a `MettaGridVectorEnv`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.envs._actions import Vibes, checked_vibes
from mettagrid.envs._optional import extra
from mettagrid.envs._spaces import byte_space, choice_space
from mettagrid.envs._supervisor import BatchPolicy
from mettagrid.envs._world import OneWorld
from mettagrid.simulator import Simulation, Simulator, SimulatorEventHandler

with extra("envs"):
    import gymnasium

__all__ = ["MettaGridGymEnv"]

Others = Callable[[np.ndarray], Any] | BatchPolicy


class MettaGridGymEnv(gymnasium.Env[np.ndarray, Any]):
    """A Gymnasium `Env` for one agent; `others` decides for the other agents, which do nothing without it.

    An observation is uint8 [tokens, 3]. Gymnasium expects a new array from every call, so it is a copy; with
    `copy=False` it is always the engine's own array. `vibes` is as in `MettaGridPettingZooEnv`.

    `others` is called with all observations, uint8 [agents, tokens, 3], and returns an action for every agent in the
    encoding of the action space; the one of `agent_id` is ignored. Or it is a policy with `step_batch(observations,
    actions)`, which writes flat indices.

    `reset(seed=...)` determines everything: the engine's randomness and, if the map builder has no seed, the map. A
    builder with a seed starts at that seed again; every `reset()` without one goes to the next map.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 10}  # noqa: RUF012

    def __init__(
        self,
        cfg: MettaGridConfig,
        *,
        agent_id: int = 0,
        others: Others | None = None,
        vibes: Vibes = "none",
        event_handlers: Sequence[SimulatorEventHandler] = (),
        render_mode: Literal["ansi"] | None = None,
        copy: bool = True,
    ) -> None:
        if agent_id not in range(cfg.game.num_agents):
            raise ValueError(f"There is no agent {agent_id}; the agents are 0 to {cfg.game.num_agents - 1}")
        self._config = cfg
        self._agent = agent_id
        self._others = others
        self._vibes = checked_vibes(vibes)
        self._copies = copy
        self.render_mode = render_mode
        simulator = _Simulator()
        for handler in event_handlers:
            simulator.add_event_handler(handler)
        self._maps_used = 0
        self._world = OneWorld(simulator, cfg)
        self._labels = np.zeros(self._world.num_agents, np.int32)
        self._view = self._world.buffers.observations[agent_id]
        self.observation_space = byte_space(*self._view.shape)
        self.action_space = choice_space(self._world.codec, self._vibes)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self._maps_used = 0
        self._world.config = self._with_map_seed()
        self._world.start(int(self.np_random.integers(2**32)) if seed is None else seed % 2**32)
        self._world.clear_actions()
        return self._observation(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Step the whole world once. Raises ValueError or TypeError for an invalid action before anything changes."""
        world, agent = self._world, self._agent
        own = world.codec.split_one(action, self._vibes)
        if self._others is not None:
            world.buffers.actions[:], world.vibe_actions[:] = self._ask(self._others)
        world.buffers.actions[agent], world.vibe_actions[agent] = own
        world.simulation.step()
        buffers = world.buffers
        infos = dict(world.simulation._context.get("infos", {}))
        reward, terminal, truncation = (
            array.item(agent) for array in (buffers.rewards, buffers.terminals, buffers.truncations)
        )
        return self._observation(), reward, terminal, truncation, infos

    def _ask(self, others: Others) -> tuple[np.ndarray, np.ndarray]:
        world = self._world
        if isinstance(others, BatchPolicy):
            others.step_batch(world.buffers.observations, self._labels)
            return world.codec.split_flat(self._labels)
        actions = np.array(others(world.buffers.observations))
        if actions.shape[:1] == (world.num_agents,):
            actions[self._agent] = 0
        return world.codec.split(actions, self._vibes, world.num_agents)

    def _observation(self) -> np.ndarray:
        return self._view.copy() if self._copies else self._view

    def _with_map_seed(self) -> MettaGridConfig:
        """Return the configuration with the seed of the next map."""
        game = self._config.game
        builder = game.map_builder
        if "seed" not in type(builder).model_fields:
            return self._config
        own = getattr(builder, "seed", None)
        seed = int(self.np_random.integers(2**31)) if own is None else own + self._maps_used
        self._maps_used += 1
        game = game.model_copy(update={"map_builder": builder.model_copy(update={"seed": seed})})
        return self._config.model_copy(update={"game": game})

    @property
    def current_simulation(self) -> Simulation:
        """The simulation of the current episode."""
        return self._world.simulation

    def render(self) -> str | None:
        """Return the map as text with `render_mode="ansi"`, else None."""
        return self._world.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        self._world.close()


class _Simulator(Simulator):
    """Leaves the seeds of maps to the environment."""

    def next_map_seed(self, base_seed: int) -> int:
        return base_seed


gymnasium.register(
    "MettaGrid-v0",
    entry_point="mettagrid.envs.gym_env:MettaGridGymEnv",
    vector_entry_point="mettagrid.envs.vector_env:MettaGridVectorEnv",
)

"""The planner over many worlds in one call, to label observations for training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cogames_agents.planner.native import make_planner
from cogames_agents.planner.roster import opening
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["BatchedPlanner"]


class BatchedPlanner:
    """Decides for the agents of many worlds of one game, with the actions that `PlannerPolicy` takes in each.

    The agents lie world by world, as in `mettagrid.batch.Batch`. The number of `threads` only affects the speed.
    Reset a world when its episode ends.
    """

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        worlds: int,
        *,
        threads: int = 1,
        traits: Mapping[str, Any] | None = None,
    ) -> None:
        if worlds < 1 or threads < 1:
            raise ValueError(f"A batched planner needs at least 1 world and 1 thread, not {worlds} and {threads}.")
        self.num_agents = worlds * policy_env_info.num_agents
        self._worlds = worlds
        self._threads = min(threads, worlds)
        self._planner = make_planner(policy_env_info, {**opening(policy_env_info.num_agents), **(traits or {})}, worlds)

    def step(self, observations: np.ndarray, actions: np.ndarray) -> None:
        """Write an action for each observation: uint8 [agents, tokens, 3] to int32 [agents], flat action numbers."""
        if len(observations) != self.num_agents or len(actions) != self.num_agents:
            raise ValueError(
                f"There are {len(observations)} observations and {len(actions)} actions for {self.num_agents} agents."
            )
        self._planner.step_worlds(observations, actions, self._threads)

    def reset(self, worlds: Iterable[int] | None = None) -> None:
        """Begin new episodes, in all worlds or in those with the given numbers."""
        for world in range(self._worlds) if worlds is None else worlds:
            self._planner.reset(world)

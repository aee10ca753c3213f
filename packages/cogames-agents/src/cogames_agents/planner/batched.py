"""The planner over many worlds in one call, to label observations for training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from cogames_agents.planner.native import make_planner, native_traits
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["BatchedPlanner"]


class BatchedPlanner:
    """Decides for the agents of many worlds of one game, with the actions that `PlannerPolicy` takes in each.

    `traits` describe the character. One that changes from episode to episode gives `traits_of` instead: a function that
    returns the traits of a world's episode, by its number from 0. An episode counts once it has a step.

    The agents lie world by world, as in `mettagrid.batch.Batch`. The number of `threads` only affects the speed.
    Reset a world when its episode ends.
    """

    is_native = True

    def __init__(
        self,
        policy_env_info: PolicyEnvInterface,
        worlds: int,
        *,
        threads: int = 1,
        traits: Mapping[str, Any] | None = None,
        traits_of: Callable[[int], Mapping[str, Any]] | None = None,
    ) -> None:
        if worlds < 1 or threads < 1:
            raise ValueError(f"A batched planner needs at least 1 world and 1 thread, not {worlds} and {threads}.")
        self.num_agents = worlds * policy_env_info.num_agents
        self._worlds = worlds
        self._threads = min(threads, worlds)
        self._interface = policy_env_info
        self._traits_of = traits_of
        self._episodes = np.zeros(worlds, np.int64)
        self._has_played = np.zeros(worlds, np.bool_)
        first = traits_of(0) if traits_of is not None else traits or {}
        self._planner = make_planner(policy_env_info, first, worlds)

    def step(self, observations: np.ndarray, actions: np.ndarray) -> None:
        """Write an action for each observation: uint8 [agents, tokens, 3] to int32 [agents], flat action numbers."""
        if len(observations) != self.num_agents or len(actions) != self.num_agents:
            raise ValueError(
                f"There are {len(observations)} observations and {len(actions)} actions for {self.num_agents} agents."
            )
        self._has_played.fill(True)
        self._planner.step_worlds(observations, actions, self._threads)

    def reset(self, worlds: Iterable[int] | None = None) -> None:
        """Begin new episodes, in all worlds or in those with the given numbers."""
        for world in range(self._worlds) if worlds is None else worlds:
            self._planner.reset(world)  # also raises IndexError
            if self._traits_of is not None and self._has_played[world]:
                self._episodes[world] += 1
                traits = self._traits_of(int(self._episodes[world]))
                self._planner.reset_as(world, native_traits(self._interface, traits))
            self._has_played[world] = False

"""The starter cogs over many worlds in one call, to label observations for training."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cogames.policy.role_policies import AlignerRolePolicy, MinerRolePolicy, ScoutRolePolicy, ScramblerRolePolicy
from cogames.policy.starter_agent import MOVE_DELTAS, BaseStarterPolicy, StarterPolicy
from cogames_agents import _native  # type: ignore[attr-defined]  # the extension has no stub
from cogames_agents.interface import native_interface
from cogames_agents.planner.roster import ROLES
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

__all__ = ["BatchedStarter", "batched_starter"]

_CLASSES = (StarterPolicy, MinerRolePolicy, ScoutRolePolicy, AlignerRolePolicy, ScramblerRolePolicy)


class BatchedStarter:
    """Decides for the agents of many worlds of one game, with the actions that `starter` takes in each.

    With a `role`, all agents have it, as in the policy of that name. The agents lie world by world, as in
    `mettagrid.batch.Batch`. The number of `threads` only affects the speed. Reset a world when its episode ends.
    """

    is_native = True

    def __init__(
        self, policy_env_info: PolicyEnvInterface, worlds: int, *, threads: int = 1, role: str | None = None
    ) -> None:
        if worlds < 1 or threads < 1:
            raise ValueError(f"A batched starter needs at least 1 world and 1 thread, not {worlds} and {threads}.")
        if role is not None and role not in ROLES:
            raise ValueError(f"The starter has no role {role!r}; its roles are {', '.join(ROLES)}")
        for direction in MOVE_DELTAS:
            if f"move_{direction}" not in policy_env_info.action_names:
                raise ValueError(f"The starter policy needs the action move_{direction}, which this game does not have")
        self.num_agents = worlds * policy_env_info.num_agents
        self._worlds = worlds
        self._threads = min(threads, worlds)
        number = len(ROLES) if role is None else ROLES.index(role)
        agents = policy_env_info.num_agents
        self._starter = _native.Starter(*native_interface(policy_env_info), agents, number, worlds)

    def step(self, observations: np.ndarray, actions: np.ndarray) -> None:
        """Write an action for each observation: uint8 [agents, tokens, 3] to int32 [agents], flat action numbers."""
        if len(observations) != self.num_agents or len(actions) != self.num_agents:
            raise ValueError(
                f"There are {len(observations)} observations and {len(actions)} actions for {self.num_agents} agents."
            )
        self._starter.step_worlds(observations, actions, self._threads)

    def reset(self, worlds: Iterable[int] | None = None) -> None:
        """Begin new episodes, in all worlds or in those with the given numbers."""
        for world in range(self._worlds) if worlds is None else worlds:
            self._starter.reset(world)


def batched_starter(policy: MultiAgentPolicy, worlds: int, *, threads: int = 1) -> BatchedStarter | None:
    """Return the batched form of `starter` and of the four roles; None for any other class, also for subclasses."""
    if type(policy) not in _CLASSES:
        return None
    assert isinstance(policy, BaseStarterPolicy)
    return BatchedStarter(policy.policy_env_info, worlds, threads=threads, role=policy._role)

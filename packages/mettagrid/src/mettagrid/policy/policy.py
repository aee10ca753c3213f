"""The classes to derive a policy from.

A `MultiAgentPolicy` is created once for a game and returns one `AgentPolicy` for each agent it controls. The runner
asks every agent's policy for an action in each step; policies with `step_batch` can decide for all agents at once.
Policies with memory derive from `StatefulPolicyImpl` and let `StatefulAgentPolicy` hold the memory of each agent.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_registry import PolicyRegistryMeta
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.simulator.interface import AgentObservation
from mettagrid.simulator.simulator import Simulation
from mettagrid.types import Action

if TYPE_CHECKING:
    from mettagrid.policy.batched import BatchedPolicy
    from mettagrid.policy.nim_policy import NimMultiAgentPolicy

__all__ = [
    "AgentPolicy",
    "MultiAgentPolicy",
    "NimMultiAgentPolicy",
    "PolicySpec",
    "StatefulAgentPolicy",
    "StatefulPolicyImpl",
]

StateType = TypeVar("StateType")


class AgentPolicy:
    """Decides for one agent. Override `step`; everything else has a default."""

    def __init__(self, policy_env_info: PolicyEnvInterface) -> None:
        self._policy_env_info = policy_env_info
        self._infos: dict[str, Any] = {}

    @property
    def policy_env_info(self) -> PolicyEnvInterface:
        return self._policy_env_info

    @property
    def infos(self) -> dict[str, Any]:
        """The infos of the policy's last step, which replays and viewers show."""
        return getattr(self, "_infos", {})  # a policy may not have called super().__init__

    def step(self, obs: AgentObservation) -> Action:
        """Return the action for this observation."""
        raise NotImplementedError(f"{type(self).__name__} does not implement step(obs)")

    def reset(self, simulation: Simulation | None = None) -> None:
        """Start an episode; called at the start of each one."""

    def can_step_group(self, policies: Sequence[AgentPolicy]) -> bool:
        """Return whether `step_group` of this policy decides for all of `policies`, including this one."""
        return False

    def step_group(self, observations: list[tuple[int, AgentObservation]]) -> list[Action]:
        """Return one action for each (agent id, observation), in order; called only if `can_step_group` is true."""
        raise NotImplementedError(f"{type(self).__name__} returns True from can_step_group but has no step_group")


class MultiAgentPolicy(metaclass=PolicyRegistryMeta):
    """A policy for any number of agents. Override `agent_policy`; everything else has a default.

    `short_names` are the names users may type instead of the class path. `minimum_action_timeout_ms` asks for at least
    that much time in each step; `action_timeout_ms` is what was granted.
    """

    short_names: ClassVar[list[str] | None] = None
    minimum_action_timeout_ms: int = 0

    def __init__(self, policy_env_info: PolicyEnvInterface, device: str = "cpu", **kwargs: Any) -> None:
        self._policy_env_info = policy_env_info
        self._action_timeout_ms = self.minimum_action_timeout_ms

    @property
    def policy_env_info(self) -> PolicyEnvInterface:
        return self._policy_env_info

    @property
    def action_timeout_ms(self) -> int:
        return getattr(self, "_action_timeout_ms", self.minimum_action_timeout_ms)

    def configure_action_timeout_ms(self, _action_timeout_ms: int) -> None:
        """Set the time limit of each step; the runner calls it before the episode."""
        self._action_timeout_ms = _action_timeout_ms

    @abstractmethod
    def agent_policy(self, agent_id: int) -> AgentPolicy:
        """Return the policy of one agent; called once for each agent in an episode."""
        ...

    def load_policy_data(self, policy_data_path: str) -> None:
        """Read weights from a file; does nothing for a policy without weights."""

    def save_policy_data(self, policy_data_path: str) -> None:
        """Write weights to a file; does nothing for a policy without weights."""

    def network(self) -> Any:
        """Return the network to train, a `torch.nn.Module`, or None for a policy without one."""
        return None

    def reset(self) -> None:
        """Forget everything about earlier episodes."""

    def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
        """Decide for all agents at once.

        `raw_observations` is uint8 [agents, tokens, 3]; write positions in `all_action_names` to `raw_actions`,
        int32 [agents].
        """
        raise NotImplementedError(f"{type(self).__name__} does not implement step_batch")

    def batched(self, worlds: int, *, threads: int = 1) -> BatchedPolicy | None:
        """Return a form of this policy that decides for many worlds in one call, or None if there is none.

        Its actions equal those of `agent_policy(i).step` of a new policy in each world on its own; the number of
        `threads` only affects the speed. Call `mettagrid.policy.batched.batched_form`, which returns a form for any
        policy.
        """
        return None


class StatefulPolicyImpl(Generic[StateType]):
    """The decisions of a policy with memory, for all its agents; the memory of an agent is passed in and out.

    The `_infos` that a step leaves behind become the `infos` of its agent.
    """

    _infos: dict[str, Any]

    @abstractmethod
    def initial_agent_state(self) -> StateType:
        """Return the memory of an agent at the start of an episode."""
        ...

    def step_with_state(self, obs: AgentObservation, state: StateType) -> tuple[Action, StateType]:
        """Return the action for this observation, and the memory for the next one."""
        raise NotImplementedError(f"{type(self).__name__} does not implement step_with_state(obs, state)")

    def reset(self) -> None:
        """Start an episode of an agent; called before `initial_agent_state`."""

    def set_active_agent(self, agent_id: int | None) -> None:
        """Set the agent of the next step; called before each step."""


class StatefulAgentPolicy(AgentPolicy, Generic[StateType]):
    """One agent of a policy with memory: keeps the agent's state between the steps of `base_policy`."""

    def __init__(
        self,
        base_policy: StatefulPolicyImpl[StateType],
        policy_env_info: PolicyEnvInterface,
        agent_id: int | None = None,
    ) -> None:
        super().__init__(policy_env_info)
        self._base_policy = base_policy
        self._state: StateType | None = None
        self._agent_id = agent_id
        self._agent_states: dict[int, StateType] = {}
        self._action_name_to_index = policy_env_info.action_name_to_flat_index
        self._simulation: Simulation | None = None
        self._state_initialized = False

    def reset(self, simulation: Simulation | None = None) -> None:
        """Start an episode with a fresh state."""
        self._initialize_state(simulation)

    def step(self, obs: AgentObservation) -> Action:
        if not self._state_initialized:
            self._initialize_state(self._simulation)
        self._base_policy.set_active_agent(self._agent_id)
        state: Any = self._state
        with _without_gradients():
            action, self._state = self._base_policy.step_with_state(obs, state)
        self._remember()
        infos = getattr(self._base_policy, "_infos", None)
        if infos is not None:
            self._infos = infos
        return action

    def _initialize_state(self, simulation: Simulation | None) -> None:
        self._simulation = simulation
        self._base_policy.reset()
        self._state = self._base_policy.initial_agent_state()
        self._state_initialized = True
        self._remember()

    def _remember(self) -> None:
        if self._agent_id is not None:
            state: Any = self._state
            self._agent_states[self._agent_id] = state


def _without_gradients() -> AbstractContextManager[object]:
    """Return torch's no_grad if torch is imported, else an empty context manager."""
    torch = sys.modules.get("torch")
    return nullcontext() if torch is None else torch.no_grad()


def __getattr__(name: str) -> Any:
    # Loaded on use: it needs ctypes and the classes above.
    if name in ("NimMultiAgentPolicy", "_NimAgentPolicy"):
        from mettagrid.policy import nim_policy

        return getattr(nim_policy, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

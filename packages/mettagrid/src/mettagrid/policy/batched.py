"""Policies that decide for many worlds in one call, such as teachers and opponents in training.

    policy = initialize_or_load_policy(policy_env_info, spec)
    batched = batched_form(policy, worlds=len(batch.worlds), make=lambda: initialize_or_load_policy(...))
    batched.step(batch.observations, labels)

A policy has a batched form if it overrides `MultiAgentPolicy.batched`. A package can also register one for a policy of
another package, by the path of its class:

    [project.entry-points."mettagrid.batched_policies"]
    "my_agents.walker.WalkerPolicy" = "my_fast_agents.walker:batched_walker"

The value is a function `(policy, worlds, *, threads)` that returns a `BatchedPolicy`, or None if it has none for this
policy. It is called only for objects of exactly that class: a subclass may decide differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import entry_points
from typing import Protocol

import numpy as np

from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator._observation import ObservationDecoder
from mettagrid.simulator.interface import AgentObservation
from mettagrid.types import Action

__all__ = ["ENTRY_POINT_GROUP", "BatchedPolicy", "OneByOne", "batched_form"]

ENTRY_POINT_GROUP = "mettagrid.batched_policies"
_DECISIONS = ("agent_policy", "step_batch", "reset")


class BatchedPolicy(Protocol):
    """Decides for the agents of many worlds of one game.

    The agents lie world by world, as in `mettagrid.batch.Batch`. The actions equal those of `agent_policy(i).step` of a
    new policy in each world on its own, randomness aside.
    """

    @property
    def num_agents(self) -> int:
        """The number of agents in all worlds together."""
        ...

    @property
    def is_native(self) -> bool:
        """Whether the form is fast: false for one that runs Python code for each agent."""
        ...

    def step(self, observations: np.ndarray, actions: np.ndarray) -> None:
        """Write the action of each observation: uint8 [agents, tokens, 3] to int32 [agents].

        Actions are positions in `all_action_names`. The arrays must be contiguous and stay the caller's. Raises
        ValueError for another number of agents.
        """
        ...

    def reset(self, worlds: Iterable[int] | None = None) -> None:
        """Begin new episodes, in all worlds or in those with the given numbers; IndexError for an unknown world."""
        ...


def batched_form(
    policy: MultiAgentPolicy,
    worlds: int,
    *,
    threads: int = 1,
    make: Callable[[], MultiAgentPolicy] | None = None,
) -> BatchedPolicy:
    """Return the policy's own batched form, else a registered one, else `OneByOne`.

    `make` returns a new policy like the given one; see `OneByOne`. An inherited `batched` is not used if a subclass
    overrides the decisions, which the form would not know about.
    """
    form: BatchedPolicy | None = None
    if _is_current(type(policy)):
        form = policy.batched(worlds, threads=threads)
    path = f"{type(policy).__module__}.{type(policy).__qualname__}"
    for point in entry_points(group=ENTRY_POINT_GROUP, name=path):
        if form is None:
            form = point.load()(policy, worlds, threads=threads)
    return OneByOne(policy, worlds, make=make) if form is None else form


def _is_current(policy_class: type[MultiAgentPolicy]) -> bool:
    """Return whether no subclass of the class that defines `batched` redefines the decisions."""
    for base in policy_class.__mro__:
        if "batched" in vars(base):
            return True
        if any(name in vars(base) for name in _DECISIONS):
            return False
    return False


class OneByOne:
    """Asks the agent policies of any policy one after the other.

    `make` returns a new policy; each world after the first gets one of its own. Without it all worlds share `policy`,
    which is right only if the memory of an episode is in the agent policies and not in the policy itself. A step with
    both a primary action and a vibe counts as the primary action, except `noop`.
    """

    is_native = False

    def __init__(
        self, policy: MultiAgentPolicy, worlds: int, *, make: Callable[[], MultiAgentPolicy] | None = None
    ) -> None:
        interface = policy.policy_env_info
        if worlds < 1:
            raise ValueError(f"A batch needs at least 1 world, not {worlds}.")
        if interface.observation_kind != "token":
            raise ValueError(f"Observations must be tokens; this game has {interface.observation_kind!r}")
        self.num_agents = worlds * interface.num_agents
        self._agents = interface.num_agents
        self._numbers = interface.action_name_to_flat_index
        self._decode = _decoder(interface).decode
        self._owns_policies = make is not None or worlds == 1
        policies = [policy, *(policy if make is None else make() for _ in range(worlds - 1))]
        self._worlds = [_Episode(each, self._agents) for each in policies]

    def step(self, observations: np.ndarray, actions: np.ndarray) -> None:
        if len(observations) != self.num_agents or len(actions) != self.num_agents:
            raise ValueError(
                f"There are {len(observations)} observations and {len(actions)} actions for {self.num_agents} agents."
            )
        for number, world in enumerate(self._worlds):
            part = slice(number * self._agents, (number + 1) * self._agents)
            actions[part] = [self._number(action) for action in world.step(self._observe(observations[part]))]

    def reset(self, worlds: Iterable[int] | None = None) -> None:
        for number in range(len(self._worlds)) if worlds is None else worlds:
            if not 0 <= number < len(self._worlds):
                raise IndexError(f"there is no world {number}")
            self._worlds[number].begin(reset_policy=self._owns_policies)

    def _observe(self, rows: np.ndarray) -> list[AgentObservation]:
        trim, decode = ObservationDecoder.trim, self._decode
        return [AgentObservation._from_bytes(i, trim(row.tobytes()), decode, ()) for i, row in enumerate(rows)]

    def _number(self, action: Action) -> int:
        name = action.vibe if action.vibe is not None and action.name == "noop" else action.name
        if name not in self._numbers:
            raise ValueError(f"The policy chose the action {name!r}, which this game does not have")
        return self._numbers[name]


class _Episode:
    """The agent policies of one world."""

    def __init__(self, policy: MultiAgentPolicy, agents: int) -> None:
        self._policy = policy
        self._count = agents
        self.begin(reset_policy=False)

    def begin(self, *, reset_policy: bool) -> None:
        """Begin an episode, as runners do: with new agent policies."""
        if reset_policy:
            self._policy.reset()
        self._cogs: Sequence[AgentPolicy] = [self._policy.agent_policy(agent) for agent in range(self._count)]
        for cog in self._cogs:
            cog.reset()

    def step(self, observations: Sequence[AgentObservation]) -> Iterable[Action]:
        return (cog.step(seen) for cog, seen in zip(self._cogs, observations, strict=True))


def _decoder(interface: PolicyEnvInterface) -> ObservationDecoder:
    height, width = interface.egocentric_shape
    return ObservationDecoder(interface.obs_features, token_value_base=256, obs_height=height, obs_width=width)

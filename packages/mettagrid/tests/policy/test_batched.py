"""Any policy has a batched form: its own, a registered one, or one that asks agent by agent."""

from __future__ import annotations

import random
from collections.abc import Iterable
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

from mettagrid.policy import batched
from mettagrid.policy.batched import BatchedPolicy, OneByOne, batched_form
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.random_agent import RandomMultiAgentPolicy
from mettagrid.simulator import AgentObservation, Simulation
from mettagrid.types import Action

AGENTS = 3


@pytest.fixture
def interface() -> PolicyEnvInterface:
    return PolicyEnvInterface(
        obs_features=[{"id": 0, "name": "tag", "normalization": 1.0}, {"id": 1, "name": "vibe", "normalization": 1.0}],
        tags=["wall"],
        action_names=["noop", "move_north", "move_south"],
        vibe_action_names=["change_vibe_a"],
        num_agents=AGENTS,
        observation_shape=(4, 3),
        egocentric_shape=(3, 3),
    )


class Counting(AgentPolicy):
    """Takes the action whose number is its own steps plus its team's, and checks what it sees."""

    def __init__(self, team: CountingTeam, agent_id: int) -> None:
        super().__init__(team.policy_env_info)
        self.team, self.agent_id, self.steps = team, agent_id, 0

    def reset(self, simulation: Simulation | None = None) -> None:
        self.steps = 0

    def step(self, obs: AgentObservation) -> Action:
        assert obs.agent_id == self.agent_id
        assert [(token.feature.name, token.value) for token in obs.tokens] == [("vibe", self.agent_id)]
        self.steps += 1
        self.team.steps += 1
        names = self.policy_env_info.all_action_names
        return Action(name=names[(self.steps + self.team.steps) % len(names)])


class CountingTeam(MultiAgentPolicy):
    def __init__(self, policy_env_info: PolicyEnvInterface) -> None:
        super().__init__(policy_env_info)
        self.steps = 0

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return Counting(self, agent_id)

    def reset(self) -> None:
        self.steps = 0


class Answering(MultiAgentPolicy):
    """Takes one given action."""

    def __init__(self, policy_env_info: PolicyEnvInterface, action: Action) -> None:
        super().__init__(policy_env_info)
        self.action = action

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        agent = AgentPolicy(self.policy_env_info)
        agent.step = lambda obs: self.action  # type: ignore[method-assign]
        return agent


class Native:
    """Stands for a form in native code."""

    is_native = True

    def __init__(self, num_agents: int) -> None:
        self.num_agents = num_agents

    def step(self, observations: np.ndarray, actions: np.ndarray) -> None:
        actions[:] = 0

    def reset(self, worlds: Iterable[int] | None = None) -> None: ...


class Fast(CountingTeam):
    def batched(self, worlds: int, *, threads: int = 1) -> BatchedPolicy | None:
        return Native(worlds * AGENTS)


class FasterStill(Fast):
    """A subclass with the same decisions."""


class OtherDecisions(Fast):
    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return Counting(self, agent_id)


def rows(worlds: int) -> np.ndarray:
    """Return observations in which each agent sees its own number."""
    observations = np.full((worlds * AGENTS, 4, 3), 255, np.uint8)
    observations[:, 0] = [[0x11, 1, agent % AGENTS] for agent in range(worlds * AGENTS)]
    return observations


def step(form: BatchedPolicy, worlds: int) -> list[int]:
    actions = np.full(worlds * AGENTS, -1, np.int32)
    form.step(rows(worlds), actions)
    return actions.tolist()


def make_finder(path: str, factory: str) -> Any:
    """Return an `entry_points` that knows one registered form."""
    point = EntryPoint(path, f"{__name__}:{factory}", batched.ENTRY_POINT_GROUP)

    def find(*, group: str, name: str) -> list[EntryPoint]:
        return [point] if (group, name) == (point.group, point.name) else []

    return find


def native_form(policy: MultiAgentPolicy, worlds: int, *, threads: int) -> BatchedPolicy | None:
    return Native(worlds * AGENTS) if threads == 2 else None


def test_one_by_one_takes_the_actions_of_each_world_on_its_own(interface: PolicyEnvInterface) -> None:
    form = batched_form(CountingTeam(interface), 2, make=lambda: CountingTeam(interface))
    assert isinstance(form, OneByOne) and form.num_agents == 6 and not form.is_native
    assert step(form, 2) == [2, 3, 0] * 2  # own steps + team steps, modulo 4
    assert step(form, 2) == [2, 3, 0] * 2
    form.reset([1])
    assert step(form, 2) == [2, 3, 0, 2, 3, 0]
    form.reset([1])
    assert step(form, 2)[3:] == [2, 3, 0]


def test_without_a_factory_worlds_share_the_policy_and_only_agents_are_reset(interface: PolicyEnvInterface) -> None:
    policy = CountingTeam(interface)
    form = batched_form(policy, 2)
    assert step(form, 2) == [2, 3, 0, 1, 2, 3]
    form.reset()
    assert policy.steps == 6


def test_foreign_and_random_policies_get_valid_actions(interface: PolicyEnvInterface) -> None:
    random.seed(3)
    form = batched_form(RandomMultiAgentPolicy(interface), 2, threads=4)
    assert isinstance(form, OneByOne)
    drawn = {action for _ in range(30) for action in step(form, 2)}
    assert drawn == {0, 1, 2, 3}


def test_a_vibe_beside_noop_counts_and_an_unknown_action_is_refused(interface: PolicyEnvInterface) -> None:
    def answer(action: Action) -> list[int]:
        return step(OneByOne(Answering(interface, action), 1), 1)

    assert answer(Action(name="noop", vibe="change_vibe_a")) == [3, 3, 3]
    assert answer(Action(name="move_south", vibe="change_vibe_a")) == [2, 2, 2]
    with pytest.raises(ValueError, match="chose the action 'jump', which this game does not have"):
        answer(Action(name="jump"))


def test_own_forms_are_used_unless_a_subclass_decides_differently(interface: PolicyEnvInterface) -> None:
    assert isinstance(batched_form(Fast(interface), 2), Native)
    assert isinstance(batched_form(FasterStill(interface), 2), Native)
    assert isinstance(batched_form(OtherDecisions(interface), 2), OneByOne)
    assert CountingTeam(interface).batched(2) is None


def test_registered_forms_are_used_for_exactly_their_class(
    interface: PolicyEnvInterface, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Subclass(CountingTeam):
        pass

    monkeypatch.setattr(batched, "entry_points", make_finder(f"{__name__}.CountingTeam", "native_form"))
    assert isinstance(batched_form(CountingTeam(interface), 2, threads=2), Native)
    assert isinstance(batched_form(CountingTeam(interface), 2, threads=1), OneByOne)  # the factory has none
    assert isinstance(batched_form(Subclass(interface), 2, threads=2), OneByOne)


def test_wrong_arguments_are_refused(interface: PolicyEnvInterface) -> None:
    form = batched_form(CountingTeam(interface), 1)
    with pytest.raises(ValueError, match="There are 6 observations and 3 actions for 3 agents"):
        form.step(rows(2), np.zeros(3, np.int32))
    with pytest.raises(IndexError, match="no world 1"):
        form.reset([1])
    with pytest.raises(ValueError, match="at least 1 world"):
        batched_form(CountingTeam(interface), 0)
    boxes = interface.model_copy(update={"observation_kind": "box"})
    with pytest.raises(ValueError, match="Observations must be tokens"):
        batched_form(CountingTeam(boxes), 1)

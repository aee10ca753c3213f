"""`check_policy` on policies with one planted mistake each."""

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mettagrid
from mettagrid.checks import BadPolicy, PolicyProblemKind
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.checks import check_policy, refuse_bad_policy
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.simulator import AgentObservation
from mettagrid.types import Action

from .conftest import MakeBundle


class Agent(AgentPolicy):
    """Walks in a circle, one direction for three steps."""

    def __init__(self, info: PolicyEnvInterface) -> None:
        super().__init__(info)
        self.steps = 0

    def reset(self, simulation: Any = None) -> None:
        self.steps = 0

    def step(self, obs: AgentObservation) -> Action:
        self.steps += 1
        return Action(name=self.policy_env_info.action_names[1 + self.steps // 3 % 4])


class Good(MultiAgentPolicy):
    agent: type[AgentPolicy] = Agent

    def agent_policy(self, agent_id: int) -> AgentPolicy:
        return self.agent(self.policy_env_info)


def kinds(policy: Any, **arguments: Any) -> list[PolicyProblemKind]:
    return [problem.kind for problem in check_policy(policy, **arguments)]  # type: ignore[misc]


def with_agent(**methods: Any) -> type[MultiAgentPolicy]:
    """A good policy whose agents have some methods replaced."""
    agent = type("Changed", (Agent,), methods)
    return type("Policy", (Good,), {"agent": agent})


def test_a_good_policy_has_no_problems_in_any_form(env_info: PolicyEnvInterface) -> None:
    game = MettaGridConfig.EmptyRoom(num_agents=2)
    info = PolicyEnvInterface.from_mg_cfg(game)
    assert mettagrid.check_policy(Good) == []
    assert check_policy(Good(info), game) == []
    assert check_policy("noop") == check_policy(PolicySpec(class_path="random")) == []
    refuse_bad_policy(Good, strict=True)


def test_a_bundle_is_checked_by_its_path(make_bundle: MakeBundle) -> None:
    assert check_policy(str(make_bundle("mine.zip"))) == []


def test_the_object_and_the_shared_generators_are_left_as_they_were() -> None:
    game = MettaGridConfig.EmptyRoom(num_agents=2)
    policy = Good(PolicyEnvInterface.from_mg_cfg(game))
    before = vars(policy).copy(), random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    check_policy(policy, game)
    check_policy("random")
    after = vars(policy).copy(), random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    assert before == after


def test_a_policy_that_cannot_be_made(tmp_path: Path) -> None:
    class Picky(Good):
        def __init__(self, policy_env_info: PolicyEnvInterface) -> None:
            raise KeyError("hub")

    assert kinds(Picky) == ["load"]
    (problem,) = check_policy("no_such_policy")
    assert str(problem).startswith("construction: It cannot be made: ModuleNotFoundError: Invalid symbol name")
    assert kinds(str(tmp_path / "none.zip")) == ["load"]
    assert kinds(PolicySpec(class_path="noop", init_kwargs={"colour": "red"})) == ["load"]


def test_agents_without_a_policy() -> None:
    class Nobody(MultiAgentPolicy):
        def agent_policy(self, agent_id: int) -> Any:
            return None

    class Few(Good):
        def agent_policy(self, agent_id: int) -> AgentPolicy:
            return [Agent(self.policy_env_info)][agent_id]

    (problem,) = check_policy(Nobody)
    assert (problem.kind, problem.place) == ("agent_policy", "agent 0") and "returns a NoneType" in problem.message
    assert [(p.kind, p.place) for p in check_policy(Few)] == [("agent_policy", "agent 1")]


def test_a_step_that_raises() -> None:
    def step(self: Agent, obs: AgentObservation) -> Action:
        self.steps += 1
        return Action(name=["noop", "noop"][self.steps])

    (problem,) = check_policy(with_agent(step=step))
    assert (problem.kind, problem.place) == ("crash", "agent 0, step 1") and "IndexError" in problem.message
    with pytest.raises(BadPolicy, match="The policy 'Policy' has 1 problem:\n  agent 0, step 1: It raises IndexError"):
        refuse_bad_policy(with_agent(step=step))


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (None, "step returns a NoneType"),
        ("noop", "step returns a str"),
        (Action(name="fly"), "There is no action 'fly'"),
        (Action(name="noop", vibe="change_vibe_x"), "There is no vibe action 'change_vibe_x'"),
        (Action(name="noop", vibe="noop"), "There is no vibe action 'noop'"),
        (Action(name="noop", talk="hello"), "this game has no talk"),
    ],
)
def test_something_the_game_has_no_action_for(returned: Any, says: str) -> None:
    problems = check_policy(with_agent(step=lambda self, obs: returned))
    assert [problem.kind for problem in problems] == ["action"]  # once, however often it happens
    assert says in problems[0].message and problems[0].place == "agent 0, step 0"


def test_texts_that_are_too_long() -> None:
    game = MettaGridConfig.EmptyRoom(num_agents=1)
    game.game.talk.enabled, game.game.talk.max_length = True, 5
    assert kinds(with_agent(step=lambda self, obs: Action(name="noop", talk="hi")), env=game) == []
    assert kinds(with_agent(step=lambda self, obs: Action(name="noop", talk="hello!")), env=game) == ["action"]


def test_a_second_episode_that_cannot_be_played() -> None:
    class Once(Good):
        used = False

        def agent_policy(self, agent_id: int) -> AgentPolicy:
            return Agent(self.policy_env_info)

        def reset(self) -> None:
            raise RuntimeError("already used")

    (problem,) = check_policy(Once)
    assert problem.kind == "reset" and "already used" in problem.message


class ChanceAgent(Agent):
    """Draws from a generator that nothing seeds."""

    def step(self, obs: AgentObservation) -> Action:
        return Action(name=random.SystemRandom().choice(self.policy_env_info.action_names))


class Chance(Good):
    agent = ChanceAgent

    def __init__(self, policy_env_info: PolicyEnvInterface, seed: int = 0) -> None:
        super().__init__(policy_env_info)


def test_chance_that_no_seed_reaches_is_a_warning_unless_the_policy_takes_a_seed() -> None:
    (problem,) = check_policy(Chance)
    assert problem.kind == "not_repeatable" and problem.is_warning
    (problem,) = check_policy(PolicySpec(class_path=f"{__name__}.Chance", init_kwargs={"seed": 3}))
    assert problem.kind == "not_repeatable" and not problem.is_warning


def test_agents_that_share_one_memory() -> None:
    class Shared(Good):
        def __init__(self, info: PolicyEnvInterface, device: str = "cpu") -> None:
            super().__init__(info, device)
            self.one = Agent(info)

        def agent_policy(self, agent_id: int) -> AgentPolicy:
            return self.one

    (problem,) = check_policy(Shared)
    assert problem.kind == "shared_state" and problem.is_warning and "one object for all agents" in problem.message
    assert kinds(Shared, env=MettaGridConfig.EmptyRoom(num_agents=1)) == []


def test_observations_that_are_empty_or_full() -> None:
    def step(self: Agent, obs: AgentObservation) -> Action:
        assert obs.tokens[0]
        assert len(obs.tokens) < 400
        return Action(name="noop")

    problems = check_policy(with_agent(step=step))
    assert [(p.kind, p.place) for p in problems] == [
        ("odd_observation", "an empty observation"),
        ("odd_observation", "a full observation"),
    ]
    assert all(problem.is_warning for problem in problems)


class TestBatches:
    class Batch(Good):
        offset = 0

        def __init__(self, info: PolicyEnvInterface, device: str = "cpu") -> None:
            super().__init__(info, device)
            self.steps = 0

        def step_batch(self, raw_observations: np.ndarray, raw_actions: np.ndarray) -> None:
            self.steps += 1
            raw_actions[:] = 1 + self.steps // 3 % 4 + self.offset

    def test_a_batch_that_agrees(self) -> None:
        assert check_policy(self.Batch) == []

    def test_a_batch_that_disagrees(self) -> None:
        class Off(self.Batch):  # type: ignore[name-defined, misc]
            offset = 1

        (problem,) = check_policy(Off)
        assert (problem.kind, problem.place) == ("batch", "agent 0, step 0")
        assert problem.message == "step_batch chooses move_south and step chooses move_north."

    def test_a_batch_with_numbers_that_are_no_actions(self) -> None:
        class Far(self.Batch):  # type: ignore[name-defined, misc]
            offset = 1000

        (problem,) = check_policy(Far)
        assert problem.kind == "batch" and "step_batch writes 1001; actions are from 0 to" in problem.message


def test_infos_that_are_no_json() -> None:
    def step(self: Agent, obs: AgentObservation) -> Action:
        self._infos = {"where": {1, 2}}
        return Action(name="noop")

    assert kinds(with_agent(step=step)) == ["infos"]


def test_slowness_is_told_with_its_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    (problem,) = check_policy(Good, max_action_time_ms=500)
    assert problem.message == "The slowest step took 1000 ms; 500 ms are allowed." and problem.is_warning


def test_printing_is_told_and_swallowed(capsys: pytest.CaptureFixture[str]) -> None:
    def step(self: Agent, obs: AgentObservation) -> Action:
        print("debug", obs.agent_id)
        return Action(name="noop")

    (problem,) = check_policy(with_agent(step=step))
    assert problem.kind == "prints" and "'debug 0'" in problem.message
    assert capsys.readouterr().out == ""


def test_errors_come_before_warnings() -> None:
    def step(self: Agent, obs: AgentObservation) -> Action:
        print("x")
        return Action(name="fly")

    assert kinds(with_agent(step=step)) == ["action", "prints"]

"""The classes that policies derive from."""

import ctypes
import sys
import types
from typing import Any

import numpy as np
import pytest

from mettagrid.config.id_map import ObservationFeatureSpec
from mettagrid.policy.policy import (
    AgentPolicy,
    MultiAgentPolicy,
    NimMultiAgentPolicy,
    PolicySpec,
    StatefulAgentPolicy,
    StatefulPolicyImpl,
)
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.simulator import AgentObservation, ObservationToken
from mettagrid.types import Action

NOTHING = AgentObservation(agent_id=0, tokens=[])


class Counting(StatefulPolicyImpl[int]):
    """Counts steps; an agent moves in every second one."""

    def __init__(self) -> None:
        self.resets = 0
        self.active: list[int | None] = []

    def initial_agent_state(self) -> int:
        return 0

    def step_with_state(self, obs: AgentObservation, state: int) -> tuple[Action, int]:
        self._infos = {"count": state}
        return Action(name=["noop", "move_north"][state % 2]), state + 1

    def reset(self) -> None:
        self.resets += 1

    def set_active_agent(self, agent_id: int | None) -> None:
        self.active.append(agent_id)


def test_a_policy_without_a_step_says_so(env_info: PolicyEnvInterface) -> None:
    with pytest.raises(NotImplementedError, match="AgentPolicy does not implement step"):
        AgentPolicy(env_info).step(NOTHING)
    with pytest.raises(NotImplementedError, match="MultiAgentPolicy does not implement step_batch"):
        MultiAgentPolicy(env_info).step_batch(np.zeros((2, 10, 3), np.uint8), np.zeros(2, np.int32))
    with pytest.raises(NotImplementedError, match="step_group"):
        AgentPolicy(env_info).step_group([(0, NOTHING)])


def test_everything_but_the_decision_has_a_default(env_info: PolicyEnvInterface) -> None:
    policy = MultiAgentPolicy(env_info, device="cuda", anything=3)
    agent = AgentPolicy(env_info)
    assert policy.policy_env_info is env_info is agent.policy_env_info
    assert policy.network() is None and policy.short_names is None
    policy.reset(), policy.load_policy_data("x"), policy.save_policy_data("x"), agent.reset()
    assert agent.infos == {} and not agent.can_step_group([agent])


def test_a_policy_is_told_how_much_time_a_step_has(env_info: PolicyEnvInterface) -> None:
    class Slow(MultiAgentPolicy):
        minimum_action_timeout_ms = 500

    policy = Slow(env_info)
    assert policy.action_timeout_ms == 500
    policy.configure_action_timeout_ms(2000)
    assert policy.action_timeout_ms == 2000


def test_policies_that_leave_out_the_parents_constructor_can_be_played(env_info: PolicyEnvInterface) -> None:
    class Agent(AgentPolicy):
        def __init__(self) -> None:
            pass

    class Policy(MultiAgentPolicy):
        minimum_action_timeout_ms = 500

        def __init__(self) -> None:
            pass

    assert Agent().infos == {} and Policy().action_timeout_ms == 500


def test_a_stateful_agent_keeps_its_state_between_steps_and_loses_it_on_reset(env_info: PolicyEnvInterface) -> None:
    decisions = Counting()
    agent = StatefulAgentPolicy(decisions, env_info, agent_id=1)
    assert [agent.step(NOTHING).name for _ in range(3)] == ["noop", "move_north", "noop"]
    assert agent.infos == {"count": 2} and decisions.active == [1, 1, 1] and decisions.resets == 1
    agent.reset()
    assert agent.step(NOTHING).name == "noop" and decisions.resets == 2


def test_agents_with_one_implementation_keep_their_states_apart(env_info: PolicyEnvInterface) -> None:
    decisions = Counting()
    first, second = (StatefulAgentPolicy(decisions, env_info, agent_id=number) for number in range(2))
    first.step(NOTHING)
    assert second.step(NOTHING).name == "noop" and first.step(NOTHING).name == "move_north"


def test_a_stateful_policy_needs_no_torch_and_uses_it_without_gradients_when_it_is_there(
    env_info: PolicyEnvInterface, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    agent = StatefulAgentPolicy(Counting(), env_info)
    agent.step(NOTHING)
    assert "torch" not in sys.modules

    entered: list[str] = []

    class NoGrad:
        def __enter__(self) -> None:
            entered.append("in")

        def __exit__(self, *_: object) -> None:
            entered.append("out")

    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(no_grad=NoGrad))  # type: ignore[arg-type]
    agent.step(NOTHING)
    assert entered == ["in", "out"]


def test_the_name_of_a_description_is_the_class_and_the_weights() -> None:
    assert PolicySpec(class_path="a.b.C").name == "C"
    assert PolicySpec(class_path="a.b.C", data_path="/x/model_000005.pt").name == "C-model_000005.pt"


class NativePolicy:
    """Stands in for a native policy: chooses action 2 for odd agents, and reads through the pointers it is given."""

    def __init__(self, config_json: str) -> None:
        self.config_json = config_json
        self.seen: list[list[int]] = []

    def step_batch(self, ids: Any, n: int, agents: int, tokens: int, dim: int, obs: int, names: int, out: int) -> None:
        seen = np.ctypeslib.as_array(ctypes.cast(obs, ctypes.POINTER(ctypes.c_uint8)), (agents, tokens, dim))
        actions = ctypes.cast(out, ctypes.POINTER(ctypes.c_int32))
        assert names == 3
        self.seen.append([int(seen[ids[index], 0, 0]) for index in range(n)])
        for index in range(n):
            actions[ids[index]] = 2 if ids[index] % 2 else 0

    def get_infos_json(self, agent_id: int) -> str:
        return f'{{"agent": {agent_id}}}'


def test_a_native_policy_decides_for_a_batch_and_for_one_agent(env_info: PolicyEnvInterface) -> None:
    policy = NimMultiAgentPolicy(env_info, NativePolicy)
    assert policy._nim_policy.config_json == env_info.to_json()
    observations = np.full((2, 10, 3), 255, np.uint8)
    observations[:, 0, 0] = [7, 8]
    actions = np.full(2, -1, np.int64)  # any integers will do
    policy.step_batch(observations, actions)
    assert actions.tolist() == [0, 2] and policy._nim_policy.seen == [[7, 8]]

    token = ObservationToken(ObservationFeatureSpec(id=1, name="x", normalization=1.0), 5, (0x22, 1, 5))
    agent = policy.agent_policy(1)
    assert agent.step(AgentObservation(1, [token] * 20)).name == "change_vibe_heart"
    assert policy._nim_policy.seen[-1] == [0x22] and agent.infos == {"agent": 1}


def test_a_native_policy_for_some_agents_leaves_the_others_alone(env_info: PolicyEnvInterface) -> None:
    policy = NimMultiAgentPolicy(env_info, NativePolicy, agent_ids=[1], init_config_json="{}")
    assert policy._nim_policy.config_json == "{}"
    actions = np.full(2, 9, np.int32)
    policy.step_batch(np.zeros((2, 10, 3), np.uint8), actions)
    assert actions.tolist() == [9, 2]
    own = np.zeros(1, np.int32)
    policy.step_batch(np.zeros((1, 10, 3), np.uint8), own)
    assert own.tolist() == [2]
    with pytest.raises(ValueError, match="3 observations and 3 actions given; expected 2 of each, or 1"):
        policy.step_batch(np.zeros((3, 10, 3), np.uint8), np.zeros(3, np.int32))


def test_an_action_number_that_a_native_policy_invents_is_refused(env_info: PolicyEnvInterface) -> None:
    class Wrong(NativePolicy):
        def step_batch(self, *arguments: Any) -> None:
            ctypes.cast(arguments[7], ctypes.POINTER(ctypes.c_int32))[0] = 7

    policy = NimMultiAgentPolicy(env_info, Wrong)
    with pytest.raises(ValueError, match="chose action 7 for agent 0; actions are from 0 to 2"):
        policy.agent_policy(0).step(NOTHING)


def test_a_stateful_agent_can_be_asked_before_its_first_reset(env_info: PolicyEnvInterface) -> None:
    agent = StatefulAgentPolicy(Counting(), env_info, agent_id=0)
    assert [agent.step(NOTHING).name for _ in range(2)] == ["noop", "move_north"]
    assert agent._agent_states == {0: 2}


@pytest.mark.parametrize("shape", [(200, 3), (7, 7, 3)])
def test_a_recurrent_network_can_be_asked_before_its_first_reset(shape: tuple[int, ...]) -> None:
    pytest.importorskip("torch")
    from mettagrid.policy.lstm import LSTMPolicy

    interface = PolicyEnvInterface(
        obs_features=[],
        tags=[],
        action_names=["noop"],
        num_agents=1,
        observation_shape=shape,
        egocentric_shape=(7, 7),
    )
    feature = ObservationFeatureSpec(id=0, name="food", normalization=1.0)
    observation = AgentObservation(0, [ObservationToken(feature, value=1, raw_token=(0x33, 0, 1))])
    assert LSTMPolicy(interface).agent_policy(0).step(observation).name == "noop"

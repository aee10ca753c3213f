"""Small behaviours that published tests rely on."""

import ctypes
import json

import numpy as np
import pytest

from mettagrid import demo
from mettagrid.config.mettagrid_config import MettaGridConfig, TalkConfig
from mettagrid.mapgen.scenes import maze, wfc
from mettagrid.policy.nim_policy import NimMultiAgentPolicy
from mettagrid.policy.noop import NoopPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.protobuf.sim.policy_v1 import policy_pb2
from mettagrid.runner.policy_server import server
from mettagrid.simulator import ObservationToken, ReplayLogWriter
from mettagrid.util.grid_object_formatter import format_grid_object


def test_the_talk_resource_is_told_to_native_policies() -> None:
    config = MettaGridConfig.EmptyRoom(num_agents=1)
    config.game.talk = TalkConfig(enabled=True, broadcast_resource="heart")
    talk = json.loads(PolicyEnvInterface.from_mg_cfg(config).to_json())["talk"]
    assert talk == {"enabled": True, "max_length": 140, "cooldown_steps": 50, "broadcast_resource": "heart"}


@pytest.mark.parametrize("given", [{}, {"talk_text": "north", "talk_remaining_steps": 12}])
def test_a_formatted_agent_talks_as_its_object_does(given: dict[str, object]) -> None:
    state = {"id": 1, "type_name": "agent", "location": [2, 3], "agent_id": 0, "group_id": 0, **given}
    zeros = np.zeros(1, np.float32)
    formatted = format_grid_object(state, np.zeros((1, 2), np.int32), [True], zeros, zeros)
    assert {key: formatted[key] for key in ("talk_text", "talk_remaining_steps") if key in formatted} == given


class Recorder:
    """A native policy that copies the observations of all agents."""

    def step_batch(self, ids, count, agents, tokens, size, observations, actions_count, actions) -> None:
        self.shape = (agents, tokens, size)
        flat = (ctypes.c_uint8 * (agents * tokens * size)).from_address(observations)
        self.observations = np.array(flat).reshape(self.shape)
        (ctypes.c_int32 * agents).from_address(actions)[ids[0]] = 14


def test_native_policies_see_pixels_as_rows() -> None:
    spaces = pytest.importorskip("gymnasium").spaces
    info = PolicyEnvInterface.from_spaces(
        observation_space=spaces.Box(low=0, high=255, shape=(2, 3, 4), dtype=np.uint8),
        action_space=spaces.Discrete(20),
        num_agents=6,
        action_names=[str(number) for number in range(20)],
        observation_kind="pixels",
    )
    native = Recorder()
    policy = NimMultiAgentPolicy(info, lambda _: native, agent_ids=[4])
    pixels = np.arange(24, dtype=np.uint8).reshape(1, 2, 3, 4)
    actions = np.zeros(1, np.int32)
    policy.step_batch(pixels, actions)
    assert native.shape == (6, 2, 12)
    assert native.observations[4].tolist() == pixels.reshape(2, 12).tolist()
    assert (native.observations[:4] == 255).all()
    assert actions.tolist() == [14]


def test_an_added_observation_format_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(server.OBSERVATION_PARSERS.items()) == [(1, server.parse_triplet_v1)]
    monkeypatch.setattr(NoopPolicy, "supports_step_batch", False)  # a batch gets raw tokens
    parsed = []

    def parse(data: bytes, features: object) -> list[ObservationToken]:
        parsed.append(data)
        return []

    monkeypatch.setitem(server.OBSERVATION_PARSERS, 9, parse)
    info = PolicyEnvInterface.from_mg_cfg(MettaGridConfig.EmptyRoom(num_agents=1))
    service = server.LocalPolicyServer("metta://policy/noop")
    prepare = {"episode_id": "e", "agent_ids": [0], "env_interface": info.to_proto()}
    service.prepare_policy(policy_pb2.PreparePolicyRequest(observations_format=9, **prepare))
    seen = policy_pb2.AgentObservations(agent_id=0, observations=b"abc")
    answer = service.batch_step(policy_pb2.BatchStepRequest(episode_id="e", step_id=0, agent_observations=[seen]))
    assert parsed == [b"abc"] and list(answer.agent_actions[0].action_id) == [0]
    with pytest.raises(server.UnsupportedObservationFormatError):
        service.prepare_policy(policy_pb2.PreparePolicyRequest(observations_format=8, **prepare))


def test_the_policy_server_is_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["server", "--help"])
    with pytest.raises(SystemExit) as ended:
        server.cli()
    assert ended.value.code == 0


def test_the_demo_reads_its_command_line() -> None:
    assert vars(demo.parse_args(["--agents", "2", "--render", "none"])) == {
        "agents": 2, "render": "none", "steps": 100, "width": 10, "height": 10, "seed": 0
    }  # fmt: skip
    with pytest.raises(SystemExit):
        demo.parse_args(["--agents", "0"])


def test_small_names_of_scenes() -> None:
    assert [maze.anchor_to_position(anchor, 7, 5) for anchor in maze.ALL_ANCHORS] == [(0, 0), (6, 0), (0, 4), (6, 4)]
    assert [wfc.opposite_direction(side) for side in range(4)] == [2, 3, 0, 1]
    for side in range(4):
        assert wfc.dx[side] == -wfc.dx[wfc.opposite_direction(side)]
    assert ReplayLogWriter.__module__ == "mettagrid.simulator.replay_log_writer"

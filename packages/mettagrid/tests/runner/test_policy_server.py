"""The policy server's messages, program and published classes."""

import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from google.protobuf import json_format

from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.protobuf.sim.policy_v1 import policy_pb2
from mettagrid.runner.policy_server.manager import launch_local_policy_server, policy_environment
from mettagrid.runner.policy_server.messages import (
    ActionNumbers,
    decode_action,
    encode_action_id,
    prepare_request,
    prepare_request_json,
    write_observation,
)
from mettagrid.runner.policy_server.server import (
    AgentNotFoundError,
    EpisodeNotFoundError,
    LocalPolicyServer,
    UnknownActionError,
    UnsupportedObservationFormatError,
    parse_triplet_v1,
)
from mettagrid.runner.policy_server.websocket_transport import (
    PolicyStepError,
    WebSocketPolicyServer,
    WebSocketPolicyServerClient,
)
from mettagrid.simulator import Simulation
from mettagrid.types import Action


@pytest.fixture
def interface(room):
    return PolicyEnvInterface.from_mg_cfg(room(3))


def observation(agent_id, tokens=b"\xfe\x01\x00\x66\x06\x01"):
    return policy_pb2.AgentObservations(agent_id=agent_id, observations=tokens)


def step(*observations, episode_id="e"):
    return policy_pb2.BatchStepRequest(episode_id=episode_id, step_id=0, agent_observations=observations)


def test_a_noop_answer_has_the_published_bytes(interface):
    server = LocalPolicyServer("mock://noop")
    server.prepare_policy(prepare_request(interface, [0], "e"))
    assert server.batch_step(step(observation(0))).SerializeToString() == bytes.fromhex(
        "0a 09 08 00 12 01 00 1a 00 22 00"
    )


def test_a_question_has_the_published_bytes():
    request = step(observation(2, b"\xfe\x01\x00"), episode_id="ws-episode")
    assert request.SerializeToString() == bytes.fromhex("0a0a77732d657069736f64651000 1a07 0802 1203fe0100")


def test_the_generated_code_says_what_the_proto_file_says():
    text = re.sub(r"//.*", "", (Path(policy_pb2.__file__).parent / "policy.proto").read_text())
    written, inside = {}, []
    for kind, name, field, number in re.findall(
        r"(message|enum|service)\s+(\w+)\s*\{|(?:[\w.]+\s+)?(\w+)\s*=\s*(\d+);|\}", text
    ):
        if kind:
            inside.append(name)
        elif field:
            written[".".join([*inside, field])] = int(number)
        else:
            inside.pop()
    made = {}
    for name, message in policy_pb2.DESCRIPTOR.message_types_by_name.items():
        for part in (message, *message.nested_types):
            place = part.full_name.removeprefix(f"{policy_pb2.DESCRIPTOR.package}.")
            made |= {f"{place}.{field.name}": field.number for field in part.fields}
        for enum in message.enum_types:
            made |= {f"{name}.{enum.name}.{value.name}": value.number for value in enum.values}
    assert written == made, "run scripts/protobuf.py"


def test_the_first_message_has_the_published_names(interface):
    message = json.loads(prepare_request_json(interface, [0, 2], "ws-episode"))
    assert list(message) == ["episode_id", "game_rules", "agent_ids", "observations_format", "env_interface"]
    assert message["observations_format"] == "TRIPLET_V1"
    assert message["game_rules"]["features"][0] == {"id": 0, "name": "agent:group", "normalization": 10.0}
    assert message["game_rules"]["actions"][1] == {"id": 1, "name": "move_north"}
    assert message["env_interface"]["move_energy_cost"] == -1
    assert "talk" not in message["env_interface"]


def test_the_game_comes_through_the_wire_as_it_is(room, interface):
    talking = PolicyEnvInterface.from_mg_cfg(room(3, talk=True))
    for given in (interface, talking):
        text = prepare_request_json(given, [0], "e")
        request = json_format.Parse(text, policy_pb2.PreparePolicyRequest())
        assert PolicyEnvInterface.from_proto(request.env_interface) == given


def test_action_numbers_are_actions_then_vibes_then_both(interface):
    primary, vibes = len(interface.action_names), len(interface.vibe_action_names)
    actions = {
        0: Action("noop"),
        primary: Action(interface.vibe_action_names[0]),
        primary + vibes: Action("noop", vibe=interface.vibe_action_names[0]),
        primary + vibes + vibes + 2: Action("move_north", vibe=interface.vibe_action_names[2]),
    }
    for number, action in actions.items():
        assert encode_action_id(action, interface) == number
        assert decode_action(number, interface) == action
    for wrong in (Action("fly"), Action("noop", vibe="fly"), Action("noop", vibe="move_north")):
        assert encode_action_id(wrong, interface) is None
    assert decode_action(primary + vibes + primary * vibes, interface) is None
    assert decode_action(-1, interface) is None


def test_action_numbers_split_into_the_engines_two_streams(room, interface):
    simulation = Simulation(room(3))
    numbers = ActionNumbers(interface, simulation._action_streams)
    for number in (0, 1, 7, 200, numbers.count - 1):
        action = decode_action(number, interface)
        simulation.agent(0).set_action(action)
        engine = simulation._c_sim
        assert numbers.split(number) == (engine.actions()[0], engine.vibe_actions()[0])
    assert numbers.split(numbers.count) is None
    assert numbers.split(-1) is None


def test_observations_come_through_the_wire_as_they_are(room):
    simulation = Simulation(room(3, talk=True), seed=1)
    simulation.agent(0).set_talk("hello")
    simulation.step()
    seen = simulation.agent(0).observation
    message = policy_pb2.AgentObservations()
    write_observation(message, seen)
    features = {feature.id: feature for feature in simulation.features}
    assert parse_triplet_v1(message.observations, features) == list(seen.tokens)
    assert [(talk.agent_id, talk.text) for talk in message.visible_talk] == [(0, "hello")]


def test_unused_and_unknown_tokens_are_left_out(interface):
    features = {feature.id: feature for feature in interface.obs_features}
    data = b"\xfe\x01\x05" + b"\xff\xff\xff" + b"\x66\xc8\x05" + b"\x66"
    assert [token.raw_token for token in parse_triplet_v1(data, features)] == [(0xFE, 1, 5)]


def test_mistakes_of_a_client_are_named(interface):
    server = LocalPolicyServer("mock://noop")
    with pytest.raises(EpisodeNotFoundError, match="unknown episode_id: e"):
        server.batch_step(step(observation(0)))
    server.prepare_policy(prepare_request(interface, [0, 2], "e"))
    with pytest.raises(AgentNotFoundError, match="unknown agent_id: 1"):
        server.batch_step(step(observation(1)))
    request = prepare_request(interface, [0], "e")
    request.observations_format = 0
    with pytest.raises(UnsupportedObservationFormatError):
        server.prepare_policy(request)


def test_answers_come_in_the_order_of_the_question(interface):
    server = LocalPolicyServer("mock://noop")
    server.prepare_policy(prepare_request(interface, [0, 1, 2], "e"))
    response = server.batch_step(step(observation(2), observation(0)))
    assert [answer.agent_id for answer in response.agent_actions] == [2, 0]


def test_an_unknown_action_is_an_error_of_the_server(interface, stand_in):
    server = LocalPolicyServer(stand_in("Flyer"))
    server.prepare_policy(prepare_request(interface, [0], "e"))
    for _ in range(3):
        server.batch_step(step(observation(0)))
    with pytest.raises(UnknownActionError, match="unknown action for agent 0"):
        server.batch_step(step(observation(0)))


@pytest.fixture
def listening(stand_in):
    """`listening("Walker")`: the address of a stand-in's server."""
    threads = []

    def start(name):
        server = WebSocketPolicyServer(LocalPolicyServer(stand_in(name)))
        threads.append(threading.Thread(target=server.serve))
        threads[-1].start()
        return f"ws://127.0.0.1:{server.port}"

    yield start
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()


def test_the_published_client_asks_the_published_server(room, interface, listening):
    simulation = Simulation(room(3), seed=1)
    with WebSocketPolicyServerClient(interface, url=listening("Walker"), agent_ids=[0, 2]) as client:
        first, second = (client.agent_policy(agent) for agent in (0, 2))
        assert first.can_step_group([first, second])
        seen = [(agent, simulation.agent(agent).observation) for agent in (0, 2)]
        together = first.step_group(seen)
        assert {action.name for action in together} <= set(interface.action_names)
        assert second.step(seen[1][1]).name in interface.action_names


def test_the_client_says_which_policy_failed(room, interface, listening):
    simulation = Simulation(room(3), seed=1)
    client = WebSocketPolicyServerClient(interface, url=listening("Crasher"), agent_ids=[0], policy_index=4)
    with client, pytest.raises(PolicyStepError, match="I cannot continue") as caught:
        for _ in range(4):
            client.step_agent(0, simulation.agent(0).observation)
    assert caught.value.policy_index == 4


def test_the_program_writes_its_port_and_ends_with_its_client(interface):
    handle = launch_local_policy_server("mock://stand_in_policies.Walker", startup_timeout=60)
    try:
        with WebSocketPolicyServerClient(interface, url=handle.base_url, agent_ids=[0]):
            pass
        assert handle.process.wait(timeout=30) == 0
    finally:
        handle.shutdown()


def test_the_program_serves_a_unix_socket(interface, tmp_path):
    path = tmp_path / "policy.sock"
    command = [sys.executable, "-m", "mettagrid.runner.policy_server.server", "--policy", "mock://noop"]
    ready = tmp_path / "ready"
    process = subprocess.Popen(
        [*command, "--unix", str(path), "--ready-file", str(ready)], env=policy_environment(), stderr=subprocess.DEVNULL
    )
    try:
        while not ready.exists():
            assert process.poll() is None
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()


def test_a_server_that_ends_at_once_shows_its_log(tmp_path):
    with pytest.raises(RuntimeError, match="ended before it listened"):
        launch_local_policy_server("mock://noop", extra_env={"PYTHONHOME": str(tmp_path)})


def test_a_policys_process_sees_nothing_of_ours_but_what_it_needs(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "ours")
    environment = policy_environment({"API_KEY": "its own"})
    assert "AWS_SECRET_ACCESS_KEY" not in environment
    assert environment["API_KEY"] == "its own"
    assert environment["PYTHONHASHSEED"] == "0"


def test_the_program_needs_a_policy():
    command = [sys.executable, "-m", "mettagrid.runner.policy_server.server"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2
    assert "--policy" in result.stderr


def test_a_spec_can_be_served_as_well_as_a_uri(interface):
    server = LocalPolicyServer(PolicySpec(class_path="noop"))
    server.prepare_policy(prepare_request(interface, [0], "e"))
    assert server.batch_step(step(observation(0))).agent_actions[0].action_id == [0]

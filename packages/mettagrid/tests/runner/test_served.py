"""Policies behind sockets: the same play as in process, deadlines that are enforced, and hostile servers."""

import json
import socket
import threading
import tracemalloc

import pytest
from websockets.exceptions import WebSocketException
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.protobuf.sim.policy_v1 import policy_pb2
from mettagrid.runner.episode import EpisodePlan, PolicyLoadError, Verdict, play_episode
from mettagrid.runner.episode.recorded import RecordedActions
from mettagrid.runner.episode.served import Served
from mettagrid.runner.policy_server.connection import serve_connection
from mettagrid.runner.policy_server.service import LocalPolicyServer
from mettagrid.simulator.interface import SimulatorEventHandler

NOOP = PolicySpec(class_path="noop")


@pytest.fixture
def in_thread():
    """`in_thread(name, serve)`: a policy served by `serve(socket)` in a thread."""
    threads = []

    def make(name, serve):
        def connect():
            ours, theirs = socket.socketpair()
            threads.append(threading.Thread(target=_close_after, args=(serve, theirs)))
            threads[-1].start()
            return ours, None

        return Served(name, connect)

    yield make
    for thread in threads:
        thread.join(timeout=30)
        assert not thread.is_alive()


def _close_after(serve, connection):
    with connection:
        serve(connection)


@pytest.fixture
def served(in_thread, stand_in):
    """`served("Walker")`: a stand-in behind our own server."""

    def make(name, **kwargs):
        spec = stand_in(name, **kwargs)
        return in_thread(spec.name, lambda connection: serve_connection(LocalPolicyServer(spec), connection))

    return make


@pytest.fixture
def hostile(in_thread):
    """`hostile(answer)`: a server that is polite until step 3 and then does `answer(wire, socket, request)`.

    Everything it meets after that is its own fault.
    """

    def make(answer, *, from_step=3):
        def serve(connection):
            wire = Wire(connection)
            try:
                wire.recv()
                wire.send("{}")
                while True:
                    request = policy_pb2.BatchStepRequest.FromString(wire.recv())
                    if request.step_id < from_step:
                        wire.send(good_answer(request))
                    else:
                        answer(wire, connection, request)
            except (WebSocketException, OSError, EOFError):
                pass

        return in_thread("hostile", serve)

    return make


class Wire:
    """The server side of a WebSocket, controlled by the test."""

    def __init__(self, connection):
        self._socket, self._protocol = connection, ServerProtocol()

    def recv(self):
        while True:
            data = self._socket.recv(1 << 16)
            if not data:
                raise EOFError
            self._protocol.receive_data(data)
            for event in self._protocol.events_received():
                if isinstance(event, Request):
                    self._protocol.send_response(self._protocol.accept(event))
                    self._flush()
                elif event.opcode in (Opcode.TEXT, Opcode.BINARY):
                    return bytes(event.data)

    def send(self, *messages):
        """Send messages so that they arrive together."""
        for data in messages:
            if isinstance(data, str):
                self._protocol.send_text(data.encode())
            else:
                self._protocol.send_binary(data)
        self._flush()

    def ping(self, data):
        self._protocol.send_ping(data.encode())
        self._flush()

    def close(self, code, reason):
        self._protocol.send_close(code, reason)
        self._flush()

    def _flush(self):
        self._socket.sendall(b"".join(self._protocol.data_to_send()))


def good_answer(request, **fields):
    actions = [
        policy_pb2.AgentActions(agent_id=each.agent_id, **({"action_id": [1]} | fields))
        for each in request.agent_observations
    ]
    return policy_pb2.BatchStepResponse(agent_actions=actions).SerializeToString()


def play(room, policy, *, steps=8, seed=3, **settings):
    settings = {"max_action_time_ms": 10_000, **settings}
    return play_episode(EpisodePlan(room(4, steps=steps), [policy, NOOP], [0, 1, 0, 1], seed=seed, **settings))


@pytest.mark.parametrize("name", ["Walker", "BatchWalker", "Grouped"])
def test_a_served_policy_plays_as_it_does_in_process(room, served, stand_in, name):
    assert play(room, served(name)).compared() == play(room, stand_in(name)).compared()


def test_talk_and_infos_cross_the_wire(room, served, stand_in, tmp_path):
    def shown(policy, name):
        path = tmp_path / f"{name}.json.z"
        play_episode(EpisodePlan(room(2, steps=4, talk=True), [policy], [0, 0], seed=1, replay_path=path))
        return path.read_bytes()

    assert shown(served("Talker"), "served") == shown(stand_in("Talker"), "here")


@pytest.mark.parametrize("name", ["Crasher", "Leaver", "Flyer", "Garbler", "WildBatch"])
def test_a_misdeed_gets_the_same_verdict_as_in_process(room, served, stand_in, name):
    there, here = play(room, served(name)), play(room, stand_in(name))
    assert there.verdicts[0].status != "ok"
    assert there.compared() == here.compared()


def test_a_policy_that_cannot_be_made_gets_the_same_verdict_as_in_process(room, served, stand_in):
    there = play(room, served("BadAtBirth"), load_failure="verdict")
    here = play(room, stand_in("BadAtBirth"), load_failure="verdict")
    assert there.verdicts[0] == Verdict(status="crashed", message="RuntimeError: no weights")
    assert there.compared() == here.compared()
    with pytest.raises(PolicyLoadError, match="no weights"):
        play(room, served("BadAtBirth"))


def many_infos(count):
    return json.dumps({f"k{number}": number for number in range(count)})


HOSTILE = {
    "no protobuf": (lambda wire, raw, request: wire.send(b"\xff\xff\xff"), "not a BatchStepResponse"),
    "text": (lambda wire, raw, request: wire.send("{}"), "text"),
    "nothing": (lambda wire, raw, request: wire.send(b""), "once for each"),
    "one agent only": (
        lambda wire, raw, request: wire.send(
            policy_pb2.BatchStepResponse(
                agent_actions=[policy_pb2.AgentActions(agent_id=0, action_id=[0])]
            ).SerializeToString()
        ),
        "once for each",
    ),
    "agents of others": (
        lambda wire, raw, request: wire.send(
            policy_pb2.BatchStepResponse(
                agent_actions=[policy_pb2.AgentActions(agent_id=agent, action_id=[0]) for agent in range(4)]
            ).SerializeToString()
        ),
        "once for each",
    ),
    "two actions": (lambda wire, raw, request: wire.send(good_answer(request, action_id=[0, 1])), "2 actions"),
    "no such action": (lambda wire, raw, request: wire.send(good_answer(request, action_id=[999_999])), "999999"),
    "negative action": (lambda wire, raw, request: wire.send(good_answer(request, action_id=[-1])), "-1"),
    "infos that are not an object": (
        lambda wire, raw, request: wire.send(good_answer(request, infos_json="[1]")),
        "infos_json",
    ),
    "infos that nest too deep": (
        lambda wire, raw, request: wire.send(good_answer(request, infos_json='{"a":' * 5_000 + "1" + "}" * 5_000)),
        "infos_json",
    ),
    "four thousand infos": (
        lambda wire, raw, request: wire.send(good_answer(request, infos_json=many_infos(4000))),
        "too many values; 1000 are allowed",
    ),
    "infos of many levels": (
        lambda wire, raw, request: wire.send(good_answer(request, infos_json='{"a":' * 17 + "1" + "}" * 17)),
        "too many nested levels; 16 are allowed",
    ),
    "infos that fill the answer": (
        lambda wire, raw, request: wire.send(good_answer(request, infos_json=json.dumps({"a": "x" * 70_000}))),
        "characters; 65536 are allowed",
    ),
    "an answer too large": (lambda wire, raw, request: wire.send(b"\0" * (1 << 20)), "more than"),
    "a second answer": (
        lambda wire, raw, request: wire.send(good_answer(request), good_answer(request)),
        "without being asked",
    ),
    "junk": (lambda wire, raw, request: raw.sendall(b"\xff" * 1000), "invalid WebSocket frame"),
    "a flood of pings": (lambda wire, raw, request: [wire.ping(str(n)) for n in range(1000)], "more frames"),
    "a flood of empty parts": (
        lambda wire, raw, request: raw.sendall(
            Frame(Opcode.BINARY, b"", fin=False).serialize(mask=False)
            + Frame(Opcode.CONT, b"", fin=False).serialize(mask=False) * 10_000
        ),
        "more frames",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_answer_is_a_protocol_error_and_the_others_play_on(room, hostile, what):
    answer, words = HOSTILE[what]
    outcome = play(room, hostile(answer))
    verdict = outcome.verdicts[0]
    assert verdict.status == "protocol_error"
    assert words in verdict.message
    # A second answer is met at the next question.
    assert verdict.step in (3, 4)
    assert outcome.steps == 8
    assert [stats["action.noop.success"] for stats in outcome.stats["agent"][1::2]] == [8.0, 8.0]


def infos_of_a_step(size, step):
    """About `size` bytes that differ at each step: one long text, and many short values."""
    return json.dumps(
        {"long": "x" * (size - 10_000) + str(step), **{f"{step}-{number}": number for number in range(600)}}
    )


def test_what_a_policy_shows_step_after_step_leaves_the_memory_as_it_was(room, hostile, tmp_path):
    """Sixty kilobytes for each of two agents in sixty steps: 7 MB came, and a kilobyte a step is recorded."""
    used = {}

    class Follower(SimulatorEventHandler):
        def on_step(self):
            used[self._sim.current_step] = tracemalloc.get_traced_memory()[0]

    policy = hostile(
        lambda wire, raw, request: wire.send(
            good_answer(request, infos_json=infos_of_a_step(60_000, request.step_id), talk_text="z" * 2000)
        ),
        from_step=0,
    )
    plan = EpisodePlan(
        room(4, steps=60),
        [policy, NOOP],
        [0, 1, 0, 1],
        replay_path=tmp_path / "replay.json.z",
        actions_path=tmp_path / "actions.json.z",
    )
    tracemalloc.start()
    try:
        outcome = play_episode(plan, event_handlers=[Follower()])
    finally:
        tracemalloc.stop()
    assert outcome.verdicts[0] == Verdict()
    assert used[60] - used[20] < 40 * 2 * 60_000 / 2
    assert (tmp_path / "actions.json.z").stat().st_size < 1 << 20


def test_a_policy_that_has_shown_more_than_a_replay_holds_plays_on_unseen(room, hostile, tmp_path, monkeypatch):
    monkeypatch.setattr("mettagrid.runner.episode.received_infos.MAX_INFOS_BYTES", 1000)
    policy = hostile(
        lambda wire, raw, request: wire.send(good_answer(request, infos_json=f'{{"step": {request.step_id}}}')),
        from_step=0,
    )
    plan = EpisodePlan(room(1, steps=50), [policy], [0], actions_path=tmp_path / "actions.json.z")
    assert play_episode(plan).verdicts == [Verdict()]
    recorded = RecordedActions((tmp_path / "actions.json.z").read_bytes(), num_agents=1)
    assert recorded.infos[0] == [(0, {"step": 0})]
    assert max(recorded.infos) < 20 and recorded.infos[max(recorded.infos)] == [(0, {})]


def test_the_time_it_takes_to_read_answers_is_the_policys(room, hostile, monkeypatch):
    monkeypatch.setattr("mettagrid.runner.episode.served.READING_SECONDS", 0.0)
    outcome = play(room, hostile(lambda wire, raw, request: wire.send(good_answer(request))))
    assert (outcome.verdicts[0].status, outcome.verdicts[0].step) == ("protocol_error", 0)
    assert "seconds to read" in outcome.verdicts[0].message


def test_answers_that_are_all_in_time_may_not_take_too_long_together(room, hostile):
    slow = threading.Event()
    policy = hostile(lambda wire, raw, request: (slow.wait(0.02), wire.send(good_answer(request))), from_step=0)
    outcome = play(room, policy, steps=200, answer_budget_s=0.1)
    verdict = outcome.verdicts[0]
    assert (verdict.status, verdict.message) == ("killed", "took more than 0.1 seconds for all its answers")
    assert 0 < verdict.step < 6 and verdict.timeouts == 0
    assert outcome.verdicts[1] == Verdict() and outcome.steps == 200


def test_a_closed_socket_is_a_verdict(room, hostile):
    outcome = play(room, hostile(lambda wire, raw, request: raw.shutdown(socket.SHUT_RDWR)))
    assert (outcome.verdicts[0].status, outcome.verdicts[0].step) == ("killed", 3)
    assert outcome.steps == 8


def test_a_server_that_says_goodbye_is_a_verdict(room, hostile):
    outcome = play(room, hostile(lambda wire, raw, request: wire.close(1001, "enough")))
    assert outcome.verdicts[0] == Verdict(
        status="crashed", message="closed the connection with code 1001: enough", step=3
    )


@pytest.mark.parametrize(
    "serve",
    [
        lambda connection: connection.sendall(b"SSH-2.0-hello\r\n"),
        lambda connection: connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        lambda connection: connection.sendall(b"x" * (1 << 20)),
        lambda connection: None,
    ],
)
def test_what_does_not_speak_the_protocol_at_all_is_a_verdict(room, in_thread, serve):
    def endure(connection):
        try:
            serve(connection)
            while connection.recv(1 << 16):
                pass
        except OSError:
            pass

    outcome = play(room, in_thread("stranger", endure), load_failure="verdict", prepare_timeout_s=0.2)
    assert outcome.verdicts[0].status in ("protocol_error", "killed")
    assert outcome.verdicts[0].step is None
    assert outcome.steps == 8


def test_a_policy_that_hangs_misses_steps_and_is_ended_when_patience_is_out(room, hostile):
    released = threading.Event()
    policy = hostile(lambda wire, raw, request: released.wait(30))
    try:
        outcome = play(room, policy, steps=50, max_action_time_ms=5, patience_ms=40)
    finally:
        released.set()
    verdict = outcome.verdicts[0]
    assert (verdict.status, verdict.message) == ("killed", "gave no answer for 0.04 seconds")
    assert verdict.timeouts >= 2
    assert outcome.steps == 50
    assert outcome.action_timeouts[1::2] == [0, 0]


def test_a_late_answer_is_thrown_away_and_the_policy_plays_on(room, hostile):
    two_steps_later = threading.Event()
    asked, done = [], []

    class Follower(SimulatorEventHandler):
        def on_step(self):
            done.append(int(self._sim._c_sim.actions()[0]))
            if self._sim.current_step == 5:
                two_steps_later.set()

    def answer(wire, raw, request):
        asked.append(request.step_id)
        is_late = request.step_id == 3 and two_steps_later.wait(30)
        wire.send(good_answer(request, action_id=[2 if is_late else 1]))

    plan = EpisodePlan(room(2, steps=12), [hostile(answer), NOOP], [0, 1], max_action_time_ms=300)
    outcome = play_episode(plan, event_handlers=[Follower()])
    assert outcome.verdicts[0].status == "timed_out"
    assert outcome.action_timeouts[0] >= 2
    assert asked[0] == 3 and 4 not in asked
    assert done[3:5] == [0, 0]
    assert 2 not in done
    assert 1 in done[5:]


def test_a_policy_that_has_used_up_its_budget_while_hanging_is_disabled(room, hostile):
    released = threading.Event()
    policy = hostile(lambda wire, raw, request: released.wait(30))
    try:
        outcome = play(room, policy, steps=40, max_action_time_ms=5, overage_budget_ms=20)
    finally:
        released.set()
    assert outcome.verdicts[0].status == "disabled"
    assert outcome.overage_exceeded_at[1::2] == [None, None]
    assert outcome.overage_exceeded_at[0] is not None
    assert outcome.steps == 40


def test_served_policies_think_at_the_same_time(room, hostile):
    meeting = threading.Barrier(2, timeout=20)

    def meet(wire, raw, request):
        meeting.wait()
        wire.send(good_answer(request))

    outcome = play_episode(EpisodePlan(room(2, steps=6), [hostile(meet), hostile(meet)], [0, 1]))
    assert outcome.verdicts == [Verdict(), Verdict()]

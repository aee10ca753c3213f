"""Unauthorized clients, bad messages, slow and late watchers: none of them disturbs the game."""

from __future__ import annotations

import json
import socket
import struct
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from mettagrid.live import Clock, LiveGame, LiveServer
from mettagrid.replay import Replay, frame_at, load_replay
from mettagrid.replay._rows import Rows
from mettagrid.runner.episode import PolicyLoadError
from mettagrid.simulator.interface import SimulatorEventHandler

from .conftest import PATIENCE, Client, Table, plan_of, serve_game, until


@pytest.fixture(scope="module")
def running() -> Iterator[Table]:
    """Two cogs that walk around, in a running game."""
    with serve_game(plan_of("random", steps=1_000_000), paused=False, speed=100) as table:
        yield table


@pytest.fixture(autouse=True)
def goes_on(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check that the game still runs after each test."""
    yield
    if "running" in request.fixturenames:
        table: Table = request.getfixturevalue("running")
        tick = table.tick
        until(lambda: table.tick > tick + 2, "going on")


def refusal(table: Table, path: str, **headers: str) -> tuple[int, str]:
    origin = headers.pop("Origin", None)
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{table.address}{path}", additional_headers=headers, origin=origin).__enter__()  # type: ignore[arg-type]
    return refused.value.response.status_code, refused.value.response.body.decode().strip()


@pytest.mark.parametrize("path", ["/global", "/player", "/admin"])
@pytest.mark.parametrize("token", ["", "?token=", "?token=wrong", "?token=%00%ff&slot=0"])
def test_nobody_comes_in_without_a_token(running: Table, path: str, token: str) -> None:
    assert refusal(running, f"{path}{token}") == (403, "The token is wrong; ask for a new link")


@pytest.mark.parametrize("origin", ["http://example.com", "null", "http://127.0.0.1:1", "file://"])
def test_pages_of_other_origins_are_refused(running: Table, origin: str) -> None:
    path = f"/global?token={running.token}"
    assert refusal(running, path, Origin=origin) == (403, "Pages of other origins are refused")


def test_a_second_origin_does_not_help_a_foreign_page(running: Table) -> None:
    address, own = f"ws://{running.address}/global?token={running.token}", f"http://{running.address}"
    with pytest.raises(InvalidStatus, match="403"):
        connect(address, origin=own, additional_headers=[("Origin", "http://example.com")]).__enter__()  # type: ignore[arg-type]


def test_the_own_page_is_let_in(running: Table) -> None:
    with connect(f"ws://{running.address}/global?token={running.token}", origin=f"http://{running.address}") as own:  # type: ignore[arg-type]
        assert json.loads(own.recv())["type"] == "hello"


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "127.0.0.1.example.com",
        "",
        "localhost\r\nHost: x",
        "[::1",
        "127.0.0.1/;script-src *",
        "example.com@localhost",
    ],
)
@pytest.mark.parametrize("path", ["/", "/global?token={token}", "/healthz"])
def test_other_host_names_are_refused(running: Table, host: str, path: str) -> None:
    with socket.create_connection(("127.0.0.1", running.server.port)) as stranger:
        lines = [f"GET {path.format(token=running.token)} HTTP/1.1", f"Host: {host}", "Upgrade: websocket"]
        lines += ["Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
        stranger.sendall("\r\n".join([*lines, "", ""]).encode())
        assert b" 403 " in stranger.recv(4096).split(b"\r\n")[0]


def test_links_allow_what_they_are_for(running: Table) -> None:
    watch, one = (running.server.invite(*grant).partition("token=")[2] for grant in (("watch",), ("player", 1)))
    with connect(f"ws://{running.address}/global?token={watch}") as watcher:
        hello = json.loads(watcher.recv())
        assert (hello["rights"], hello["slot"]) == ("watch", None)
    assert refusal(running, f"/player?token={watch}") == (403, "This link does not allow driving cog 0")
    assert refusal(running, f"/player?token={one}&slot=0") == (403, "This link does not allow driving cog 0")
    assert refusal(running, f"/admin?token={one}") == (403, "Only the host's link allows this")
    with connect(f"ws://{running.address}/player?token={one}") as player:
        assert json.loads(player.recv())["slot"] == 1


def test_a_line_or_a_cog_that_is_not_there_is_said_so(running: Table) -> None:
    for place, sentence in (
        ("/global?line=4", "There is no line 4 of this game"),
        ("/player?slot=2", "There is no cog 2; this game has 0 to 1"),
        ("/player?slot=-1", "`slot` must be a number"),
        ("/global?line=x", "`line` must be a number"),
    ):
        assert refusal(running, f"{place}&token={running.token}") == (404, sentence)
        assert answered(running, f"{place}&token={running.token}") == (404, sentence)  # also to a plain request


def answered(table: Table, path: str, method: str = "GET") -> tuple[int, str]:
    """Return the status and the text of the response to a plain request."""
    request = urllib.request.Request(f"http://{table.address}{path}", method=method)
    try:
        answer = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.read().decode().strip()


def test_plain_requests_for_sockets_are_refused_for_the_first_reason_there_is(running: Table) -> None:
    watch = running.server.invite("watch").partition("token=")[2]
    assert answered(running, "/player?slot=99") == (403, "The token is wrong; ask for a new link")
    assert answered(running, f"/admin?token={watch}") == (403, "Only the host's link allows this")
    assert answered(running, f"/global?token={watch}") == (426, "This is the address of a WebSocket, not of a page")


def test_requests_that_are_no_get_do_nothing(running: Table) -> None:
    assert answered(running, "/healthz", "HEAD") == (200, "")
    assert answered(running, f"/global?token={running.token}", "HEAD") == (426, "")
    for method in ("POST", "PUT", "OPTIONS", "get"):
        status, sentence = answered(running, "/", method)
        assert status == 405, sentence
        assert sentence == "Only GET is allowed"


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("", "A message must be a JSON object"),
        ("[1, 2]", "A message must be a JSON object"),
        ("[" * 60_000, "A message must be a JSON object"),
        (b"\xff\xfe", "A message must be a JSON object"),
        ('{"type": ["action"]}', "Unknown message type; the types are action, takeover"),
        ('{"type": "action", "action_name": "fly"}', "There is no action 'fly'"),
        ('{"type": "action", "action_index": 1e99}', "`action_index` must be a whole number"),
        ('{"type": "action", "action_index": 77}', "There is no action 77; this game has 0 to 4"),
        ('{"type": "action", "talk": 5}', "`talk` must be a text"),
        (r'{"type": "action", "talk": "\ud800"}', "`talk` must be a text"),
        ('{"type": "order", "x": 1}', "A message of type 'order' needs `y`"),
        ('{"type": "order", "x": true, "y": 1}', "`x` must be a whole number"),
        ('{"type": "takeover", "request_id": {}}', "`request_id` must be a text or a number"),
        ('{"type": "pause"}', "This WebSocket does not accept 'pause'"),
    ],
)
def test_a_message_that_makes_no_sense_is_answered_with_a_sentence(
    running: Table, message: str | bytes, sentence: str
) -> None:
    player = running.open("/player", slot=0)
    player.socket.send(message)
    assert player.next("error")["message"].startswith(sentence)
    player.send("action", action_name="noop")
    player.socket.send("x")
    player.next("error")  # it still listens
    player.close()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"type": "speed", "steps_per_second": 0}, "The speed must be from 0.01 to 1000 steps per second, not 0"),
        ({"type": "speed", "steps_per_second": float("nan")}, "The speed must be from"),
        ({"type": "speed", "steps_per_second": "9"}, "`steps_per_second` must be a number"),
        ({"type": "mode", "tick_mode": "slow"}, "`tick_mode` must be one of fixed, tick_when_act"),
        ({"type": "step", "count": 0}, "The number of steps must be at least 1, not 0"),
        ({"type": "pause", "line": 9}, "There is no line 9 of this game"),
        ({"type": "invite", "rights": "host"}, "`rights` must be one of player, watch"),
        ({"type": "invite", "rights": "player", "slot": 2}, "There is no cog 2; this game has 0 to 1"),
        ({"type": "end", "line": 3}, "There is no line 3 of this game"),
        ({"type": "branch", "tick": -4}, "Line 0 can branch at ticks 0 to"),
        ({"type": "close_line", "line": 0}, "Line 0 is the game itself"),
        ({"type": "takeover"}, "This WebSocket does not accept 'takeover'"),
    ],
)
def test_the_host_is_told_what_cannot_be_done(running: Table, fields: dict[str, object], sentence: str) -> None:
    admin = running.open("/admin")
    answer = admin.ask(**fields)  # type: ignore[arg-type]
    assert (answer["type"], answer["message"][: len(sentence)]) == ("error", sentence)
    admin.close()


def test_a_message_that_is_too_large_closes_only_its_own_connection(running: Table) -> None:
    large, other = running.open("/player", slot=0), running.open("/player", slot=1)
    large.socket.send("x" * 70_000)
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            large.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009
    other.socket.send("x")
    other.next("error")


def test_a_flood_of_messages_slows_down_only_whoever_sends_it(running: Table) -> None:
    flood = running.open("/player", slot=0)
    for _ in range(2000):
        flood.socket.send("x")
    calm = running.open("/player", slot=1)
    calm.socket.send("y")
    calm.next("error")
    tick = running.tick
    until(lambda: running.tick > tick + 20, "going on")
    flood.socket.socket.close()


def test_garbage_instead_of_a_request_is_turned_away(running: Table) -> None:
    for garbage in (b"\x00\x01\x02\r\n\r\n", b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET " + b"a" * 99_999):
        with socket.create_connection(("127.0.0.1", running.server.port)) as stranger:
            stranger.sendall(garbage + b"\r\n\r\n")
            assert b" 200 " not in stranger.recv(4096).split(b"\r\n")[0]


def test_pages_are_served_and_may_talk_to_this_game_only(running: Table) -> None:
    for path in ("/?live=1", "/client/global", "/client/player?slot=0"):
        with urllib.request.urlopen(f"http://{running.address}{path}") as page:
            assert page.headers["Content-Type"] == "text/html; charset=utf-8"
            assert f"connect-src 'self' ws://{running.address} " in page.headers["Content-Security-Policy"]
            text = page.read().decode()
        script = text.partition('src="./')[2].partition('"')[0]
        folder = path.partition("?")[0].rpartition("/")[0]
        with urllib.request.urlopen(f"http://{running.address}{folder}/{script}") as program:
            assert program.headers["Content-Type"].startswith("text/javascript")
    with urllib.request.urlopen(f"http://{running.address}/healthz") as answer:
        assert answer.status == 200
    for path in ("/nothing", "/../errors.py", "/%2e%2e/errors.py", "/%00", "//[", "//etc/passwd"):
        assert answered(running, path) == (404, "Page not found")


class Watched:
    """The state that a watcher has assembled."""

    def __init__(self, watcher: Client) -> None:
        self.hello = watcher.receive()
        whole = watcher.receive()
        assert whole[:1] == b"\x01"
        self.replay = load_replay(whole[1:])
        self.rows: Rows = self.replay.rows
        self.tick = self.replay.last_tick
        self.totals: list[float] = []
        self._watcher = watcher

    def until(self, tick: int) -> None:
        while self.tick < tick:
            message = self._watcher.receive()
            if isinstance(message, bytes):
                assert message[:1] == b"\x02"
                self._add(message[1:])

    def _add(self, chunk: bytes) -> None:
        first, last, before, rows, notes, agents = struct.unpack_from("<6I", chunk)
        assert (first, before) == (self.tick + 1, 0)
        at = 24
        self.totals = np.frombuffer(chunk, "<f8", agents, at).tolist()
        at += 8 * agents
        columns = []
        for kind in ("<i4", "<u4", "<u2", "<u2", "u1"):
            columns.append(np.frombuffer(chunk, kind, rows, at))
            at += columns[-1].nbytes
        value, number, key, tick, field = columns
        at += -at % 4 if rows else 0
        assert json.loads(chunk[len(chunk) - notes :])["before"] == []
        self.rows = self.rows.then(Rows.make(field, number, key, tick.astype(np.int32) + first, value))
        self.tick = last

    def as_replay(self) -> Replay:
        fields = {name: getattr(self.replay, name) for name in self.replay.__dataclass_fields__}
        return Replay(**{**fields, "rows": self.rows, "last_tick": self.tick})


def test_whoever_comes_late_sees_everything_and_the_same_as_who_came_early(running: Table) -> None:
    early = Watched(running.open("/global"))
    until(lambda: running.tick > early.tick + 20, "some steps")
    late = Watched(running.open("/global"))
    assert (late.replay.first_tick, early.replay.first_tick) == (0, 0)
    assert late.tick > early.tick
    tick = late.tick + 20
    for watched in (early, late):
        watched.until(tick)
    one, other = early.as_replay(), late.as_replay()
    whole = load_replay(running.game.lines[0].renderer.feed.whole()[1])
    for at in range(0, tick + 1, 7):
        states = [frame_at(replay, at).objects for replay in (one, other, whole)]
        assert states[0] == states[1] == states[2]


def test_whoever_loses_the_connection_connects_again_and_misses_nothing(running: Table) -> None:
    first = running.open("/global")
    tick = Watched(first).tick
    first.socket.socket.shutdown(socket.SHUT_RDWR)  # the network drops
    until(lambda: running.tick > tick + 5, "going on")
    again = Watched(running.open("/global"))
    assert again.tick > tick
    again.until(again.tick + 3)


def test_a_watcher_who_does_not_read_gets_it_all_in_few_messages_later() -> None:
    with serve_game(plan_of("random", agents=8, steps=1_000_000), paused=False, speed=1000) as table:
        address = f"ws://{table.address}/global?token={table.token}"
        with connect(address, max_queue=1, max_size=1 << 26) as slow:
            client = Client(slow)
            watched = Watched(client)
            begin = table.tick
            until(lambda: table.tick > begin + 1500, "1500 steps")
            table.game.lines[0].renderer.clock.pause()
            table.open("/global").next("state", lambda m: m["paused"])
            end, messages = table.tick, 0
            while watched.tick < end:
                message = client.receive()
                if isinstance(message, bytes):
                    messages += 1
                    watched._add(message[1:])
            assert messages < (end - begin) / 5
            state = client.next("state", lambda m: m["step"] == end)
            # Sums of rewards are carried along.
            assert [0.0] * 8 == watched.totals == state["scores"]


def test_who_watches_hears_the_results_also_when_they_take_a_while() -> None:
    told = threading.Event()

    class Slow(SimulatorEventHandler):
        def on_close(self) -> None:
            told.wait(PATIENCE)

    clock = Clock(paused=False, steps_per_second=1000)
    with (
        LiveGame(plan_of(steps=5), clock=clock, handlers=lambda renderer: [Slow()]) as game,
        LiveServer(game) as server,
        ExitStack() as stack,
    ):
        game.start()
        watcher = Table(game, server, stack).open("/global")
        watcher.next("state", lambda message: message["done"])
        told.set()
        assert watcher.next("final")["results"]["steps"] == 5


def test_what_the_game_says_at_its_end() -> None:
    with serve_game(plan_of("random", steps=12)) as table:
        watcher, player, admin = table.open("/global"), table.open("/player", slot=0), table.open("/admin")
        states = watcher.next("state")
        assert (states["step"], states["done"], states["paused"], states["num_agents"]) == (0, False, True, 2)
        assert states["action_names"] == ["noop", "move_north", "move_south", "move_west", "move_east"]
        admin.ask("resume")
        for client in (watcher, player):
            final = client.next("final")
            assert (final["step"], final["done"]) == (12, True)
            assert final["results"]["scores"] == [0.0, 0.0]
            assert final["results"]["steps"] == 12
            assert set(final["results"]["stats"]) == {"game", "agent"}
        late = table.open("/player", slot=1)
        assert [late.receive()["type"] for _ in range(2)] == ["player_config", "final"]
        assert admin.ask("branch", tick=12)["message"] == "Line 0 can branch at ticks 0 to 11, not 12"
        assert admin.ask("branch", tick=11)["line"] == 1
        table.server.close()
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                watcher.receive()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1000, "The game is over")


def test_an_ended_game_has_an_outcome(table: Table) -> None:
    assert table.open("/admin").ask("end")["type"] == "ok"
    outcome = table.game.wait(20)
    assert outcome is not None
    assert outcome.steps == 1


def test_lessons_reach_watchers_who_come_later(table: Table) -> None:
    lesson = {"lesson": {"name": "moving", "title": "Moving", "number": 1, "count": 3}, "finished": False}
    table.game.lines[0].renderer.show_lesson(lesson)
    assert table.open("/global").next("lesson") == {"type": "lesson", **lesson}


def test_objects_that_appear_later_are_told_before_the_chunk_that_mentions_them() -> None:
    from mettagrid.live._chunks import CHUNK, OBJECTS
    from mettagrid.replay import EpisodeRecorder

    with LiveGame(plan_of("noop")) as game:
        game.start()
        feed = game.lines[0].renderer.feed
        written = feed._recorder
        assert isinstance(written, EpisodeRecorder)
        count = len(load_replay(feed.whole()[1]).objects)
        begin, end = feed._marks[0]._replace(page=0, row=0, notes=0), feed._marks[0]
        feed._marks[0:0] = [begin._replace(tick=-1)]  # as if the game had begun with an empty map
        feed._totals[0:0] = [feed._totals[0]]
        tick, (objects, chunk) = feed.since(-1)
        assert (tick, objects[:1], chunk[:1], end.tick) == (0, OBJECTS, CHUNK, 0)
        assert struct.unpack_from("<I", objects, 1)[0] == count
        columns = np.frombuffer(objects, "<i4", 3 * count, 5).reshape(3, count)
        assert sorted(columns[2][columns[2] >= 0].tolist()) == [0, 1]
        assert len(set(columns[0].tolist())) == count


def test_a_server_for_the_network_answers_to_addresses_and_its_own_name() -> None:
    with LiveGame(plan_of()) as game, LiveServer(game, host="0.0.0.0", host_names=("cogs.example",)) as server:
        game.start()
        for host, status in (("192.0.2.7", 200), ("cogs.example:99", 200), ("[::1]", 200), ("evil.example", 403)):
            request = urllib.request.Request(f"http://127.0.0.1:{server.port}/healthz", headers={"Host": host})
            try:
                answer = urllib.request.urlopen(request)
            except urllib.error.HTTPError as error:
                answer = error
            with answer:
                assert answer.status == status, host


def test_the_feed_of_a_game_and_its_saved_replay_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "game.cogreplay"
    clock = Clock(paused=False, steps_per_second=1000)
    with LiveGame(plan_of("random", steps=50, replay_path=path), clock=clock) as game:
        game.start()
        game.wait(20)
        assert game.lines[0].renderer.feed.whole()[1] == path.read_bytes()
        assert load_replay(path).last_tick == 50


def test_a_policy_that_cannot_be_made_is_raised_to_whoever_started() -> None:
    with pytest.raises(PolicyLoadError, match="nonsense"), LiveGame(plan_of("nonsense.Policy")) as game:
        game.start()
        game.wait(20)

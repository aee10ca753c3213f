"""The game server from outside: real processes, HTTP and websockets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection
from websockets.sync.server import serve

from coworld.examples.paintarena.player import player

QUICK = {"width": 6, "height": 6, "max_ticks": 10, "tick_rate": 60}
LONG = {"width": 6, "height": 6, "max_ticks": 10_000, "tick_rate": 60}
ALONE = {"player_connect_timeout_seconds": 0}


def received(connection: ClientConnection) -> dict[str, Any]:
    return dict(json.loads(connection.recv(timeout=20)))


def until(connection: ClientConnection, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    while True:
        message = received(connection)
        if condition(message):
            return message


def test_two_sweepers_play_a_whole_game_in_lockstep(start_game: Any) -> None:
    players = [{"name": "Ada"}, {"name": "Ben"}]
    config = {"width": 12, "height": 8, "max_ticks": 20, "tick_rate": 0.2, "players": players, "lockstep": True}
    game = start_game(config)
    with game.connect("/global") as viewer:
        assert received(viewer)["started"] is False
        first, second = game.start_player(0), game.start_player(1, "COGAMES_ENGINE_WS_URL")
        last = until(viewer, lambda state: bool(state["done"]))
    assert game.finish()[0] == 0
    assert [player.wait(20) for player in (first, second)] == [0, 0]
    assert last["scores"] == [20, 20] and last["player_names"] == ["Ada", "Ben"]
    assert game.results() == {"scores": [20.0, 20.0], "painted_tiles": [20, 20], "ticks": 20}
    replay = game.replay()
    assert list(replay) == ["config", "player_names", "frames", "results"]
    assert [frame["tick"] for frame in replay["frames"]] == list(range(1, 21))
    events = json.loads((game.folder / "events.json").read_text())
    assert {event["kind"] for event in events} >= {"connected", "started", "finished"}
    lines = (game.folder / "trajectory.jsonl").read_text().splitlines()
    assert len(lines) == 20 and json.loads(lines[0])["moves"] == ["right", "up"]


def test_tokens_are_neither_printed_nor_kept_in_what_the_game_writes(start_game: Any) -> None:
    game = start_game(QUICK | ALONE)
    with pytest.raises(InvalidStatus), game.connect("/player?slot=0&token=a-guess"):
        pass
    _, output = game.finish()
    written = output + "".join((game.folder / name).read_text() for name in ("replay", "results.json", "events.json"))
    assert "token-of-slot" not in written and "a-guess" not in written


def test_a_player_reads_the_end_also_when_the_game_has_closed_before_its_move() -> None:
    closed = threading.Event()

    def end_at_once(connection: Any) -> None:
        if closed.is_set():
            return  # the end is sent once
        connection.send(json.dumps({"type": "observation"}))
        connection.send(json.dumps({"type": "final", "slot": 0, "scores": [1, 1]}))
        connection.close()
        closed.set()

    def choose(state: object) -> str:
        assert closed.wait(20)
        return "stay"

    with serve(end_at_once, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            assert player.play(f"ws://127.0.0.1:{server.socket.getsockname()[1]}/player", choose) == 0
        finally:
            server.shutdown()
            thread.join()


def test_a_game_nobody_joins_starts_after_the_connect_timeout_and_ends_one_to_one(start_game: Any) -> None:
    game = start_game(QUICK | ALONE)
    assert game.finish()[0] == 0
    assert game.results()["scores"] == [1.0, 1.0]


REFUSED = """
?slot=0
?slot=0&token=bad
?slot=2&token=token-of-slot-one
?slot=-1&token=token-of-slot-one
?slot=0&token=token-of-slot-one
?slot=zero&token=token-of-slot-zero
?token=token-of-slot-zero
"""


@pytest.mark.parametrize("query", ["", *REFUSED.split()])
def test_a_wrong_slot_or_token_is_refused_with_403(shared_game: Any, query: str) -> None:
    with pytest.raises(InvalidStatus) as refused, shared_game.connect(f"/player{query}"):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("folder", ["client", "clients"])
@pytest.mark.parametrize("page", ["player?slot=0&token=token-of-slot-zero", "global", "admin", "replay"])
def test_every_page_is_there_in_singular_and_plural(shared_game: Any, folder: str, page: str) -> None:
    status, kind, body = shared_game.get(f"/{folder}/{page}")
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert "token-of-slot" not in body


def test_plain_requests_for_other_things_are_answered_in_kind(shared_game: Any) -> None:
    assert shared_game.get("/healthz") == (200, "application/json", '{"ok":true}')
    assert shared_game.get("/global")[0] == 426
    for path in ("/", "/client/../server.py", "/client/%2e%2e/server.py", "/client/nothing.html"):
        assert shared_game.get(path)[0] == 404
    with pytest.raises(InvalidStatus), shared_game.connect("/replay"):
        pass


def test_a_move_stands_until_replaced_also_while_its_player_is_away(start_game: Any) -> None:
    game = start_game(LONG | {"width": 40, "tick_rate": 30})
    with game.connect(game.player_address(1)):
        with game.connect(game.player_address(0)) as player:
            assert received(player)["positions"][0] == [0, 0]
            player.send('{"move": "right"}')
            away = until(player, lambda state: state["positions"][0][0] > 1)
        with game.connect(game.player_address(0)) as player:
            again = received(player)
            assert again["tick"] >= away["tick"] and again["slot"] == 0
            further = until(player, lambda state: state["positions"][0][0] > again["positions"][0][0] + 2)
            player.send('{"move": "fly"}')  # unknown: stay
            before = until(player, lambda state: state["tick"] > further["tick"] + 3)["positions"]
            assert until(player, lambda state: state["tick"] > further["tick"] + 6)["positions"] == before


@pytest.mark.parametrize("message", ["{}", "[]", "no json", "3", '{"mov": "up"}'])
def test_a_message_without_a_move_drops_the_connection_and_nothing_else(shared_game: Any, message: str) -> None:
    with shared_game.connect(shared_game.player_address(0)) as player:
        received(player)
        player.send(message)
        with pytest.raises(ConnectionClosed):
            until(player, lambda state: False)
    with shared_game.connect(shared_game.player_address(0)) as player:
        assert received(player)["type"] == "observation"


def test_a_second_connection_takes_the_seat_over(shared_game: Any) -> None:
    with shared_game.connect(shared_game.player_address(1)) as older:
        received(older)
        with shared_game.connect(shared_game.player_address(1)) as newer:
            assert received(newer)["slot"] == 1
            with pytest.raises(ConnectionClosed) as closed:
                until(older, lambda state: False)
            assert closed.value.rcvd is not None and closed.value.rcvd.code == 4000
            tick = received(newer)["tick"]
            until(newer, lambda state: state["tick"] > tick)


def test_a_viewer_that_joins_late_gets_the_whole_board_at_once_and_a_pong(shared_game: Any) -> None:
    with shared_game.connect("/global") as first:
        until(first, lambda state: state["tick"] > 5)
    with shared_game.connect("/global") as late:
        state = received(late)
        assert state["type"] == "state" and state["tick"] > 5 and len(state["tile_owners"]) == 36
        assert late.ping().wait(2)


def test_the_admin_pauses_changes_the_rate_and_resumes(start_game: Any) -> None:
    game = start_game(LONG | ALONE | {"tick_rate": 30})

    def told(command: dict[str, object]) -> dict[str, Any]:
        admin.send(json.dumps(command))
        return received(admin)

    with game.connect("/admin?token=token-of-the-host") as admin, game.connect("/global") as viewer:
        paused = told({"command": "pause"})
        assert paused["paused"] is True
        assert told({"command": "tick_rate", "tick_rate": 12})["tick_rate"] == 12
        assert told({"command": "tick_rate", "tick_rate": 1000})["tick_rate"] == 12
        assert told({"command": "nonsense"})["tick"] == paused["tick"]
        assert told({"command": "resume"})["paused"] is False
        until(viewer, lambda state: state["tick"] > paused["tick"] + 2)


@pytest.mark.parametrize("token", ["", "token-of-slot-zero", "token-of-the-hosts"])
def test_nobody_steers_without_the_admin_token(shared_game: Any, token: str) -> None:
    with pytest.raises(InvalidStatus) as refused, shared_game.connect(f"/admin?token={token}"):
        pass
    assert refused.value.response.status_code == 403


def test_a_game_without_an_admin_token_has_no_admin_route(start_game: Any) -> None:
    game = start_game(LONG, COGAME_ADMIN_TOKEN="")
    for query in ("", "?token=", "?token=token-of-the-host"):
        with pytest.raises(InvalidStatus), game.connect(f"/admin{query}"):
            pass


def test_results_and_replay_are_put_and_posted_to_http_targets_results_first(start_game: Any) -> None:
    calls: list[tuple[str, str, bytes]] = []

    class Target(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            calls.append((self.command, self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(503 if len(calls) == 1 else 200)  # the first attempt fails and is retried
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_PUT

        def log_message(self, format: str, *arguments: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Target) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        game = start_game(
            QUICK | ALONE,
            COGAME_RESULTS_URI=f"{base}/results?signature=1",
            COGAME_SAVE_REPLAY_URI=f"{base}/replay",
            COGAME_SAVE_REPLAY_METHOD="POST",
        )
        assert game.finish()[0] == 0
        server.shutdown()
    assert [call[:2] for call in calls] == [("PUT", "/results?signature=1")] * 2 + [("POST", "/replay")]
    assert json.loads(calls[1][2])["ticks"] == 10 and len(json.loads(calls[2][2])["frames"]) == 10


def test_a_target_that_refuses_fails_the_game_with_one_sentence_without_the_query(start_game: Any) -> None:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:  # knows no PUT
        threading.Thread(target=server.serve_forever, daemon=True).start()
        target = f"http://127.0.0.1:{server.server_port}/results"
        status, output = start_game(QUICK | ALONE, COGAME_RESULTS_URI=f"{target}?signature=secret").finish()
        server.shutdown()
    assert status == 1 and f"error: PUT {target} failed: the server answered 501" in output
    assert "secret" not in output and "Traceback" not in output


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"COGAME_PORT": "http"}, "COGAME_PORT must be a port"),
        ({"COGAME_CONFIG_URI": ""}, "COGAME_CONFIG_URI is not set"),
        ({"COGAME_CONFIG_URI": "file:///nowhere/config.json"}, "could not be read"),
        ({"COGAME_LOAD_REPLAY_URI": "file:///nowhere/replay"}, "no Paint Arena replay"),
    ],
)
def test_a_game_that_cannot_start_says_why_in_one_sentence(
    start_game: Any, variables: dict[str, str], says: str
) -> None:
    status, output = start_game(QUICK, **variables).finish()
    assert status == 1 and says in output and "Traceback" not in output


def test_a_replay_is_shown_by_either_variable_and_commands_are_echoed(start_game: Any, tmp_path: Any) -> None:
    frames = [{"tick": 1, "positions": [[0, 0]], "tile_owners": [0], "scores": [1]}]
    recorded = {"config": {"tokens": ["secret"], "width": 4}, "player_names": ["Ada"], "frames": frames, "results": {}}
    path = tmp_path / "recorded"
    path.write_text(json.dumps(recorded))
    newer = start_game(COGAME_LOAD_REPLAY_URI=path.as_uri(), COGAME_REPLAY_SERVER="1")
    older = start_game(COGAME_REPLAY_SERVER="1")
    for game, query in ((newer, f"?uri={path}"), (older, f"?uri={path.as_uri()}")):
        assert game.get(f"/clients/replay{query}")[0] == 200
        with game.connect(f"/replay{query}") as viewer:
            message = received(viewer)
            assert message["type"] == "replay" and message["frames"] == frames
            assert message["config"] == {"width": 4}
            viewer.send('{"command": "pause"}')
            assert received(viewer) == {"type": "control", "command": {"command": "pause"}}
        with pytest.raises(InvalidStatus), game.connect("/player?slot=0&token=secret"):
            pass
    with older.connect("/replay?uri=/nowhere") as viewer:
        assert received(viewer)["type"] == "error"


def test_a_flooding_player_is_dropped_and_the_clock_goes_on(start_game: Any) -> None:
    game = start_game(LONG | ALONE | {"tick_rate": 1})
    with game.connect(game.player_address(0)) as player:
        with pytest.raises(ConnectionClosed) as closed:
            for _ in range(200_000):
                player.send('{"move": "up"}')
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008
    with game.connect("/global") as viewer:
        tick = received(viewer)["tick"]
        until(viewer, lambda state: state["tick"] > tick)

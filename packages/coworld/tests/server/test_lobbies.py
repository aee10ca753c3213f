"""`coworld lobby` and `coworld hosted-game`: the calls of each command, and what a server answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from packages.coworld.tests.cli.conftest import Said, coworld
from softmax.client.credentials import save_user_token

from .conftest import Call

SEATS = [
    {"position": 0, "kind": "human", "player_name": "Ada\x1b[2J", "is_me": True},
    {"position": 1, "kind": "league_player", "player_id": "ply_1"},
]
LOBBY = {
    "id": "lby_1",
    "league_id": "league_1",
    "coworld_id": "cow_1",
    "coworld_name": "paintarena",
    "coworld_version": "1.0.0",
    "coworld_manifest_hash": "0" * 64,
    "min_players": 2,
    "max_players": 2,
    "status": "draft",
    "revision": 4,
    "created_at": "2026-01-01T00:00:00Z",
    "expires_at": "2026-01-01T01:00:00Z",
    "seats": SEATS,
    "permissions": {"can_start": True},
}
Asked = list[tuple[str, dict[str, Any]]]


class Lobbies(BaseHTTPRequestHandler):
    """A server with one lobby, which answers every request with it."""

    asked: Asked

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.asked.append((f"{self.command} {self.path}", json.loads(body) if body else {}))
        data = json.dumps(LOBBY).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = _answer

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    asked: Asked = []
    http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Lobbies,), {"asked": asked}))
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{http.server_port}"
    monkeypatch.setenv("COGAMES_API_URL", url)
    save_user_token(f"{url}/api", "token")
    yield asked
    http.shutdown()
    http.server_close()


def lobby(line: str) -> Said:
    said = coworld("lobby", *line.split())
    assert said.code == 0, said.err
    return said


def test_a_lobby_is_created_with_seats_and_settings(asked: Asked) -> None:
    said = lobby("create league_1 --variant small --num-players 2 --seat 1:league_player:ply_1 --override max_ticks=20")
    [(call, body)] = asked
    assert body.pop("idempotency_key")
    assert call == "POST /v2/leagues/league_1/lobbies"
    assert body == {
        "variant_id": "small",
        "num_players": 2,
        "seats": [{"position": 1, "kind": "league_player", "player_id": "ply_1"}],
        "game_config_overrides": {"max_ticks": 20},
    }
    assert "Lobby: lby_1, draft, revision 4" in said.out and "\x1b" not in said.out
    assert lobby("get lby_1 --json").document("lobby")["seats"][0]["is_me"]


@pytest.mark.parametrize(
    ("line", "call", "body"),
    [
        ("claim lby_1 0", "POST /v2/lobbies/lby_1/seats/0/claim", {}),
        ("remove lby_1 1", "DELETE /v2/lobbies/lby_1/seats/1/player", {}),
        ("leave lby_1", "POST /v2/lobbies/lby_1/leave", {}),
        ("cancel lby_1", "POST /v2/lobbies/lby_1/cancel", {}),
        ("end lby_1", "POST /v2/lobbies/lby_1/end", {}),
        (
            "seat lby_1 1:closed --revision 3",
            "PUT /v2/lobbies/lby_1/seats/1",
            {"expected_revision": 3, "kind": "closed"},
        ),
    ],
)
def test_each_command_makes_one_call(line: str, call: str, body: dict[str, Any], asked: Asked) -> None:
    lobby(line)
    assert asked == [(call, body)]


def test_a_game_starts_from_the_current_revision(asked: Asked) -> None:
    lobby("start lby_1")
    assert [call for call, _ in asked] == ["GET /v2/lobbies/lby_1", "POST /v2/lobbies/lby_1/start"]
    assert asked[1][1]["expected_revision"] == 4 and asked[1][1]["idempotency_key"]


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("lobby create {league} --variant none", 1, "has no variant"),
        ("lobby create nowhere", 1, "No league has the name 'nowhere'"),
        ("lobby get lby_1", 1, "lby_1 not found"),
        ("lobby start lby_1 --revision 1", 1, "lby_1 not found"),
        ("lobby seat lby_1 first:closed", 2, "is not SEAT:KIND[:PLAYER]"),
        ("lobby seat lby_1 1:league_player", 2, "needs a player"),
        ("lobby create {league} --override x", 2, "is not KEY=VALUE"),
    ],
)
def test_our_server_and_mistakes_answer_in_one_sentence(line: str, code: int, sentence: str, call: Call) -> None:
    said = call(line)
    assert (said.code, said.err.startswith("Error: ")) == (code, True) and sentence in said.err, said.err


def test_games_are_hosted_and_lobbies_are_run_with_the_commands(call: Call, ask: Any) -> None:
    game = ask("hosted-game create {coworld}")
    assert game["player_count"] == 2 and game["session_id"] in game["lobby_url"]
    assert {"join_url", "global_url"} <= set(game)  # of older clients
    seat = ask(f"hosted-game join {game['session_id']}")
    assert (seat["entrant_kind"], seat["slot"]) == ("player", 0) and seat["player_url"] == seat["target_url"]
    said = call(f"hosted-game join {game['session_id']}")
    assert said.out == f"You are a player in seat 0\n{seat['target_url']}\n"
    lobby = ask("lobby create {league}")
    assert ask(f"lobby seat {lobby['id']} 1:human_open")["seats"][1]["can_claim"]
    started = ask(f"lobby start {lobby['id']}")
    assert started["status"] == "pending" and started["episode_request_id"] and started["play_url"]
    said = call(f"lobby cancel {lobby['id']}")
    assert said.code == 0 and "cancelled" in said.out

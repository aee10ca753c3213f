"""A server that answers with anything: a command prints one sentence, never a traceback, and no control characters."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from packages.coworld.tests.cli.conftest import coworld
from softmax.client.credentials import save_user_token

READS = [
    "leagues",
    "leagues league_1",
    "divisions div_1",
    "results div_1",
    "rounds",
    "memberships",
    "submissions --mine",
    "events",
    "list",
    "show cow_1",
    "status cow_1",
    "images img_1",
    "credits",
    "power-analysis div_1",
    "league list",
    "episodes ereq_1",
    "episode-stats ereq_1",
    "episode-logs ereq_1",
    "replays --mine",
    "xp-request get xreq_1",
    "xp-request episodes xreq_1",
    "xp-request watch xreq_1 --timeout 1",
    "xp-request download xreq_1 --include results -d files",
    "download cow_1",
    "bundle ereq_1",
    "reproduce ereq_1",
    "submit mine --league league_1",
]
LONG = json.dumps({"name": "x" * 1_000_000})
ANSWERS = {
    "a page": (200, "text/html", "<html><body>Welcome</body></html>"),
    "nothing": (200, "application/json", ""),
    "a number": (200, "application/json", "7"),
    "a list of numbers": (200, "application/json", "[1, 2]"),
    "an object of wrong types": (200, "application/json", '{"entries": {"id": []}, "id": 5, "next_cursor": 3}'),
    "deep JSON": (200, "application/json", "[" * 100_000),
    "a large object": (200, "application/json", LONG),
    "a page with an error": (500, "text/html", "<html>" + "x" * 100_000),
    "an error of a wrong type": (400, "application/json", '{"detail": {"message": ["a", "list"]}}'),
    "an error that is a list": (422, "application/json", '{"detail": [1, {"loc": 3, "msg": null}]}'),
    "control characters": (403, "application/json", json.dumps({"detail": "no\x1b[2J\x07 \r\n way"})),
    "a redirect": (302, "text/html", ""),
}


class _Server(ThreadingHTTPServer):
    answer: tuple[int, str, str] = (200, "application/json", "{}")


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, kind, text = self.server.answer
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if status == 302:
            self.send_header("Location", "https://example.org/elsewhere")
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = _answer

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def listening() -> Iterator[_Server]:
    with _Server(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def server(listening: _Server, monkeypatch: pytest.MonkeyPatch) -> _Server:
    url = f"http://127.0.0.1:{listening.server_address[1]}"
    monkeypatch.setenv("COGAMES_API_URL", url)
    monkeypatch.setattr("softmax.client.transport.RETRY_DELAYS", ())
    save_user_token(f"{url}/api", "token")
    return listening


@pytest.mark.parametrize("answer", ANSWERS)
def test_any_answer_is_refused_in_a_sentence(answer: str, server: _Server) -> None:
    server.answer = ANSWERS[answer]
    half = list(ANSWERS).index(answer) % 2
    for line in READS[half::2]:
        said = coworld(*line.split())
        assert said.code in (1, 2), (line, said)
        assert said.err.startswith("Error: ") and len(said.err) < 2000, (line, said.err[:3000])
        assert all(letter.isprintable() or letter == "\n" for letter in said.err), (line, said.err)
        assert said.out == "", (line, said.out[:500])


def test_names_of_other_users_cannot_control_a_terminal(server: _Server) -> None:
    name = "evil\x1b[2J\x07\r\nFAKE\u202e"
    game = {"id": "game_1", "name": name, "created_at": "2026-01-01T00:00:00Z"}
    league = {
        "id": f"league_{name}",
        "name": name,
        "game": game,
        "participation_url": "/",
        "forum_markdown_url": None,
        "wiki_markdown_url": None,
        "created_at": "2026-01-01T00:00:00Z",
        "rounds_paused_at": None,
    }
    division = {"id": "div_1", "name": name, "level": 1, "type": "competition", "hidden": False, "league": league}
    division |= {"description": name, "created_at": "2026-01-01T00:00:00Z"}
    for line, document in (
        ("leagues", [league]),
        ("leagues league_1", league),
        ("divisions", [division]),
        ("divisions div_1", division),
    ):
        server.answer = (200, "application/json", json.dumps(document))
        said = coworld(*line.split())
        assert said.code == 0, said.err
        assert all(letter.isprintable() or letter == "\n" for letter in said.out), (line, said.out)
        assert "FAKE" in said.out

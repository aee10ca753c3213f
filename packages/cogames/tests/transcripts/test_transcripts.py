"""Transcripts of commands: errors and empty states as users see them, word for word.

Each `*.txt` file here is a session in an empty folder. Lines that begin with `#` describe it and may set it up:

    # user: ada            ada (two versions of `mine`), bob (`theirs`), eve (nothing), expired; signed out by default
    # server: league       or empty, page (HTML), missing (404), other (another JSON API), closed (nothing listens)
    # columns: 60          the output is a terminal of this width
    # file: NAME           a Python file that exists

Names in braces stand for values that differ from run to run. After a change of the words, write the files again with
`UPDATE_TRANSCRIPTS=1 pytest packages/cogames/tests/transcripts` and read every difference.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import re
import shlex
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mettagrid.policy.bundle_cache import separate_cache
from softmax.client.credentials import save_user_token
from tests.league import League, make_account, running_league, running_server

FOLDER = Path(__file__).parent
TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))
UPDATE = bool(os.environ.get("UPDATE_TRANSCRIPTS"))
APPS = {
    "cogames": "cogames.main:app",
    "coworld": "coworld.cli.table:app",
    "observatory": "observatory.main:app",
    "softmax": "softmax.main:app",
}
ANSWERS = {
    "page": (200, "text/html", "<!doctype html><title>Hello</title>"),
    "missing": (404, "text/html", "<h1>404 Not Found</h1>"),
    "other": (200, "application/json", json.dumps({"status": "fine"})),
}
VARYING = {
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}": "{id}",
    r"\bply_[a-z0-9]{20}\b": "{player id}",
    r"\bu[a-z0-9]{19}\b": "{user id}",
    r"\d{4}-\d\d-\d\d \d\d:\d\d": "{time}",
    r"\b\d+ ms\b": "{n} ms",
    r"(?m)^cogames \d+\.\d+\.\d+$": "cogames {version}",
}
"""what stands for other values that differ from run to run"""
UNUSED = ("COGAMES_API_URL", "COGAMES_LOGIN_URL", "SOFTMAX_CONFIG_DIR", "DISPLAY", "WAYLAND_DISPLAY", "COLUMNS")


@dataclass(frozen=True)
class Stage:
    """The servers by name, the tokens of users, and what stands for values that differ from run to run."""

    servers: dict[str, str]
    tokens: dict[str, str]
    names: dict[str, str]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("transcripts")
        league = stack.enter_context(running_league(folder / "league"))
        empty = stack.enter_context(running_server(folder / "empty"))
        servers = {"league": league.url, "empty": empty.url, "closed": _closed_address()}
        servers |= {name: stack.enter_context(_foreign(*answer)) for name, answer in ANSWERS.items()}
        yield Stage(servers, _tokens(league), _names(league))


def _tokens(league: League) -> dict[str, str]:
    eve = make_account(league.world, "eve")
    return {
        "ada": league.names["token"],
        "bob": league.names["other_token"],
        "eve": eve.token,
        "expired": "obs_expired",
    }


def _names(league: League) -> dict[str, str]:
    """Return names for values; the prefix that the ids of all matches share is one of them."""
    kept = ("season", "team_season", "version", "older_version", "other_version", "match", "failed_match", "episode")
    names = {name: league.names[name] for name in (*kept, "run", "player")}
    pairs = zip(names["match"], names["failed_match"], strict=True)
    shared = "".join(one for one, other in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    return {**names, "shared": shared}


def _closed_address() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def _foreign(status: int, kind: str, text: str) -> Iterator[str]:
    """Serve another program, which sends the same response to every request."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder, an empty home folder and an empty cache; local time is UTC."""
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    home.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in UNUSED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    modules = set(sys.modules)
    with monkeypatch.context() as patch, separate_cache(tmp_path / "cache"):
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield work
    time.tzset()
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(work)):
            del sys.modules[name]


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=[path.stem for path in TRANSCRIPTS])
def test_a_session_reads_as_its_transcript(
    path: Path, stage: Stage, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = path.read_text(encoding="utf-8")
    played = _play(written, stage, work, monkeypatch)
    if UPDATE:
        path.write_text(played, encoding="utf-8")
    else:
        assert played == written


def test_there_are_enough_transcripts() -> None:
    assert len(TRANSCRIPTS) >= 30


def _play(text: str, stage: Stage, work: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the commands of a transcript and return it with the output they have now."""
    settings = dict(re.findall(r"^# (user|server|columns): +(\S+)$", text, re.MULTILINE))
    server = stage.servers[settings.get("server", "league")]
    monkeypatch.setenv("COGAMES_API_URL", server)
    token = stage.tokens.get(settings.get("user", ""))
    if token is not None:
        save_user_token(f"{server}/api", token)
    if "columns" in settings:
        monkeypatch.setattr("softmax.cli.output.terminal_width", lambda stream: int(settings["columns"]))
    for name in re.findall(r"^# file: +(\S+)$", text, re.MULTILINE):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("x = 1\n")
    names = {**stage.names, "server": server, "folder": str(work), "home": str(work.parent / "home")}
    names |= {"cache": str(work.parent / "cache"), "netloc": server.removeprefix("http://")}
    blocks = [line for line in text.splitlines() if line.startswith("#")]
    for command in re.findall(r"^\$ (.*)$", text, re.MULTILINE):
        blocks += ["", f"$ {command}", *_run(command, names)]
    return "\n".join(blocks) + "\n"


def _run(command: str, names: dict[str, str]) -> list[str]:
    filled = command
    for name, value in names.items():
        filled = filled.replace(f"{{{name}}}", value)
    program, *words = shlex.split(filled)
    module, _, attribute = APPS[program].partition(":")
    app = getattr(importlib.import_module(module), attribute)
    ran = CliRunner().invoke(app, words, prog_name=program)
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    lines = [line.rstrip() for line in _named(ran.output, names).splitlines()]
    return [*lines, f"[exit code {ran.exit_code}]"]


def _named(text: str, names: dict[str, str]) -> str:
    """Replace values that differ from run to run with their names."""
    for name, value in sorted(names.items(), key=lambda item: -len(item[1])):
        if len(value) > 6 and name != "shared":  # the names of seasons and policies are the same in every run
            text = text.replace(value, f"{{{name}}}")
    for pattern, name in VARYING.items():
        text = re.sub(pattern, name, text)
    text = re.sub(rf"\b{names['shared']}(?![0-9a-f-])", "{shared}", text)
    return re.sub(rf"\b{names['shared']}[0-9a-f-]+", "{prefix}", text)

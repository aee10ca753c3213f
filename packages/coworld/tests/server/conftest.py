"""One server with a league for all tests of this folder, and the command of someone who is signed in to it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coworld.server.api_client import CoworldApiClient
from packages.coworld.tests.cli.conftest import Said, coworld
from softmax.client.credentials import save_user_token
from tests.coworld_league import running_coworld_league
from tests.league import League, filled

Call = Callable[..., Said]


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[League]:
    with running_coworld_league(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home and working folder, UTC, and nothing in the environment that names a server."""
    folder, work = tmp_path / "home", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    monkeypatch.chdir(work)
    for name in ("COGAMES_LOGIN_URL", "SOFTMAX_CONFIG_DIR", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with monkeypatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield folder
    time.tzset()
    CoworldApiClient.set_elevated(False)


@pytest.fixture
def call(league: League, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command as ada, or as another `user`; `{league}`, `{coworld}` and so on stand for ids."""
    monkeypatch.setenv("COGAMES_API_URL", league.url)

    def run(line: str, *words: object, user: str = "token") -> Said:
        save_user_token(f"{league.url}/api", league.names[user])
        return coworld(*filled(line, league.names).split(), *words)

    return run


@pytest.fixture
def ask(call: Call) -> Callable[..., object]:
    """Run a command with `--json` and return the document, which must match its schema."""

    def run(line: str, *words: object, user: str = "token") -> object:
        said = call(line, *words, "--json", user=user)
        assert said.code == 0, (line, said.err, said.out)
        json.loads(said.out)
        return said.document(line.removeprefix("--elevated ").split()[0])

    return run

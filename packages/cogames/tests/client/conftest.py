"""The command line of someone with an empty home folder, and a server that answers with fixed documents."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cogames.main import app
from packages.cogames.tests.client.stub import TOKEN, Stub, serve_stub
from softmax.client.credentials import save_user_token


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """Return the line that says what was wrong."""
        return next((line for line in self.err.splitlines() if line.startswith("Error")), "")

    @property
    def hints(self) -> list[str]:
        return [line.removeprefix("hint: ") for line in self.err.splitlines() if line.startswith("hint: ")]


@pytest.fixture(autouse=True)
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times are printed in local time: here that is UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, and nothing in the environment that names a server."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("COGAMES_API_URL", "COGAMES_LOGIN_URL", "SOFTMAX_CONFIG_DIR", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serve_stub() as server:
        yield server


@pytest.fixture
def named(stub: Stub, home: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """Set the stub as the server in the environment; no user is signed in."""
    monkeypatch.setenv("COGAMES_API_URL", stub.address)
    return stub


@pytest.fixture
def server(named: Stub) -> Stub:
    """The stub, named in the environment, with a saved token."""
    save_user_token(f"{named.address}/api", TOKEN)
    return named


@pytest.fixture
def cogames(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Calls the command in this process. The working folder is `tmp_path/work`."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("COGBOX_LEVEL", "bubblewrap")
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(*words: object, stdin: str | None = None) -> Ran:
        result = CliRunner().invoke(app, [str(word) for word in words], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.stderr
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run

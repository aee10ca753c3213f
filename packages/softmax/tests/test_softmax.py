"""The `softmax` command and module, against a server that answers with fixed documents."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import softmax
import softmax.cogames
from packages.cogames.tests.client.stub import PLAYER, TOKEN, WHO, Stub, serve_stub
from softmax.client.credentials import current_token, save_user_token, user_token
from softmax.main import app


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A stub that is named in the environment, and an empty home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SOFTMAX_CONFIG_DIR", raising=False)
    with serve_stub() as stub:
        monkeypatch.setenv("COGAMES_LOGIN_URL", f"{stub.address}/api")
        monkeypatch.delenv("COGAMES_API_URL", raising=False)
        stub.answer("GET", "/api/whoami", WHO)
        yield stub


@pytest.fixture
def run(server: Stub) -> Callable[..., tuple[int, str, str]]:
    def call(*words: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, list(words))
        return result.exit_code, result.stdout, result.stderr

    return call


def test_a_token_is_saved_shown_and_forgotten(run: Callable, server: Stub, tmp_path: Path) -> None:
    login = f"{server.address}/api"
    assert run("get-token")[0] == 1
    assert run("status")[0] == 1
    assert run("set-token", TOKEN)[:2] == (0, f"Token saved for {login}\n")
    assert (tmp_path / ".metta" / "cogames.yaml").read_text() == (
        f"login_tokens:\n  {login}: {TOKEN}\nuser_tokens:\n  {login}: {TOKEN}\n"
    )
    assert run("get-token")[:2] == (0, f"{TOKEN}\n")
    assert "user_email: ada@example.org" in run("status")[1]
    assert run("login")[:2] == (0, "Already authenticated with 127.0.0.1\n")
    assert run("logout")[:2] == (0, "Logged out.\n")
    assert run("get-token")[0] == 1
    assert run("get-login-url")[:2] == (0, f"{server.address}/cli-login\n")


def test_without_a_terminal_the_way_to_sign_in_is_printed(run: Callable, server: Stub) -> None:
    code, out, _ = run("login")
    assert (code, f"{server.address}/cli-login" in out) == (1, True)


def test_a_code_becomes_a_token(run: Callable, server: Stub) -> None:
    server.answer("POST", "/api/observatory/credentials/auth-codes/exchange", {"token": "for-the-code"})
    assert run("exchange-code", "abc")[0] == 0
    assert user_token(f"{server.address}/api") == "for-the-code"
    server.answer("POST", "/api/observatory/credentials/auth-codes/exchange", {"detail": "It was used"}, 410)
    code, _, error = run("exchange-code", "abc")
    assert (code, "The code was not accepted: It was used" in error) == (1, True)


def test_players_and_local_workflows_are_there(
    run: Callable, server: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_user_token(f"{server.address}/api", TOKEN)
    assert json.loads(run("cogames", "player", "list", "--json")[1])[0]["id"] == "ply_1"
    assert run("cogames", "player", "login", "Ada")[0] == 0
    assert current_token(f"{server.address}/api") == "ply_token"
    assert run("cogames", "player", "logout")[0] == 0
    monkeypatch.chdir(tmp_path)
    assert run("cogames", "bundle", "-p", "starter")[0] == 0
    assert (tmp_path / "submission.zip").exists()
    for words in (["cogames", "play"], ["cogames", "eval", "run"], ["cogames", "tutorial", "make-policy"]):
        assert run(*words, "--help")[0] == 0
    assert run("cogames", "fly")[0] == 2


def test_the_module_does_the_same(server: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    save_user_token(f"{server.address}/api", TOKEN)
    assert softmax.login() == TOKEN
    server.answer("GET", "/players", [PLAYER, {**PLAYER, "id": "ply_2", "name": "Grace"}])
    assert [player.id for player in softmax.cogames.player.list(TOKEN)] == ["ply_1", "ply_2"]
    assert softmax.cogames.player.create(TOKEN, "Ada").id == "ply_1"
    assert softmax.cogames.login(TOKEN, "ply_1") == "ply_token"
    assert softmax.cogames.login_response(TOKEN, "ply_1", server=server.address).player_id == "ply_1"
    assert {asked.headers["x-auth-token"] for asked in server.log[1:]} == {TOKEN}


def test_signing_in_from_python_waits_for_the_browser(server: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    import threading
    import webbrowser
    from urllib.parse import parse_qs, urlsplit

    import httpx

    def open_page(page: str) -> bool:
        callback = parse_qs(urlsplit(page).query)["callback"][0]
        threading.Thread(target=httpx.get, args=(callback,), kwargs={"params": {"token": "new"}}).start()
        return True

    def paste() -> str:
        raise EOFError

    monkeypatch.setattr(webbrowser, "open", open_page)
    monkeypatch.setattr("softmax.client.sign_in.read_pasted_token", paste)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert softmax.login(login_server=f"{server.address}/api", force=True) == "new"
    assert current_token(f"{server.address}/api") == "new"

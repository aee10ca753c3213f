"""Signing in: with the browser's callback, with a pasted token, or without a terminal."""

import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from cogames.client import LoginFailed
from packages.cogames.tests.client.stub import TOKEN, WHO, Stub
from packages.cogames.tests.client.test_credentials import SOON
from softmax.client.credentials import current_token, save_player_session, save_user_token, user_token
from softmax.client.sign_in import Callback, exchange_code, is_valid_token, sign_in


def browser(page: str, **answer: str) -> httpx.Response:
    """Act as the browser after the user has signed in on the page."""
    callback = parse_qs(urlsplit(page).query)["callback"][0]
    return httpx.get(callback, params=answer, headers={"Origin": "http://league.example"})


def test_the_browser_brings_the_token(stub: Stub) -> None:
    pages: list[str] = []

    def show(page: str) -> None:
        pages.append(page)
        threading.Thread(target=browser, args=(page,), kwargs={"token": "from-browser"}).start()

    assert sign_in(f"{stub.address}/api", show=show, timeout=20) == "from-browser"
    parts = urlsplit(pages[0])
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{stub.address}/cli-login"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/callback", parse_qs(parts.query)["callback"][0])


def test_a_code_is_exchanged_for_the_token(stub: Stub) -> None:
    stub.answer("POST", "/api/observatory/credentials/auth-codes/exchange", {"token": "for-the-code"})

    def show(page: str) -> None:
        threading.Thread(target=browser, args=(page,), kwargs={"code": "abc"}).start()

    assert sign_in(f"{stub.address}/api", show=show, timeout=20) == "for-the-code"
    assert stub.log[0].json() == {"code": "abc"}
    stub.answer("POST", "/api/observatory/credentials/auth-codes/exchange", {"detail": "used or expired"}, 410)
    with pytest.raises(LoginFailed, match="used or expired"):
        exchange_code(f"{stub.address}/api", "abc")


def test_the_callback_answers_any_page_and_wants_a_token() -> None:
    with Callback() as callback:
        without = httpx.get(callback.address)
        assert (without.status_code, without.headers["access-control-allow-origin"]) == (400, "*")
        assert httpx.get(callback.address.replace("/callback", "/other")).status_code == 404
        assert callback.arrived.empty()
        with_token = httpx.get(callback.address, params={"token": "<t>"})
        assert (with_token.status_code, "<t>" in with_token.text) == (200, False)
        assert callback.arrived.get(timeout=20) == ("token", "<t>")


def test_a_pasted_token_is_checked_and_asked_for_again(stub: Stub) -> None:
    stub.answer("GET", "/api/validate", lambda asked: {"valid": asked.headers["authorization"] == "Bearer right"})
    pasted = iter(["wrong", "", "right"])
    said: list[str] = []
    token = sign_in(
        f"{stub.address}/api", show=lambda page: None, paste=lambda: next(pasted), say=said.append, timeout=20
    )
    assert token == "right"
    assert len(said) == 1
    assert [asked.headers["authorization"] for asked in stub.log] == ["Bearer wrong", "Bearer right"]


@pytest.mark.parametrize(
    ("status", "verdict"), [(200, True), (400, False), (401, False), (403, False), (404, False), (500, None)]
)
def test_only_some_answers_say_that_a_token_is_wrong(stub: Stub, status: int, verdict: bool | None) -> None:
    stub.answer("GET", "/api/validate", {"valid": True}, status)
    assert is_valid_token(f"{stub.address}/api", "t") is verdict


def test_a_sign_in_times_out() -> None:
    with pytest.raises(LoginFailed, match="No sign-in within"):
        sign_in("http://league.example/api", show=lambda page: None, timeout=0.05)


def test_without_a_terminal_the_way_is_explained(cogames: Callable, stub: Stub) -> None:
    ran = cogames("auth", "login", "--server", f"{stub.address}/api")
    assert ran.code == 1
    assert f"{stub.address}/cli-login" in ran.out
    assert f"cogames auth set-token --server '{stub.address}/api' '<TOKEN>'" in ran.out
    assert cogames("auth", "get-login-url", "-s", f"{stub.address}/api").out == f"{stub.address}/cli-login\n"
    assert stub.log == []


def test_a_saved_token_that_works_is_kept(cogames: Callable, server: Stub) -> None:
    server.answer("GET", "/api/whoami", WHO)
    ran = cogames("auth", "login")
    assert (ran.code, ran.out) == (0, "Already authenticated with 127.0.0.1\n")
    assert [(asked.line, asked.headers["authorization"]) for asked in server.log] == [
        ("GET /api/whoami", f"Bearer {TOKEN}")
    ]
    server.answer("GET", "/api/whoami", {"detail": "down"}, 503)
    assert cogames("auth", "login").code == 0
    server.answer("GET", "/api/whoami", {"detail": "expired"}, 401)
    assert cogames("auth", "login").code == 1
    server.log.clear()
    assert cogames("auth", "login", "--force").code == 1
    assert server.log == []


def test_the_older_spelling_signs_in_too(cogames: Callable, server: Stub) -> None:
    server.answer("GET", "/api/whoami", WHO)
    ran = cogames("login", "--login-server", f"{server.address}/api", "--timeout", "300")
    assert (ran.code, "`cogames login` is an older spelling; write `cogames auth login`" in ran.err) == (0, True)


def test_signing_in_at_a_terminal(stub: Stub, home: Path) -> None:
    """A person at a terminal: the page is printed, the browser comes back, the token is saved."""
    controller, terminal = pty.openpty()
    words = [sys.executable, "-m", "cogames", "auth", "login", "--no-browser", "-s", f"{stub.address}/api"]
    with subprocess.Popen(words, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        os.close(terminal)
        assert process.stderr is not None and process.stdout is not None
        page = next(line.strip() for line in process.stderr if "/cli-login?callback=" in line)
        assert browser(page, token="at-the-terminal").status_code == 200
        out = process.stdout.read()
        process.stderr.read()
    os.close(controller)
    assert (process.returncode, "Signed in to 127.0.0.1" in out) == (0, True)
    assert current_token(f"{stub.address}/api") == "at-the-terminal"


def test_status_shows_the_identity_from_the_server(cogames: Callable, server: Stub) -> None:
    ran = cogames("auth", "status")
    assert ran.out.splitlines()[:3] == ["Authenticated", "user_email: ada@example.org", "subject_type: user"]
    server.answer("GET", "/api/whoami", WHO)
    assert cogames("auth", "status", "-s", f"{server.address}/api").code == 0
    assert cogames("auth", "status", "-s", server.address).code == 0
    assert cogames("auth", "status", "-s", server.address, "--login-server", f"{server.address}/api").code == 0
    assert server.lines == ["GET /whoami", "GET /api/whoami", "GET /api/whoami", "GET /whoami"]
    server.answer("GET", "/whoami", {"detail": "no"}, 401)
    ran = cogames("auth", "status")
    assert (ran.code, ran.error) == (1, "Error: Authentication failed (token expired or invalid).")
    assert ran.hints == ["cogames auth login --force"]


def test_tokens_are_printed_and_read_for_scripts(cogames: Callable, named: Stub) -> None:
    ran = cogames("auth", "get-token")
    assert (ran.code, ran.error, ran.hints) == (1, "Error: No token found.", ["cogames auth login"])
    assert cogames("auth", "set-token", "-", stdin="from-a-file\n").code == 0
    assert cogames("auth", "get-token").out == "from-a-file\n"
    assert cogames("auth", "set-token", "two words").code == 1
    assert cogames("auth", "status", "-s", "http://127.0.0.1:9/api").error == "Error: Not authenticated."


def test_players_are_managed_with_the_users_own_token(cogames: Callable, server: Stub, home: Path) -> None:
    login = f"{server.address}/api"
    save_player_session(login, "ply_9", "another-players", SOON)
    ran = cogames("auth", "player", "login", "Ada")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "Player session active: ply_1")
    assert server.lines == ["GET /players", "POST /players/ply_1/login"]
    assert {asked.headers["x-auth-token"] for asked in server.log} == {TOKEN}
    assert (current_token(login), user_token(login)) == ("ply_token", TOKEN)
    ran = cogames("auth", "player", "logout")
    assert (ran.code, "user_email: ada@example.org" in ran.out) == (0, True)
    assert current_token(login) == TOKEN


def test_going_back_to_oneself_needs_no_server(cogames: Callable, home: Path) -> None:
    login = "http://127.0.0.1:9/api"
    save_user_token(login, TOKEN)
    save_player_session(login, "ply_1", "ply_token", SOON)
    assert cogames("auth", "player", "logout", "--login-server", login).code == 0
    assert current_token(login) == TOKEN
    ran = cogames("auth", "player", "logout", "--login-server", "http://other.example/api")
    assert (ran.code, ran.error) == (1, "Error: No saved user session found.")


def test_a_players_name_must_mean_one_player(cogames: Callable, server: Stub) -> None:
    from packages.cogames.tests.client.stub import PLAYER

    assert cogames("auth", "player", "login", "absent").error == "Error: No player found with name: absent"
    server.answer("GET", "/players", [PLAYER, {**PLAYER, "id": "ply_2"}])
    assert "ply_1, ply_2" in cogames("auth", "player", "credentials", "list", "Ada").error


def test_a_credentials_token_is_shown_once(cogames: Callable, server: Stub) -> None:
    ran = cogames("auth", "player", "credentials", "create", "ply_1", "-n", "ci", "--scope", "write")
    assert "token: ply_secret" in ran.out
    assert server.log[0].json() == {"name": "ci", "scopes": ["write"]}
    assert "ply_secret" not in cogames("auth", "player", "credentials", "list", "ply_1").out

"""The published names of `softmax`: tokens by kind, sessions, and the command as an application."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

import softmax
from cogames.client import TokenRejected
from packages.cogames.tests.client.stub import TOKEN, WHO, serve_stub
from softmax import auth
from softmax.cli import app
from softmax.client.credentials import current_token, save_player_session, user_token
from softmax.client.errors import BadCredentials
from softmax.perform_login import do_interactive_login_for_token
from softmax.token_storage import TokenKind, delete_token, load_token, save_token

LOGIN = "https://league.example.org/api"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("SOFTMAX_CONFIG_DIR", "COGAMES_LOGIN_URL", "COGAMES_API_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("kind", TokenKind)
def test_a_token_of_each_kind_is_saved_loaded_and_deleted(kind: TokenKind) -> None:
    assert load_token(token_kind=kind, server=LOGIN) is None
    save_token(token_kind=kind, server=LOGIN, token="abc")
    assert load_token(token_kind=kind, server=LOGIN) == "abc"
    assert load_token(token_kind=kind, server="https://elsewhere.example.org") is None
    assert delete_token(token_kind=kind, server=LOGIN)
    assert not delete_token(token_kind=kind, server=LOGIN)
    assert load_token(token_kind=kind, server=LOGIN) is None


def test_kinds_are_kept_apart_in_the_files_of_the_published_client(home: Path) -> None:
    for kind in TokenKind:
        save_token(token_kind=kind, server=LOGIN, token=f"of-{kind}")
    assert (home / ".metta" / "cogames.yaml").read_text() == (
        f"login_tokens:\n  {LOGIN}: of-cogames\nuser_tokens:\n  {LOGIN}: of-cogames_user\n"
    )
    assert (home / ".metta" / "config.yaml").read_text() == f"observatory_tokens:\n  {LOGIN}: of-observatory\n"
    assert (home / ".metta" / "cogames.yaml").stat().st_mode & 0o777 == 0o600
    assert (current_token(LOGIN), user_token(LOGIN)) == ("of-cogames", "of-cogames_user")


def test_a_section_that_is_not_a_mapping_is_refused_and_preserved(home: Path) -> None:
    file = home / ".metta" / "cogames.yaml"
    file.parent.mkdir()
    file.write_text("login_tokens: nope\n")
    with pytest.raises(BadCredentials, match="section must be a mapping"):
        save_token(token_kind=TokenKind.COGAMES, server=LOGIN, token="abc")
    assert file.read_text() == "login_tokens: nope\n"


def test_sessions_of_the_user_and_of_a_player() -> None:
    auth.save_cogames_user_token(login_server=LOGIN, token="user")
    auth.save_cogames_active_token(login_server=LOGIN, token="player")
    assert auth.load_current_cogames_token(login_server=LOGIN) == "player"
    assert auth.load_cogames_user_token(login_server=LOGIN) == "user"
    assert auth.has_saved_token(token_kind=TokenKind.COGAMES, server=LOGIN)
    assert auth.restore_cogames_user_session(login_server=LOGIN) == "user"
    assert auth.load_current_cogames_token(login_server=LOGIN) == "user"
    assert auth.delete_cogames_tokens(login_server=LOGIN)
    assert not auth.has_saved_token(token_kind=TokenKind.COGAMES_USER, server=LOGIN)


def test_the_default_servers_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert softmax.DEFAULT_COGAMES_SERVER == "http://127.0.0.1:8000/api"
    monkeypatch.setenv("COGAMES_LOGIN_URL", LOGIN)
    assert (auth.DEFAULT_COGAMES_SERVER, auth.get_login_server()) == (LOGIN, LOGIN)
    assert auth.DEFAULT_COGAMES_API_SERVER == "https://league.example.org"
    with pytest.raises(AttributeError, match="DEFAULT_X"):
        _ = auth.DEFAULT_X


def test_the_page_to_sign_in_at() -> None:
    assert auth.build_browser_login_url(LOGIN) == "https://league.example.org/cli-login"
    page = auth.build_browser_login_url(LOGIN, callback_url="http://127.0.0.1:5555/callback")
    assert page == "https://league.example.org/cli-login?callback=http%3A%2F%2F127.0.0.1%3A5555%2Fcallback"


def test_whoami_of_a_token() -> None:
    with serve_stub() as stub:
        stub.answer("GET", "/whoami", WHO)
        who = auth.fetch_cogames_whoami(api_server=stub.address, token=TOKEN)
        assert isinstance(who, auth.WhoAmIResponse)
        assert who.user_email == "ada@example.org"
        stub.answer("GET", "/whoami", {"detail": "no"}, 401)
        with pytest.raises(TokenRejected):
            auth.fetch_cogames_whoami(api_server=stub.address, token="bad")


def test_login_makes_the_user_session_the_active_one() -> None:
    with serve_stub() as stub:
        login = f"{stub.address}/api"
        stub.answer("GET", "/api/whoami", WHO)
        auth.save_cogames_user_token(login_server=login, token=TOKEN)
        save_player_session(login, "ply_1", "player", datetime.now(UTC) + timedelta(hours=1))
        assert softmax.login(login_server=login) == TOKEN
        assert current_token(login) == TOKEN


def test_login_without_a_terminal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    with pytest.raises(RuntimeError, match="interactive login requires a TTY"):
        softmax.login(login_server="http://127.0.0.1:9/api")
    with pytest.raises(AssertionError, match="only be called when stdin is a TTY"):
        do_interactive_login_for_token(
            login_server=LOGIN,
            server_to_save_token_under=LOGIN,
            token_kind=TokenKind.COGAMES,
            agent_hint=None,
            open_browser=False,
        )


def test_a_pasted_token_is_saved_under_its_kind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("softmax.client.sign_in.read_pasted_token", lambda: "pasted\n")
    with serve_stub() as stub:
        stub.answer("GET", "/api/validate", {"valid": True})
        do_interactive_login_for_token(
            login_server=f"{stub.address}/api",
            server_to_save_token_under="token-key",
            token_kind=TokenKind.OBSERVATORY,
            agent_hint="Ask your human",
            open_browser=False,
        )
    assert load_token(token_kind=TokenKind.OBSERVATORY, server="token-key") == "pasted"
    out = capsys.readouterr().out
    assert "Open this URL in any browser to sign in:" in out
    assert "Ask your human" in out


def test_the_command_is_an_application() -> None:
    assert CliRunner().invoke(app, ["get-login-url", "--server", LOGIN]).stdout == (
        "https://league.example.org/cli-login\n"
    )
    help_text = CliRunner().invoke(app, ["cogames", "--help"]).stdout
    assert all(name in help_text for name in ("play", "eval", "bundle", "player", "tutorial"))

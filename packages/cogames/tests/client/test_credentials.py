"""The files with tokens: byte for byte what the published clients write, and readable only by their owner."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from stat import S_IMODE

import pytest

from cogames.client import BadCredentials
from softmax.client import credentials as saved

LOGIN = "http://league.example/api"
SOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
BOTH = """\
login_tokens:
  http://league.example/api: {active}
user_tokens:
  http://league.example/api: {user}
"""


def cogames_bytes(home: Path) -> str:
    return (home / ".metta" / "cogames.yaml").read_text()


def softmax_bytes(home: Path) -> str:
    return (home / ".softmax" / "credentials.yaml").read_text()


def test_set_token_writes_the_active_and_the_users_token(cogames: Callable, home: Path) -> None:
    ran = cogames("auth", "set-token", "user-token", "--server", LOGIN)
    assert (ran.code, ran.out) == (0, f"Token saved for {LOGIN}\n")
    assert cogames_bytes(home) == BOTH.format(active="user-token", user="user-token")
    assert softmax_bytes(home) == f"player_sessions: {{}}\ntokens:\n  {LOGIN}: user-token\n"


def test_a_players_session_replaces_the_active_token_only_and_ends(home: Path) -> None:
    saved.save_user_token(LOGIN, "user-token")
    saved.save_player_session(LOGIN, "ply_1", "ply_token", SOON)
    assert cogames_bytes(home) == BOTH.format(active="ply_token", user="user-token")
    session = """\
player_sessions:
  http://league.example/api:
    active: {active}
    cache:
      ply_1:
        expires_at: '2027-03-01T12:00:00Z'
        token: ply_token
tokens:
  http://league.example/api: user-token
"""
    assert softmax_bytes(home) == session.format(active="ply_1")
    assert saved.current_token(LOGIN) == "ply_token"
    assert saved.user_token(LOGIN) == "user-token"

    assert saved.restore_user_session(LOGIN) == "user-token"
    assert cogames_bytes(home) == BOTH.format(active="user-token", user="user-token")
    assert softmax_bytes(home) == session.format(active="null")
    assert saved.current_token(LOGIN) == "user-token"


def test_logout_leaves_empty_sections_and_works_twice(cogames: Callable, home: Path) -> None:
    saved.save_user_token(LOGIN, "user-token")
    assert cogames("auth", "logout", "-s", LOGIN).out == "Logged out.\n"
    assert cogames_bytes(home) == "login_tokens: {}\nuser_tokens: {}\n"
    assert softmax_bytes(home) == "player_sessions: {}\ntokens: {}\n"
    ran = cogames("auth", "logout", "-s", LOGIN)
    assert (ran.code, "already logged out" in ran.out) == (0, True)


def test_other_servers_and_unknown_sections_stay(home: Path) -> None:
    folder = home / ".metta"
    folder.mkdir()
    (folder / "cogames.yaml").write_text("login_tokens:\n  http://other/api: kept\nsomething: else\n")
    saved.save_user_token(LOGIN, "mine")
    saved.delete_tokens(LOGIN)
    assert cogames_bytes(home) == "login_tokens:\n  http://other/api: kept\nsomething: else\nuser_tokens: {}\n"


def test_the_files_are_readable_by_their_owner_alone(home: Path) -> None:
    saved.save_user_token(LOGIN, "user-token")
    for file in (home / ".metta" / "cogames.yaml", home / ".softmax" / "credentials.yaml"):
        assert S_IMODE(file.stat().st_mode) == 0o600
        assert S_IMODE(file.parent.stat().st_mode) == 0o700
        assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_file_that_was_open_to_all_is_replaced_by_one_that_is_not(home: Path) -> None:
    folder = home / ".metta"
    folder.mkdir()
    file = folder / "cogames.yaml"
    file.write_text("login_tokens: {}\n")
    file.chmod(0o644)
    saved.save_user_token(LOGIN, "user-token")
    assert S_IMODE(file.stat().st_mode) == 0o600


def test_an_interrupted_write_leaves_the_old_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved.save_user_token(LOGIN, "old")

    def break_down(*words: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", break_down)
    with pytest.raises(OSError, match="disk full"):
        saved.save_user_token(LOGIN, "new")
    assert cogames_bytes(home) == BOTH.format(active="old", user="old")
    assert len(list((home / ".metta").iterdir())) == 1


def test_tokens_of_newer_and_internal_clients_are_found(home: Path) -> None:
    (home / ".softmax").mkdir()
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    document = "tokens: {%s: newer}\nplayer_sessions: {%s: {active: p, cache: {p: {token: t, expires_at: '%s'}}}}\n"
    file = home / ".softmax" / "credentials.yaml"
    file.write_text(document % (LOGIN, LOGIN, until))
    assert saved.current_token(LOGIN) == "t"
    file.write_text(document % (LOGIN, LOGIN, "2020-01-01T00:00:00Z"))
    assert saved.current_token(LOGIN) == "newer"
    assert saved.user_token(LOGIN) == "newer"
    file.unlink()
    (home / ".metta").mkdir()
    (home / ".metta" / "config.yaml").write_text(f"observatory_tokens: {{'{LOGIN}': internal}}\n")
    assert saved.current_token(LOGIN) == "internal"


def test_the_newer_file_can_be_elsewhere(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTMAX_CONFIG_DIR", str(tmp_path / "elsewhere"))
    saved.save_user_token(LOGIN, "user-token")
    assert (tmp_path / "elsewhere" / "credentials.yaml").exists()
    assert not (home / ".softmax").exists()


@pytest.mark.parametrize("content", ["[1, 2", "- a\n- b\n", "\x00", "\xff"])
def test_a_damaged_file_is_one_sentence(cogames: Callable, home: Path, content: str) -> None:
    (home / ".metta").mkdir()
    (home / ".metta" / "cogames.yaml").write_bytes(content.encode("latin-1"))
    with pytest.raises(BadCredentials):
        saved.current_token(LOGIN)
    ran = cogames("auth", "get-token", "-s", LOGIN)
    assert ran.code == 1
    assert "cogames.yaml" in ran.error

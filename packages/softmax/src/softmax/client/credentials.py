"""Saved tokens, in the files that the published clients read and write.

`~/.metta/cogames.yaml`, by login server: `user_tokens` is the user's own session, `login_tokens` the active one.
Between `auth player login` and `auth player logout` the active session is the player's.

    login_tokens:
      https://host/api: <token>
    user_tokens:
      https://host/api: <token>

Newer clients use `~/.softmax/credentials.yaml` (`SOFTMAX_CONFIG_DIR` moves it):

    tokens:
      https://host/api: <token>
    player_sessions:
      https://host/api:
        active: ply_x
        cache:
          ply_x: {token: ply_..., expires_at: '...Z'}

Both are written together, readable only by their owner, and replaced atomically. `~/.metta/config.yaml` may hold
`observatory_tokens`, internal tokens that only `save_token` writes.
"""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from softmax.client.addresses import config_file, read_yaml
from softmax.client.errors import BadCredentials

__all__ = [
    "active_token",
    "cogames_file",
    "current_token",
    "delete_token",
    "delete_tokens",
    "internal_token",
    "restore_user_session",
    "save_player_session",
    "save_token",
    "save_user_token",
    "softmax_file",
    "user_token",
    "write_yaml",
]

ACTIVE, USER, INTERNAL = "login_tokens", "user_tokens", "observatory_tokens"
TOKENS, SESSIONS = "tokens", "player_sessions"


def cogames_file() -> Path:
    return Path.home() / ".metta" / "cogames.yaml"


def softmax_file() -> Path:
    folder = os.environ.get("SOFTMAX_CONFIG_DIR")
    return (Path(folder) if folder else Path.home() / ".softmax") / "credentials.yaml"


def current_token(login: str) -> str | None:
    """Return the token of the active session: a player's, else the user's own."""
    data = read_yaml(cogames_file())
    return _entry(data, ACTIVE, login) or _entry(data, USER, login) or _newer_token(login) or internal_token(login)


def user_token(login: str) -> str | None:
    """Return the user's own token, whatever session is active."""
    return _entry(read_yaml(cogames_file()), USER, login) or _entry(read_yaml(softmax_file()), TOKENS, _key(login))


def save_user_token(login: str, token: str) -> None:
    """Make this the user's own token and the active one; a player's session on that server ends."""
    data = read_yaml(cogames_file())
    for name in (ACTIVE, USER):
        _section(data, name)[login] = token
    write_yaml(cogames_file(), data)
    newer = _read_newer()
    if newer[TOKENS].get(_key(login)) != token:
        newer[SESSIONS].pop(_key(login), None)
    newer[TOKENS][_key(login)] = token
    write_yaml(softmax_file(), newer)


def save_player_session(login: str, player_id: str, token: str, expires_at: datetime) -> None:
    """Make a player's session the active one; the user's own token stays."""
    data = read_yaml(cogames_file())
    _section(data, ACTIVE)[login] = token
    write_yaml(cogames_file(), data)
    newer = _read_newer()
    session = _section(newer[SESSIONS], _key(login))
    session["active"] = player_id
    until = expires_at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    _section(session, "cache")[player_id] = {"token": token, "expires_at": until}
    write_yaml(softmax_file(), newer)


def restore_user_session(login: str) -> str | None:
    """End a player's session and return the user's token; None if no user token is saved."""
    token = user_token(login)
    if token is None:
        return None
    data = read_yaml(cogames_file())
    _section(data, ACTIVE)[login] = token
    write_yaml(cogames_file(), data)
    newer = _read_newer()
    if _section(newer[SESSIONS], _key(login)).get("active"):
        newer[SESSIONS][_key(login)]["active"] = None
        write_yaml(softmax_file(), newer)
    return token


def active_token(login: str) -> str | None:
    """Return the token that is saved as the active one, of a player or the user."""
    return _entry(read_yaml(cogames_file()), ACTIVE, login) or _newer_token(login)


def save_token(section: str, login: str, token: str) -> None:
    """Save a token as the active one, the user's own or an internal one, and leave the others as they are."""
    path = config_file() if section == INTERNAL else cogames_file()
    data = read_yaml(path)
    _checked_section(path, data, section)[login] = token
    write_yaml(path, data)
    if section == USER:
        newer = _read_newer()
        newer[TOKENS][_key(login)] = token
        write_yaml(softmax_file(), newer)


def delete_token(section: str, login: str) -> bool:
    """Delete one token and leave the others as they are; return whether it existed."""
    path = config_file() if section == INTERNAL else cogames_file()
    data = read_yaml(path)
    deleted = _checked_section(path, data, section).pop(login, None) is not None
    if deleted:
        write_yaml(path, data)
    if section == USER:
        newer = _read_newer()
        if newer[TOKENS].pop(_key(login), None) is not None:
            write_yaml(softmax_file(), newer)
            deleted = True
    return deleted


def internal_token(login: str) -> str | None:
    """Return the internal token of a server in `config.yaml`."""
    return _entry(read_yaml(config_file()), INTERNAL, login)


def delete_tokens(login: str) -> bool:
    """Delete every token of a login server; return whether any existed."""
    data = read_yaml(cogames_file())
    deleted = [_section(data, name).pop(login, None) for name in (ACTIVE, USER)]
    if any(deleted):
        write_yaml(cogames_file(), data)
    newer = _read_newer()
    deleted_newer = [newer[name].pop(_key(login), None) for name in (SESSIONS, TOKENS)]
    if any(deleted_newer):
        write_yaml(softmax_file(), newer)
    return any(deleted) or any(deleted_newer)


def _read_newer() -> dict[str, Any]:
    """Read the newer file and add the sections it lacks."""
    data = read_yaml(softmax_file())
    for name in (SESSIONS, TOKENS):
        _section(data, name)
    return data


def _newer_token(login: str) -> str | None:
    data = _read_newer()
    session = _section(data[SESSIONS], _key(login))
    cached = _section(_section(session, "cache"), str(session.get("active")))
    token, until = cached.get("token"), str(cached.get("expires_at"))
    try:
        if token and datetime.fromisoformat(until) > datetime.now(UTC):
            return str(token)
    except (ValueError, TypeError):
        pass
    return _entry(data, TOKENS, _key(login))


def _key(login: str) -> str:
    return login.rstrip("/")


def _entry(data: dict[str, Any], section: str, key: str) -> str | None:
    entries = data.get(section)
    token = entries.get(key) if isinstance(entries, dict) else None
    return str(token) if token else None


def _section(data: dict[str, Any], name: str) -> dict[str, Any]:
    if not isinstance(data.get(name), dict):
        data[name] = {}
    section: dict[str, Any] = data[name]
    return section


def _checked_section(path: Path, data: dict[str, Any], name: str) -> dict[str, Any]:
    if name in data and not isinstance(data[name], dict | None):
        raise BadCredentials(f"{path}: the {name!r} section must be a mapping; correct it or remove it")
    return _section(data, name)


def write_yaml(path: Path, data: dict[str, Any]) -> None:
    """Replace the file atomically; other users can never read it, not even while it is written."""
    import yaml

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # creates it with mode 0600
    try:
        with os.fdopen(handle, "w") as file:
            yaml.safe_dump(data, file, default_flow_style=False)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise

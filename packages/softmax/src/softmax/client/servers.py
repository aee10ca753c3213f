"""Servers with names, so that `--server` takes a name and `cogames auth switch` chooses the default.

`~/.metta/servers.yaml`:

    current: work
    servers:
      work: {api: https://league.example.org, login: https://login.example.org/api}

`login` is optional. The name `local` always means the server on this machine. Tokens are saved per login server, so
every name has its own session.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softmax.client.addresses import LOCAL_SERVER, check_address, read_yaml
from softmax.client.errors import BadAddress

__all__ = [
    "NamedServer",
    "add_server",
    "current_server",
    "find_server",
    "named_server",
    "named_servers",
    "remove_server",
    "servers_file",
    "switch_server",
]

LOCAL = "local"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True)
class NamedServer:
    """A name for an API server and, if it is another one, its login server."""

    name: str
    api: str
    login: str | None = None


def servers_file() -> Path:
    return Path.home() / ".metta" / "servers.yaml"


def named_servers() -> list[NamedServer]:
    """Return all servers with names, `local` first."""
    return list(_servers(read_yaml(servers_file())).values())


def current_server() -> NamedServer | None:
    """Return the server that `switch_server` chose; None if there is none."""
    data = read_yaml(servers_file())
    name = data.get("current")
    return None if name is None else _servers(data).get(str(name))


def find_server(text: str | None) -> NamedServer | None:
    """Return the server that a text names; None for an address. Raises `BadAddress` for an unknown name."""
    if text is None or "://" in text:
        return None
    servers = _servers(read_yaml(servers_file()))
    if text not in servers:
        raise BadAddress(f"{text!r} is not a server address and not the name of a server", _hints(text, servers))
    return servers[text]


def named_server(name: str) -> NamedServer:
    """Return the server of a name; raise `BadAddress` if no server has it."""
    servers = _servers(read_yaml(servers_file()))
    if name in servers:
        return servers[name]
    raise BadAddress(f"No server has the name '{name}'", _hints(name, servers))


def add_server(name: str, api: str, login: str | None = None) -> NamedServer:
    """Give a server a name; raise `BadAddress` for a name that is invalid or taken."""
    if not _NAME.fullmatch(name):
        raise BadAddress(f"{name!r} is not a name for a server: use a letter, then letters, digits, - and _")
    data = read_yaml(servers_file())
    if name in _servers(data):
        raise BadAddress(
            f"The name '{name}' is taken: {_servers(data)[name].api}",
            [] if name == LOCAL else [f"cogames auth remove {name}"],
        )
    server = NamedServer(name, check_address(api), None if login is None else check_address(login))
    entry = {"api": server.api} if server.login is None else {"api": server.api, "login": server.login}
    data["servers"] = {**_entries(data), name: entry}
    _write(data)
    return server


def remove_server(name: str) -> NamedServer:
    """Forget a name; saved tokens stay."""
    server = named_server(name)
    if name == LOCAL:
        raise BadAddress("'local' is the server on this machine and cannot be removed")
    data = read_yaml(servers_file())
    data["servers"] = {key: entry for key, entry in _entries(data).items() if key != name}
    if data.get("current") == name:
        del data["current"]
    _write(data)
    return server


def switch_server(name: str) -> NamedServer:
    """Make a server the default of all commands."""
    server = named_server(name)
    _write({**read_yaml(servers_file()), "current": name})
    return server


def _servers(data: dict[str, Any]) -> dict[str, NamedServer]:
    servers = {LOCAL: NamedServer(LOCAL, LOCAL_SERVER)}
    for name, entry in _entries(data).items():
        if isinstance(entry, dict) and isinstance(entry.get("api"), str):
            login = entry.get("login")
            servers[str(name)] = NamedServer(str(name), entry["api"], None if login is None else str(login))
    return servers


def _entries(data: dict[str, Any]) -> dict[str, Any]:
    entries = data.get("servers")
    return entries if isinstance(entries, dict) else {}


def _hints(text: str, names: Iterable[str]) -> list[str]:
    close = difflib.get_close_matches(text, list(names), n=3)
    if close:
        return [f"did you mean {' or '.join(close)}?"]
    if re.fullmatch(r"[\w.-]+(:[0-9]+)?(/.*)?", text) and ("." in text or ":" in text):
        return [f"an address begins with http:// or https://, such as http://{text}"]
    return ["cogames auth list shows the names", "cogames auth add NAME URL adds one"]


def _write(data: dict[str, Any]) -> None:
    from softmax.client.credentials import write_yaml

    write_yaml(servers_file(), data)

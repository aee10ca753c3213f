"""Resolve the further ports and the secret URIs that a game's public variables request."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from coworld.engines.base import GAME_PORT

__all__ = [
    "LOCAL_EXTRA_PORTS_ENV_VAR",
    "LOCAL_PORTS_JSON_ENV_VAR",
    "LOCAL_PORT_ENV_PREFIX",
    "LOCAL_PORT_HOST",
    "LOCAL_SECRET_URIS_ENV_VAR",
    "MAX_TCP_PORT",
    "LocalPortRequest",
    "ResolvedLocalPort",
    "local_game_env",
    "local_port_env",
    "requested_ports",
    "resolve_local_extra_ports",
    "with_secret_uris",
]

LOCAL_EXTRA_PORTS_ENV_VAR = "COWORLD_LOCAL_EXTRA_PORTS"
LOCAL_PORTS_JSON_ENV_VAR = "COWORLD_LOCAL_PORTS_JSON"
LOCAL_PORT_ENV_PREFIX = "COWORLD_LOCAL_PORT_"
LOCAL_PORT_HOST = "127.0.0.1"
LOCAL_SECRET_URIS_ENV_VAR = "COWORLD_LOCAL_SECRET_URIS"
MAX_TCP_PORT = 65535


@dataclass(frozen=True)
class LocalPortRequest:
    """A port of the game, and the requested port of this machine; None is any."""

    container_port: int
    host_port: int | None


@dataclass(frozen=True)
class ResolvedLocalPort:
    """A port of the game, and its address on this machine."""

    container_port: int
    host_port: int
    host: str = LOCAL_PORT_HOST


def requested_ports(env: Mapping[str, str]) -> list[LocalPortRequest]:
    """Return the ports in `COWORLD_LOCAL_EXTRA_PORTS` of a game: `container[:host][/tcp]` with commas between.

    Host 0 or none is any port.

    Raises:
        ValueError: it is written wrongly, or a port comes twice, or is the game's own.
    """
    text = env.get(LOCAL_EXTRA_PORTS_ENV_VAR, "").strip()
    requests: list[LocalPortRequest] = []
    for entry in (word.strip() for word in text.split(",")) if text else ():
        request = _request(entry)
        if request.container_port == GAME_PORT:
            _refuse(f"maps container port {GAME_PORT}, which is the game's own: {entry!r}")
        if any(request.container_port == other.container_port for other in requests):
            _refuse(f"maps container port {request.container_port} more than once: {entry!r}")
        if request.host_port and any(request.host_port == other.host_port for other in requests):
            _refuse(f"maps host port {request.host_port} more than once: {entry!r}")
        requests.append(request)
    return requests


def _request(entry: str) -> LocalPortRequest:
    mapping, slash, protocol = entry.partition("/")
    if slash and protocol != "tcp":
        _refuse(f"only supports tcp, and {entry!r} asks for {protocol!r}")
    inside, colon, outside = mapping.partition(":")
    if not inside or ":" in outside or (colon and not outside):
        _refuse(f"entry {entry!r} is not `container[:host][/tcp]`")
    host = _port(outside, entry, "host", 0) if colon else 0
    return LocalPortRequest(_port(inside, entry, "container", 1), host or None)


def _port(word: str, entry: str, side: str, lowest: int) -> int:
    if not (word.isascii() and word.isdigit()):
        _refuse(f"entry {entry!r} has non-numeric {side} port {word!r}")
    if len(word) > 5 or not lowest <= int(word) <= MAX_TCP_PORT:
        _refuse(f"entry {entry!r} has invalid {side} port {word[:20]}; write {lowest} to {MAX_TCP_PORT}")
    return int(word)


def _refuse(why: str) -> NoReturn:
    raise ValueError(f"{LOCAL_EXTRA_PORTS_ENV_VAR} {why}")


def resolve_local_extra_ports(
    env: Mapping[str, str],
    *,
    reserved_host_ports: set[int] | None = None,
    allocate_port: Callable[[], int] | None = None,
) -> list[ResolvedLocalPort]:
    """Return the further ports of a game, each with a port of this machine; ValueError when one is already in use."""
    used = set(reserved_host_ports or ())
    resolved = []
    for request in requested_ports(env):
        port = request.host_port or (allocate_port or _free_port)()
        if port in used:
            _refuse(f"maps host port {port} more than once")
        used.add(port)
        resolved.append(ResolvedLocalPort(request.container_port, port))
    return resolved


def _free_port() -> int:
    with socket.create_server((LOCAL_PORT_HOST, 0)) as probe:
        return int(probe.getsockname()[1])


def local_port_env(ports: Sequence[ResolvedLocalPort]) -> dict[str, str]:
    """Return the variables with the addresses of a game's further ports: `HOST:PORT` each, and all of them as JSON."""
    if not ports:
        return {}
    table = {str(port.container_port): {"host": port.host, "port": port.host_port} for port in ports}
    return {
        **{f"{LOCAL_PORT_ENV_PREFIX}{port.container_port}": f"{port.host}:{port.host_port}" for port in ports},
        LOCAL_PORTS_JSON_ENV_VAR: json.dumps(table, separators=(",", ":")),
    }


def local_game_env(env: Mapping[str, str], ports: Sequence[ResolvedLocalPort]) -> dict[str, str]:
    """Return a game's variables on this machine, with its secrets and its further ports."""
    return {**with_secret_uris(env), **local_port_env(ports)}


def with_secret_uris(env: Mapping[str, str], outside: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return a game's variables with every `secret://` URI replaced by its value in `COWORLD_LOCAL_SECRET_URIS`.

    Raises:
        ValueError: the variable is not such a table, or it maps a URI to a value that a game cannot read.
    """
    references = {name: value for name, value in env.items() if value.startswith("secret://")}
    if not references:
        return dict(env)
    try:
        table = json.loads(outside.get(LOCAL_SECRET_URIS_ENV_VAR, "{}"))
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        raise ValueError(f"{LOCAL_SECRET_URIS_ENV_VAR} must be a JSON object of addresses")
    for value in references.values():
        address = table.get(value)
        if not isinstance(address, str) or not address.startswith(("http://", "https://", "file://")):
            raise ValueError(
                f"{value} is not mapped: name it in {LOCAL_SECRET_URIS_ENV_VAR} with the http(s) or file address it "
                "stands for"
            )
    return {**env, **{name: table[value] for name, value in references.items()}}

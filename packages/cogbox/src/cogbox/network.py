"""Network is a grant: without one a box has a loopback of its own and nothing else."""

import ipaddress
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from cogbox.errors import BadRequest

MAX_SOCKET_PATH = 107
"""bytes of a path in `sockaddr_un.sun_path`, without the NUL that ends it"""


def check_socket_path(path: Path, remedy: str) -> None:
    """Refuse a path that a Unix socket address cannot hold, with the remedy for the caller."""
    size = len(os.fsencode(path))
    if size > MAX_SOCKET_PATH:
        raise BadRequest(f"the socket path {path} has {size} bytes; the limit is {MAX_SOCKET_PATH}: {remedy}")


@dataclass(frozen=True)
class Link:
    """`127.0.0.1:port` inside the box leads to one address outside: (host, port), or the path of a Unix socket."""

    port: int
    target: tuple[str, int] | Path
    max_connections: int = 128
    """connections it carries at once, 128 at most; further ones wait"""

    def __post_init__(self) -> None:
        if not 1 <= self.max_connections <= 128:
            raise BadRequest(f"a link carries 1 to 128 connections, not {self.max_connections}")
        if not 1 <= self.port <= 65535:
            raise BadRequest(f"a link's port must be 1 to 65535, not {self.port}")
        if isinstance(self.target, Path):
            check_socket_path(self.target, "move the socket to a folder with a shorter path")
        elif not 1 <= self.target[1] <= 65535:
            raise BadRequest(f"the target's port must be 1 to 65535, not {self.target[1]}")

    @classmethod
    def to_url(cls, url: str) -> tuple["Link", str]:
        """Return a link to a URL, and the URL as the program inside the box sees it."""
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "ws": 80, "https": 443, "wss": 443}.get(parts.scheme)
        if not parts.hostname or port is None:
            raise BadRequest(f"{url!r} names no host and port to link to")
        # A low port needs a right that no box has.
        inside = port if port >= 1024 else port + 8000
        user = f"{parts.username}:{parts.password}@" if parts.username else ""
        return cls(inside, (parts.hostname, port)), urlunsplit(parts._replace(netloc=f"{user}127.0.0.1:{inside}"))

    def fields(self) -> list[str]:
        """As the guard reads it; a name is looked up here, outside the box."""
        if isinstance(self.target, Path):
            return [str(self.port), "unix", str(self.target)]
        host, port = self.target
        try:
            address = str(ipaddress.ip_address(host))
        except ValueError:
            try:
                address = str(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4][0])
            except OSError as error:
                raise BadRequest(f"the link's target {host!r} was not found: {error}") from None
        return [str(self.port), "tcp", address, str(port)]


@dataclass(frozen=True)
class Door:
    """The reverse of a link: connections to a listening socket outside lead to `127.0.0.1:port` inside the box.

    Every client that reaches the listener can speak to the program, so bind it to the loopback or to a Unix socket. The
    box takes the listener over and closes it. A connection to a port on which nothing listens yet is closed at once.
    """

    port: int
    listener: socket.socket

    def __post_init__(self) -> None:
        if not 1 <= self.port <= 65535:
            raise BadRequest(f"a door's port must be 1 to 65535, not {self.port}")


@dataclass(frozen=True)
class Egress:
    """Leave to speak to the named hosts, through a proxy outside that logs every request.

    A host is `name` (ports 80 and 443), `name:port`, or `*.name` for everything below it. Names that lead to this
    machine or its neighbours are refused unless they are written as an address, or `private` is set.
    """

    hosts: Sequence[str]
    private: bool = False
    """the named hosts may lie in this machine's own network, such as a package index of a lab"""
    log: Path | None = None
    """one line of JSON per request; None keeps it with the box's other logs"""

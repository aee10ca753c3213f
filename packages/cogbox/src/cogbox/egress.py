"""The way out for a box with an egress grant: a proxy on this side that knows which hosts were named, and keeps a log.

It speaks what every HTTP client speaks to a proxy: `CONNECT host:port` for TLS, and absolute addresses for plain HTTP.
"""

import contextlib
import ipaddress
import json
import os
import select
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from cogbox.errors import BadRequest

WEB_PORTS = (80, 443)
HEAD_BYTES = 65536
LOG_BYTES = 4 << 20
IDLE_SECONDS = 300


class Allowed:
    """The hosts of a grant."""

    def __init__(self, hosts: Sequence[str]) -> None:
        self._names: list[tuple[str, tuple[int, ...]]] = []
        for text in hosts:
            host, _, port = text.rpartition(":") if text.count(":") == 1 else (text, "", "")
            if not host or (port and not port.isdigit()) or "/" in text:
                raise BadRequest(f"{text!r} cannot be granted: write `name`, `name:port` or `*.name`")
            self._names.append((host.lower().rstrip("."), (int(port),) if port else WEB_PORTS))

    def __contains__(self, place: tuple[str, int]) -> bool:
        host, port = place[0].lower().rstrip("."), place[1]
        for name, ports in self._names:
            same = host.endswith(name[1:]) if name.startswith("*.") else host == name
            if same and port in ports:
                return True
        return False


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def reach(host: str, port: int, *, private: bool) -> socket.socket:
    """Connect; a name that leads into this machine or its own network is not followed."""
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        if not private and not _is_address(host) and not ipaddress.ip_address(address[0]).is_global:
            raise PermissionError(f"{host} leads to {address[0]}, which is not a public address")
        connection = socket.socket(family, kind, protocol)
        connection.settimeout(30)
        try:
            connection.connect(address)
        except OSError:
            connection.close()
            continue
        return connection
    raise ConnectionError(f"{host}:{port} does not answer")


class EgressProxy:
    """Serves one grant until it is stopped."""

    def __init__(self, hosts: Sequence[str], *, log: Path, private: bool = False) -> None:
        allowed = Allowed(hosts)
        lock = threading.Lock()
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._log = os.fdopen(descriptor, "a")

        def note(host: str, port: int, outcome: str, sent: int = 0, received: int = 0) -> None:
            record = {"time": round(time.time(), 3), "host": host[:255], "port": port, "outcome": outcome[:255]}
            with lock:
                if self._log.closed or self._log.tell() > LOG_BYTES:
                    return
                print(json.dumps(record | {"sent": sent, "received": received}), file=self._log, flush=True)
                if self._log.tell() > LOG_BYTES:
                    print(json.dumps({"outcome": "log full"}), file=self._log, flush=True)

        self._open = open_sockets = set[socket.socket]()

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                serve(self.request, allowed, private, note, open_sockets)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.address: tuple[str, int] = self._server.server_address[:2]  # type: ignore[assignment]

    def start(self) -> "EgressProxy":
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._log.close()


def read_head(client: socket.socket) -> bytes | None:
    data = b""
    while b"\r\n\r\n" not in data:
        block = client.recv(4096)
        if not block or len(data) > HEAD_BYTES:
            return None
        data += block
    return data


def target_of(head: bytes) -> tuple[str, str, int, bytes] | None:
    """(method, host, port, what to send on) of a proxy request."""
    line, _, rest = head.partition(b"\r\n")
    words = line.decode("latin-1").split(" ")
    if len(words) != 3:
        return None
    method, address, version = words
    try:
        parts = urlsplit("//" + address if method == "CONNECT" else address)
        host, port = parts.hostname, parts.port or 80
    except ValueError:
        return None
    if not host or (method != "CONNECT" and parts.scheme != "http"):
        return None
    if method == "CONNECT":
        return method, host, port, rest.partition(b"\r\n\r\n")[2]
    path = parts.path or "/"
    path += f"?{parts.query}" if parts.query else ""
    fields = [field for field in rest.split(b"\r\n") if not field.lower().startswith((b"proxy-", b"connection:"))]
    # One request per connection: the next one could name another host.
    head_on = f"{method} {path} {version}\r\nConnection: close\r\n".encode("latin-1")
    return method, host, port, head_on + b"\r\n".join(fields)


def serve(
    client: socket.socket, allowed: Allowed, private: bool, note: Callable[..., None], open_sockets: set[socket.socket]
) -> None:
    client.settimeout(30)
    open_sockets.add(client)
    server: socket.socket | None = None
    try:
        head = read_head(client)
        target = target_of(head) if head else None
        if target is None:
            client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        method, host, port, first = target
        if (host, port) not in allowed:
            note(host, port, "refused")
            answer(client, 403, f"{host}:{port} is not among the hosts this program may reach")
            return
        try:
            server = reach(host, port, private=private)
        except OSError as error:
            note(host, port, f"failed: {error}")
            answer(client, 502, str(error))
            return
        open_sockets.add(server)
        with server:
            if method == "CONNECT":
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            server.sendall(first)
            sent, received = carry(client, server)
        note(host, port, "done", sent + len(first), received)
    except (OSError, ValueError):
        return
    finally:
        open_sockets.discard(client)
        if server is not None:
            open_sockets.discard(server)


def answer(client: socket.socket, status: int, text: str) -> None:
    body = (text + "\n").encode()
    fields = ["Content-Type: text/plain; charset=utf-8", f"Content-Length: {len(body)}", "Connection: close", "", ""]
    lines = [f"HTTP/1.1 {status} {'Forbidden' if status == 403 else 'Bad Gateway'}", *fields]
    client.sendall("\r\n".join(lines).encode() + body)


def carry(client: socket.socket, server: socket.socket) -> tuple[int, int]:
    """Both ways until both ends are done; (bytes to the server, bytes from it)."""
    counts = {client: 0, server: 0}
    other = {client: server, server: client}
    ends = {end.fileno(): end for end in (client, server)}
    poll = select.poll()
    for number in ends:
        poll.register(number, select.POLLIN)
    while ends:
        ready = poll.poll(IDLE_SECONDS * 1000)
        if not ready:
            break
        for number, _ in ready:
            end = ends[number]
            block = end.recv(65536)
            if block:
                other[end].sendall(block)
                counts[end] += len(block)
                continue
            poll.unregister(number)
            del ends[number]
            with contextlib.suppress(OSError):
                other[end].shutdown(socket.SHUT_WR)
    return counts[client], counts[server]

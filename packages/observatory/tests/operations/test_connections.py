"""Waiting connections, over real sockets: deadlines, limits, and which connection is closed first."""

from __future__ import annotations

import json
import resource
import select
import socket
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI

from observatory.operations.connections import Connections, Networks, raise_file_limit
from observatory.serving.slow_readers import UnreadResponse

pytestmark = pytest.mark.any_database

EXCHANGE = b"POST /credentials/auth-codes/exchange HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"


@pytest.fixture
def small(make_app: Callable[..., FastAPI], serve: Callable[[FastAPI], Any]) -> Callable[..., str]:
    """Start a server with other limits of connections; its address."""

    def start(**changes: Any) -> str:
        return str(serve(make_app(**changes)).url)

    return start


def connect(url: str, start: bytes = b"") -> socket.socket:
    parts = urlsplit(url)
    connection = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=20)
    connection.sendall(start)
    return connection


def everything(connection: socket.socket) -> bytes:
    """What the server sends until it closes the connection."""
    received = b""
    try:
        while piece := connection.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    connection.close()
    return received


@pytest.mark.parametrize(
    "start",
    [b"", b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ", b"\r\n", EXCHANGE + b"content-length: 100\r\n\r\n{"],
    ids=["nothing", "headers", "an empty line", "a body"],
)
def test_a_request_that_does_not_arrive_in_time_is_refused(small: Any, start: bytes) -> None:
    url = small(header_timeout_seconds=0.2, body_timeout_seconds=0.2)
    answer = everything(connect(url, start))
    assert answer.startswith(b"HTTP/1.1 408 ") and b"did not arrive in time" in answer


def test_a_slow_body_that_makes_progress_is_read_completely(small: Any) -> None:
    url = small(body_timeout_seconds=0.2)
    body = b'{"code": "%s"}' % (b"x" * 150)
    connection = connect(url, EXCHANGE + b"content-length: 60000\r\n\r\n" + body + b" " * 50_000)
    connection.sendall(b" " * (60_000 - 50_000 - len(body)))
    assert connection.recv(64).startswith(b"HTTP/1.1 410 ")
    connection.close()


def test_a_connection_stays_after_a_refusal_that_came_before_its_body(small: Any) -> None:
    url = small(header_timeout_seconds=0.5)
    start = b"POST /players HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n"
    connection = connect(url, start)
    assert connection.recv(64).startswith(b"HTTP/1.1 401 ")
    connection.sendall(b"x" * 1_000_000 + b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
    received = b""
    while b'"ok"' not in received:
        received += connection.recv(65536)
    assert b"HTTP/1.1 200 " in received
    connection.sendall(start + b"x" * 1_000_000)  # and is closed when it then waits for too long
    assert b"HTTP/1.1 401 " in everything(connection)


def test_endless_headers_are_refused(small: Any) -> None:
    connection = connect(small(), b"GET /healthz HTTP/1.1\r\nhost: x\r\n")
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        for number in range(1000):
            connection.sendall(b"x-%d: %s\r\n" % (number, b"y" * 10_000))
    connection.close()


def test_the_oldest_waiting_connections_of_an_address_over_its_limit_are_closed(small: Any) -> None:
    url = small(max_connections_per_address=8)
    waiting = [connect(url, b"GET /healthz HTTP/1.1\r\n") for _ in range(30)]
    with httpx.Client(trust_env=False, timeout=60) as http:
        assert http.get(f"{url}/healthz").status_code == 200
        # The oldest are closed, and the newest are not.
        assert all(everything(connection) == b"" for connection in waiting[:20])
        waiting[-1].sendall(b"host: x\r\n\r\n")
        assert waiting[-1].recv(64).startswith(b"HTTP/1.1 200 ")
    for connection in waiting[20:]:
        connection.close()


def test_requests_in_progress_are_not_closed_for_others(
    make_app: Callable[..., FastAPI], serve: Callable[[FastAPI], Any]
) -> None:
    server = serve(make_app(max_connections_per_address=3, play_seasons=False))
    streams = [
        connect(server.url, b"GET /observatory/api/events HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        for _ in range(3)
    ]
    for stream in streams:
        assert stream.recv(64).startswith(b"HTTP/1.1 200 ")
    refused = connect(server.url)
    assert everything(refused) == b""
    server.app.state.database.changes.close()
    for stream in streams:
        assert everything(stream)  # each stream lasted until the server ended it


def test_a_client_that_does_not_read_its_response_is_cut_off(
    make_app: Callable[..., FastAPI], serve: Callable[[FastAPI], Any]
) -> None:
    server = serve(make_app(response_timeout_seconds=0.2))
    store = server.app.state.store
    store.put("jobs/x/large", bytes(30_000_000))  # more than the buffers of both ends hold
    parts = urlsplit(store.download_url("jobs/x/large", seconds=60))
    connection = connect(server.url, f"GET {parts.path}?{parts.query} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    closed = select.poll()
    closed.register(connection, 0)  # errors and the end of the connection only: nothing is read
    assert [event & select.POLLERR for _, event in closed.poll(20_000)] == [select.POLLERR]
    connection.close()
    with httpx.Client(trust_env=False) as http:
        assert http.get(f"{server.url}/healthz").status_code == 200


class FakeTransport:
    """Holds bytes that a client has not read."""

    def __init__(self) -> None:
        self.size = 0
        self.is_aborted = False

    def get_write_buffer_size(self) -> int:
        return self.size

    def get_extra_info(self, name: str) -> None:
        return None

    def abort(self) -> None:
        self.is_aborted = True


class FakeLoop:
    """A clock that moves from timer to timer."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        timer = (self.now + seconds, call)
        self.timers.append(timer)
        return SimpleNamespace(cancel=lambda: self.timers.remove(timer))

    def move(self) -> float:
        self.now, call = self.timers.pop()
        call()
        return self.now


def test_a_client_may_read_slowly_as_long_as_it_reads() -> None:
    transport, loop = FakeTransport(), FakeLoop()
    unread = UnreadResponse(cast(Any, transport), cast(Any, loop), 30.0)
    unread.begin()
    assert not loop.timers  # there is nothing to read
    transport.size = 1_000_000
    unread.begin()
    for _ in range(3):  # 10 kB per second
        transport.size -= int(10_000 * (loop.timers[0][0] - loop.now))
        loop.move()
    assert loop.timers and not transport.is_aborted
    while loop.timers:  # and then nothing
        ended = loop.move()
    assert transport.is_aborted and ended == pytest.approx(30 + (1_000_000 - transport.size) / 8192)
    transport.is_aborted = False
    transport.size = 10
    unread.begin()
    transport.size = 0
    loop.move()
    assert not transport.is_aborted and not loop.timers


class Fake:
    """A connection that only counts."""

    def __init__(self, address: str, guard: Connections) -> None:
        self.address = address
        self.is_open = True
        self._guard = guard

    def evict(self) -> None:
        self.is_open = False
        self._guard.forget(self)


def test_a_trusted_proxy_may_have_as_many_connections_as_the_server() -> None:
    guard = Connections(per_address=2, total=4, trusted=Networks(["10.0.0.0/8"]))
    proxied = [Fake("10.1.2.3", guard) for _ in range(4)]
    assert all(guard.admit(fake) for fake in proxied) and all(fake.is_open for fake in proxied)
    guard.works(proxied[0])
    other = Fake("192.0.2.1", guard)
    assert guard.admit(other)
    assert [fake.is_open for fake in (*proxied, other)] == [True, False, True, True, True]


def test_the_soft_limit_of_files_is_raised() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
        raise_file_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(hard, 65_536)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_an_expected_body_is_not_asked_for_before_the_caller_is_known(small: Any) -> None:
    start = b"POST /players HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-type: application/json\r\n"
    connection = connect(small(), start + b"content-length: 20\r\n\r\n")
    answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 401 ") and b"100 Continue" not in answer
    assert json.loads(answer.rpartition(b"\r\n\r\n")[2])["detail"].startswith("Sign in first")
    connection.close()

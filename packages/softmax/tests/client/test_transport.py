"""The HTTP transport: kept connections and retries, against a real server on a socket."""

import io
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from softmax.client import Refused, Unreachable, transport
from softmax.client.transport import Transport


@dataclass
class Server:
    """Answers with the statuses of `script` in turn, then 200. A status of 0 closes the connection unanswered."""

    address: str
    script: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    bodies: list[bytes] = field(default_factory=list)
    connections: set[int] = field(default_factory=set)


@contextmanager
def serving() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            state.connections.add(self.client_address[1])
            state.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            status = state.script.pop(0) if state.script else 200
            if status == 0:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = answer

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state = Server(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def no_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "RETRY_DELAYS", (0.0, 0.0))


def test_calls_share_a_connection() -> None:
    with serving() as server, Transport() as client:
        for _ in range(3):
            client.call("GET", server.address)
        assert len(server.connections) == 1
        client.close()
        client.call("GET", server.address)
        assert len(server.connections) == 2


@pytest.mark.parametrize("failure", [0, 502, 503, 504])
def test_a_request_that_may_be_repeated_is_retried_twice(failure: int) -> None:
    with serving() as server, Transport() as client:
        server.script = [failure, failure]
        assert client.call("GET", server.address).status_code == 200
        assert len(server.bodies) == 3
        server.script = [failure] * 3
        with pytest.raises(Unreachable if failure == 0 else Refused):
            client.call("GET", server.address)
        assert server.script == []


def test_an_upload_is_retried_from_its_beginning() -> None:
    with serving() as server, Transport() as client:
        server.script = [503]
        client.call("PUT", server.address, headers={"Content-Length": "6"}, content=io.BytesIO(b"bundle"))
        assert server.bodies == [b"bundle", b"bundle"]


REJECTED = {"X-RateLimit-Outcome": "rejected", "Retry-After": "0"}


def test_a_request_that_the_rate_limit_rejected_is_repeated_twice() -> None:
    with serving() as server, Transport() as client:
        server.script, server.headers = [429, 429], REJECTED
        assert client.call("POST", server.address, content=b"{}").status_code == 200
        assert server.bodies == [b"{}"] * 3
        server.script = [429] * 3
        with pytest.raises(Refused):
            client.call("POST", server.address, content=b"{}")
        assert server.script == []


@pytest.mark.parametrize(
    ("headers", "content"),
    [
        ({**REJECTED, "Retry-After": "31"}, b""),
        ({**REJECTED, "Retry-After": "soon"}, b""),
        ({**REJECTED, "X-RateLimit-Outcome": "queued"}, b""),
        ({**REJECTED, "X-RateLimit-Outcome": "queued"}, iter([b"once"])),
        (REJECTED, iter([b"once"])),
    ],
    ids=["too late", "no number", "it may have run", "a stream that may have run", "a stream"],
)
def test_a_rate_limited_request_is_not_repeated_if_it_must_not_be(headers: dict[str, str], content: object) -> None:
    with serving() as server, Transport() as client:
        server.script, server.headers = [429], headers
        with pytest.raises(Refused):
            client.call("POST", server.address, content=content)
        assert server.script == []


@pytest.mark.parametrize(
    ("method", "status", "headers"),
    [("POST", 503, {}), ("GET", 500, {}), ("GET", 429, {}), ("GET", 404, {}), ("GET", 503, {"Retry-After": "60"})],
)
def test_other_failures_are_not_retried(method: str, status: int, headers: dict[str, str]) -> None:
    with serving() as server, Transport() as client:
        server.script, server.headers = [status], headers
        with pytest.raises(Refused):
            client.call(method, server.address)
        assert len(server.bodies) == 1


def test_a_server_that_does_not_listen_is_reported_at_once() -> None:
    with socket.socket() as taken, Transport() as client:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(Unreachable, match="Failed to reach server"):
            client.call("GET", f"http://127.0.0.1:{taken.getsockname()[1]}")

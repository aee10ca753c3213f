"""Reads and uploads of `coworld.runner.io` against a real server: what is repeated, what is not, which errors."""

from __future__ import annotations

import io
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import pytest

from coworld.runner import io as runner_io
from coworld.uris import transfer as uris
from coworld.uris.transfer import UriError

RESET = 0
"""in a script: close the connection without a response"""


@dataclass
class Uploads:
    """A server that answers with the statuses of a script, then 200, and remembers the bodies."""

    uri: str = ""
    script: list[int] = field(default_factory=list)
    bodies: list[tuple[str, bytes]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Uploads]:
    uploads = Uploads()
    monkeypatch.setattr(uris.time, "sleep", uploads.waits.append)

    class Store(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            uploads.bodies.append((self.command, body))
            status = uploads.script.pop(0) if uploads.script else 200
            if status == RESET:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        do_GET = do_PUT = do_POST = answer

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Store) as http:
        uploads.uri = f"http://127.0.0.1:{http.server_address[1]}/results.json?token=hidden"
        threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        yield uploads
        http.shutdown()


def upload(uri: str) -> None:
    runner_io.upload_data(uri, "{}", content_type="application/json")


def upload_file(uri: str) -> None:
    runner_io.upload_file(uri, io.BytesIO(b"{}"), size=2, content_type="application/json")


def post(uri: str) -> None:
    runner_io.post_data(uri, b"{}", content_type="application/json")


CALLS: list[tuple[Callable[[str], Any], str, bytes]] = [
    (upload, "PUT", b"{}"),
    (upload_file, "PUT", b"{}"),
    (post, "POST", b"{}"),
    (runner_io.read_data, "GET", b""),
]


@pytest.mark.parametrize(("call", "method", "body"), CALLS)
@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_transient_statuses_are_repeated_with_the_whole_body(
    server: Uploads, call: Callable[[str], Any], method: str, body: bytes, status: int
) -> None:
    server.script = [status]
    call(server.uri)
    assert server.bodies == [(method, body)] * 2
    assert server.waits == [0.5]


@pytest.mark.parametrize(("call", "method", "body"), CALLS)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 413, 422, 501, 507])
def test_refusals_are_final_and_are_errors_of_urllib_too(
    server: Uploads, call: Callable[[str], Any], method: str, body: bytes, status: int
) -> None:
    server.script = [status]
    with pytest.raises(HTTPError) as caught:
        call(server.uri)
    assert (caught.value.code, caught.value.read(), isinstance(caught.value, UriError)) == (status, b"", True)
    assert str(caught.value).endswith(f"failed: the server answered {status}")
    assert "hidden" not in f"{caught.value} {caught.value.url} {caught.value.filename}"
    assert server.bodies == [(method, body)]
    assert server.waits == []


def test_the_number_of_attempts_is_bounded(server: Uploads) -> None:
    server.script = [503] * 9
    with pytest.raises(HTTPError):
        upload(server.uri)
    assert (len(server.bodies), server.waits) == (4, [0.5, 1.0, 2.0])
    server.bodies.clear()
    with pytest.raises(HTTPError):
        runner_io.upload_file(server.uri, io.BytesIO(b"{}"), size=2, content_type="text/plain", attempts=2)
    assert len(server.bodies) == 2


def test_a_lost_response_is_repeated_except_for_a_post(server: Uploads) -> None:
    for call in (upload, upload_file, runner_io.read_data):
        server.script, server.bodies = [RESET], []
        call(server.uri)
        assert len(server.bodies) == 2
    server.script, server.bodies = [RESET], []
    with pytest.raises(URLError, match="POST"):
        post(server.uri)
    assert len(server.bodies) == 1


def test_a_server_that_does_not_listen_is_an_error_of_urllib_too(server: Uploads) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(URLError, match="Connection refused") as caught:
        upload(f"http://127.0.0.1:{port}/x")
    assert isinstance(caught.value, UriError)
    assert server.waits == [0.5, 1.0, 2.0]


def test_files_and_schemes_raise_what_programs_expect(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No such file"):
        runner_io.read_data((tmp_path / "none").as_uri())
    for call in (upload, runner_io.read_data):
        with pytest.raises(ValueError, match="neither a file nor http"):
            call("ftp://example.org/x")

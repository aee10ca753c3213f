"""A logger that prints its lines and ships them to `COGAME_LOG_URI`."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

PROGRAM = """
from coworld.examples.paintarena.shared.log_shipper import get_logger
logger = get_logger("game")
assert get_logger("game") is logger and len(logger.handlers) == 1
logger.info("hello %s", "you")
logger.debug("not shown")
logger.warning("bye")
"""


@pytest.fixture
def collector() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """A server that collects (content type, user agent, body) of what is posted to it."""
    received: list[tuple[str, str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            received.append((self.headers["Content-Type"], self.headers["User-Agent"], body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *words: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/logs", received
    server.shutdown()
    server.server_close()
    thread.join()


def run(**env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True)


def test_lines_go_to_stdout_without_an_address() -> None:
    assert run().stdout == "hello you\nbye\n"


def test_lines_are_shipped_before_the_program_ends(collector: tuple[str, list[tuple[str, str, str]]]) -> None:
    address, received = collector
    assert run(COGAME_LOG_URI=address).stdout == "hello you\nbye\n"
    assert [body for _, _, body in received] == ["hello you", "bye"]
    assert {kind for kind, _, _ in received} == {"text/plain"}
    assert not any(agent.startswith("Python-urllib") for _, agent, _ in received)


def test_an_address_that_does_not_answer_costs_only_its_lines() -> None:
    done = run(COGAME_LOG_URI="http://127.0.0.1:9/logs")
    assert done.stdout == "hello you\nbye\n"
    assert "Logging error" in done.stderr

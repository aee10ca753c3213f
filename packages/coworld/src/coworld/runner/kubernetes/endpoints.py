"""The ports of the worker: 9090 says when players may start, 9091 takes their artifacts and hands out the outputs.

Everything that arrives on 9091 comes from players: sizes, times and connections are limited, and each seat can write
only its own artifact, with its token.
"""

import contextlib
import hmac
import os
import shutil
import tempfile
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from coworld.runner.launch import artifact_name
from coworld.runner.traces import LARGEST_ARTIFACT

OUTPUTS_PATH, DONE_PATH = "/outputs", "/outputs/done"
TOKEN_HEADER = "X-Coworld-Token"
REQUEST_SECONDS = 60.0
MAX_CONNECTIONS = 64
BLOCK = 1 << 16


class WorkerEndpoints:
    """Both servers, in threads, until `close`."""

    def __init__(
        self,
        host: str,
        *,
        health_port: int,
        artifact_port: int,
        artifacts: Path,
        tokens: Sequence[str],
        output_token: str | None = None,
    ) -> None:
        self.players_ready = threading.Event()
        self.outputs: Path | None = None
        """the archive of all outputs, once the episode has ended"""
        self.fetched = threading.Event()
        """a client has fetched the outputs"""
        self.artifacts, self.tokens, self.output_token = artifacts, list(tokens), output_token
        self._servers: list[_Server] = []
        try:
            for port, handler in ((health_port, _HealthHandler), (artifact_port, _ArtifactHandler)):
                self._servers.append(_Server((host, port), handler, self))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for server in self._servers:
            server.stop()
        self._servers.clear()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: Any, endpoints: WorkerEndpoints) -> None:
        self.endpoints = endpoints
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__(address, handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True, name="coworld-port")
        self._thread.start()

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._slots.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore broken connections."""

    def stop(self) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    timeout = REQUEST_SECONDS
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: paths hold tokens."""

    def answer(self, status: int, text: str) -> None:
        body = f"{text}\n".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _HealthHandler(_Handler):
    def do_GET(self) -> None:
        if self.path == "/players-ready" and not self.server.endpoints.players_ready.is_set():
            self.answer(503, "the game is not ready for players")
        elif self.path in ("/players-ready", "/healthz"):
            self.answer(200, "ok")
        else:
            self.answer(404, "only /healthz and /players-ready are here")


class _ArtifactHandler(_Handler):
    def do_PUT(self) -> None:
        slot = self._slot()
        length = self.headers.get("Content-Length", "")
        if slot is None:
            self.answer(403, "the path must be /player-artifact/SLOT/TOKEN")
        elif not length.isdigit() or len(length) > 12:
            self.answer(411, "send Content-Length")
        elif int(length) > LARGEST_ARTIFACT:
            self.answer(413, f"an artifact has {LARGEST_ARTIFACT} bytes at most")
        elif self._save(self.server.endpoints.artifacts / artifact_name(slot), int(length)):
            self.answer(200, "saved")
        else:
            self.answer(400, "the body is shorter than Content-Length")

    do_POST = do_PUT

    def do_GET(self) -> None:
        endpoints = self.server.endpoints
        token = self.headers.get(TOKEN_HEADER, "")
        if not endpoints.output_token or not hmac.compare_digest(token.encode(), endpoints.output_token.encode()):
            self.answer(403, f"{TOKEN_HEADER} is missing or wrong")
        elif endpoints.outputs is None:
            self.answer(503, "the episode has not ended")
        elif self.path == DONE_PATH:
            self.answer(200, "done")
            endpoints.fetched.set()
        elif self.path == OUTPUTS_PATH:
            self.send_response(200)
            self.send_header("Content-Type", "application/zip")
            self.send_header("Content-Length", str(endpoints.outputs.stat().st_size))
            self.end_headers()
            with open(endpoints.outputs, "rb") as file:
                shutil.copyfileobj(file, self.wfile, BLOCK)
        else:
            self.answer(404, f"only {OUTPUTS_PATH} is here")

    def _slot(self) -> int | None:
        """Return the seat that the path names with its token."""
        empty, _, rest = self.path.partition("/player-artifact/")
        slot, _, token = rest.partition("/")
        tokens = self.server.endpoints.tokens
        if empty or not slot.isdecimal() or len(slot) > 4 or int(slot) >= len(tokens):
            return None
        return int(slot) if hmac.compare_digest(token.encode(), tokens[int(slot)].encode()) else None

    def _save(self, target: Path, length: int) -> bool:
        """Write the body to a file that appears whole."""
        fd, temporary = tempfile.mkstemp(dir=target.parent, prefix=".upload-")
        with contextlib.ExitStack() as undo:
            undo.callback(Path(temporary).unlink, missing_ok=True)
            with os.fdopen(fd, "wb") as file:
                while length and (block := self.rfile.read(min(BLOCK, length))):
                    file.write(block)
                    length -= len(block)
            if length:
                return False
            os.replace(temporary, target)
        return True

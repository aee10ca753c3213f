"""A small server for the pages and one or two replays."""

from __future__ import annotations

import mimetypes
import sys
import threading
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, unquote, urlsplit

from mettagrid.util.display import has_display
from mettagrid.viewer._pages import pages_folder, policy

_TEXTS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


class ReplayServer:
    """Serves until it is closed, or until the program ends. Use it with `with`, or call `close`."""

    def __init__(self, replay: str | Path, *, beside: str | Path | None, host: str, port: int) -> None:
        replays = [Path(path) for path in (replay, beside) if path is not None]
        for path in replays:
            path.open("rb").close()  # raise now rather than later in the page
        files = {f"replay/{number}/{path.name}": path for number, path in enumerate(replays)}
        folder = pages_folder()
        files |= {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
        self._server = _Server((host, port), files)
        self._host = host
        keys = [quote(key) for key in list(files)[: len(replays)]]
        self._query = "&".join(f"{name}={key}" for name, key in zip(("replay", "beside"), keys, strict=False))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, name="replay-server")
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """The address of the replay for a browser."""
        host = "127.0.0.1" if self._host in ("", "0.0.0.0") else self._host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/?{self._query}"

    def open_browser(self) -> bool:
        """Open the address in the user's browser; return False if there is no suitable browser."""
        return has_display() and webbrowser.open(self.address)

    def wait(self) -> None:
        """Wait until the server is closed; a keyboard interrupt closes it."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.5)
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Stop serving. Calling it again has no effect."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def serve(
    path: str | Path, *, beside: str | Path | None = None, host: str = "127.0.0.1", port: int = 0
) -> ReplayServer:
    """Serve a replay, and a second one to compare it with, until the result is closed.

    With port 0 the system chooses a free one; `address` of the result has it. Raises the usual errors if there is no
    such file or the port is taken, and `PagesMissing`.
    """
    return ReplayServer(path, beside=beside, host=host, port=port)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], files: dict[str, Path]) -> None:
        self.files = files
        self.is_local = address[0] in ("127.0.0.1", "localhost", "::1")
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: a browser may close the connection at any time."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, format: str, *args: object) -> None:
        """Do not log: the terminal belongs to the program that started the server."""

    def _answer(self, *, with_body: bool) -> None:
        key = unquote(self.path.partition("?")[0]).lstrip("/") or "index.html"
        path = self.server.files.get(key)
        if not self._is_for_us():
            self._send(HTTPStatus.FORBIDDEN, b"This server answers to its own address only\n", "text/plain", with_body)
        elif path is None:
            self._send(HTTPStatus.NOT_FOUND, b"There is nothing here\n", "text/plain", with_body)
        else:
            try:
                content = path.read_bytes()
            except OSError:
                self._send(HTTPStatus.NOT_FOUND, b"The file is gone\n", "text/plain", with_body)
                return
            kind = "application/octet-stream" if key.startswith("replay/") else _type_of(path)
            self._send(HTTPStatus.OK, content, kind, with_body)

    def _is_for_us(self) -> bool:
        """Return whether the Host header names this machine; guards against DNS rebinding."""
        if not self.server.is_local:
            return True
        try:
            host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        except ValueError:
            return False
        return host in ("127.0.0.1", "localhost", "::1")

    def _send(self, status: HTTPStatus, content: bytes, kind: str, with_body: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", policy())
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if with_body:
            self.wfile.write(content)


def _type_of(path: Path) -> str:
    if path.suffix in _TEXTS:
        return f"{_TEXTS[path.suffix]}; charset=utf-8"
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"

"""Serve the workbench's page on the loopback address.

The page can start programs, so every request for data needs the secret of the page's address: in the header
`X-Coworld-Token`, or in the query for links that a browser follows itself. Requests that name another host, or that a
page of another origin makes, are refused: a foreign page may have pointed its own name here.
"""

from __future__ import annotations

import json
import secrets
import sys
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from coworld.errors import CoworldError
from coworld.optimize.errors import OptimizeError
from coworld.optimize.served_files import ServedFile, show
from coworld.optimize.workbench import Workbench

PAGES = Path(__file__).with_name("pages")
HOST = "127.0.0.1"
TOKEN = "X-Coworld-Token"
BODY_BYTES = 64 << 10
REQUEST_SECONDS = 30
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FILES = {
    "/": ("workbench.html", "text/html; charset=utf-8"),
    "/workbench.css": ("workbench.css", "text/css; charset=utf-8"),
    "/workbench.js": ("workbench.js", "text/javascript; charset=utf-8"),
    "/drawing.js": ("drawing.js", "text/javascript; charset=utf-8"),
}


class WorkbenchServer:
    """A server that runs until it is closed. Use it with `with`.

    Raises:
        OptimizeError: the port is taken.
    """

    def __init__(self, workbench: Workbench, *, port: int) -> None:
        """Port 0 is any free port."""
        self.token = secrets.token_urlsafe(24)
        try:
            self._server = _Server((HOST, port), workbench, self.token)
        except OSError as error:
            raise OptimizeError(
                f"Port {port} cannot be used: {error.strerror}", hint="name another with `--port N`"
            ) from None
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, name="workbench")
        self._thread.start()

    @property
    def address(self) -> str:
        """Return the page's URL with its secret in the fragment, which browsers do not send."""
        return f"http://{HOST}:{self._server.server_port}/#{self.token}"

    def wait(self) -> None:
        """Serve until an interrupt."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], workbench: Workbench, token: str) -> None:
        self.workbench, self.token = workbench, token
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore closed connections: a browser may close one at any time."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Refused(Exception):
    def __init__(self, status: HTTPStatus, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.status, self.hint = status, hint


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "coworld"
    sys_version = ""
    timeout = REQUEST_SECONDS

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no request log: the terminal is for the author."""

    def _answer(self, route: Any) -> None:
        try:
            self._check_source()
            route(urlsplit(self.path))
        except _Refused as refusal:
            self.close_connection = True  # its body may be unread
            self._send_json(refusal.status, {"error": str(refusal), "hint": refusal.hint})
        except CoworldError as error:
            self._send_json(HTTPStatus.CONFLICT, {"error": str(error), "hint": error.hint})

    def _get(self, target: Any) -> None:
        path, query = unquote(target.path), parse_qs(target.query)
        if path in _FILES:
            name, kind = _FILES[path]
            return self._send(HTTPStatus.OK, ServedFile((PAGES / name).read_bytes(), kind, POLICY))
        self._check_token(query)
        parts = path.strip("/").split("/")
        if path == "/api/view":
            return self._send_view(query.get("run", [None])[0])
        if len(parts) == 4 and parts[0] in ("show", "download") and parts[2].isdecimal():
            file = self.server.workbench.file(parts[1], int(parts[2]), parts[3])
            return self._send(HTTPStatus.OK, show(file, download=parts[0] == "download"))
        raise _Refused(HTTPStatus.NOT_FOUND, "Page not found")

    def _post(self, target: Any) -> None:
        self._check_token({})
        body, workbench = self._body(), self.server.workbench
        actions = {
            "/api/open": lambda: workbench.open(_text(body, "manifest")),
            "/api/start": lambda: workbench.start(body),
            "/api/stop": workbench.stop,
            "/api/write": lambda: workbench.write_best(_text(body, "run")),
            "/api/watch": lambda: workbench.watch(
                _text(body, "run"), int(body.get("iteration", -1)), _text(body, "file")
            ),
        }
        action = actions.get(target.path)
        if action is None:
            raise _Refused(HTTPStatus.NOT_FOUND, "Page not found")
        try:
            result = action()
        except (TypeError, OSError) as error:
            raise OptimizeError(str(error)) from None
        self._send_json(HTTPStatus.OK, {"result": result})

    def _check_source(self) -> None:
        port = self.server.server_port
        names = {f"{name}:{port}" for name in (HOST, "localhost")}
        if self.headers.get("Host") not in names:
            raise _Refused(HTTPStatus.FORBIDDEN, "This server answers to its own address only")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{name}" for name in names}:
            raise _Refused(HTTPStatus.FORBIDDEN, "Requests from other pages are refused")

    def _check_token(self, query: Mapping[str, list[str]]) -> None:
        given = self.headers.get(TOKEN) or query.get("token", [""])[0]
        if not secrets.compare_digest(given.encode(), self.server.token.encode()):
            raise _Refused(
                HTTPStatus.UNAUTHORIZED, "The page's secret is missing", "open the address that the command printed"
            )

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > BODY_BYTES:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A request has at most {BODY_BYTES} bytes")
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "A request is JSON")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _Refused(HTTPStatus.BAD_REQUEST, "The request is not JSON") from None
        if not isinstance(body, dict):
            raise _Refused(HTTPStatus.BAD_REQUEST, "The request is not a JSON object")
        return body

    def _send_view(self, run: str | None) -> None:
        data = json.dumps(self.server.workbench.view(run)).encode()
        self._send(HTTPStatus.OK, ServedFile(data, "application/json"))

    def _send_json(self, status: HTTPStatus, document: object) -> None:
        self._send(status, ServedFile(json.dumps(document).encode(), "application/json"))

    def _send(self, status: HTTPStatus, page: ServedFile) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": page.content_type,
            "Content-Length": str(len(page.data)),
            "Content-Security-Policy": page.policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }
        if page.file_name is not None:
            headers["Content-Disposition"] = f'attachment; filename="{page.file_name}"'
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page.data)


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value or "\0" in value:
        raise OptimizeError(f"`{name}` must be text, not {value!r}")
    return value

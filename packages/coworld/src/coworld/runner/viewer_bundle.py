"""Serve a static replay viewer of a package on this machine: pages, and one replay beside them. Needs no engine."""

from __future__ import annotations

import mimetypes
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, unquote, urlsplit

from coworld.errors import SourceError

__all__ = ["REPLAY_ROUTE", "ViewerServer"]

REPLAY_ROUTE = "/_coworld/replay"
_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob: https:",
        "font-src 'self' data:",
        "connect-src 'self' https: http:",
        "media-src 'self' blob:",
        "worker-src 'self' blob:",
        "frame-src 'self'",
    ]
)


class ViewerServer:
    """A viewer and a replay at `link` until it is closed. Use it with `with`."""

    def __init__(self, bundle: Path, replay: Path) -> None:
        if not (bundle / "index.html").is_file():
            raise SourceError(f"{bundle} holds no index.html", hint="build the replay viewer of the package first")
        handler = type("Handler", (_Handler,), {"bundle": bundle.resolve(), "replay": replay.resolve()})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def link(self) -> str:
        base = f"http://127.0.0.1:{self._server.server_port}"
        return f"{base}/index.html#replay={quote(base + REPLAY_ROUTE, safe='')}"

    def wait(self) -> None:
        """Serve until an interrupt."""
        self._thread.join()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class _Handler(BaseHTTPRequestHandler):
    bundle: Path
    replay: Path
    server_version = "coworld"
    sys_version = ""

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if path == REPLAY_ROUTE:
            return self._send(self.replay, "application/octet-stream", {"Cache-Control": "no-store"})
        file = (self.bundle / path.lstrip("/") / ("index.html" if path.endswith("/") else "")).resolve()
        if not file.is_relative_to(self.bundle) or not file.is_file():
            return self.send_error(HTTPStatus.NOT_FOUND)
        kind = "text/javascript" if file.suffix in (".js", ".mjs") else mimetypes.guess_type(file.name)[0]
        self._send(file, kind or "application/octet-stream", {"Content-Security-Policy": _POLICY})

    do_HEAD = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        """Write no request log."""

    def _send(self, file: Path, kind: str, headers: dict[str, str]) -> None:
        content = file.read_bytes()
        self.send_response(HTTPStatus.OK)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Cross-Origin-Resource-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

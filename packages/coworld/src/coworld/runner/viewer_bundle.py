"""Serve a static replay viewer of a package on this machine: pages, and one replay beside them. Needs no engine.

The pages are third-party code. They get a port of their own, which is an origin of their own to browsers, and a
Content-Security-Policy: scripts, styles and frames of the bundle only. Requests under another host name, as a page that
rebinds its name to this machine would send them, are refused.
"""

from __future__ import annotations

import gzip
import io
import mimetypes
import os
import shutil
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self
from urllib.parse import quote, unquote, urlsplit

from coworld.engines.folders import open_inside
from coworld.errors import SourceError

__all__ = ["REPLAY_ROUTE", "VIEWER_CSP", "ViewerServer", "check_viewer_bundle"]

REPLAY_ROUTE = "/_coworld/replay"
VIEWER_CSP = "; ".join(
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
"""The Content-Security-Policy of every response."""

_GZIP = b"\x1f\x8b"
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}


def check_viewer_bundle(bundle: Path) -> None:
    """Check that a folder can be served as a viewer: it has an `index.html`, and no symbolic links.

    Raises:
        SourceError: it cannot.
    """
    if bundle.is_symlink() or not bundle.is_dir():
        raise SourceError(f"{bundle} is not a folder", hint="build the replay viewer of the package first")
    for folder, folders, names in os.walk(bundle):
        for name in [*folders, *names]:
            path = Path(folder, name)
            if path.is_symlink():
                raise SourceError(f"{path} is a symbolic link", hint="a replay viewer must hold its files itself")
    if not (bundle / "index.html").is_file():
        raise SourceError(f"{bundle} holds no index.html", hint="build the replay viewer of the package first")


class ViewerServer:
    """A viewer and a replay at `link` until it is closed. Use it with `with`."""

    def __init__(self, bundle: Path, replay: Path, *, compression: Literal["identity", "gzip"] = "identity") -> None:
        """Serve the replay as it is, or compressed with `gzip`; the pages detect which by its first bytes.

        Raises:
            SourceError: the bundle cannot be served.
        """
        check_viewer_bundle(bundle)
        compressed = _compressed(replay) if compression == "gzip" else None
        handler = type("Handler", (_Handler,), {"bundle": bundle, "replay": replay, "compressed": compressed})
        self._server = _Server(("127.0.0.1", 0), handler)
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


def _compressed(replay: Path) -> bytes | None:
    """Return the replay compressed; None when the file is compressed already."""
    data = replay.read_bytes()
    return None if data.startswith(_GZIP) else gzip.compress(data, mtime=0)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that went away; report every other error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    bundle: Path
    replay: Path
    compressed: bytes | None
    server_version = "coworld"
    sys_version = ""
    timeout = 60

    def do_GET(self) -> None:
        if self.headers.get("Host") not in self._hosts():
            return self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        path = unquote(urlsplit(self.path).path)
        if path == REPLAY_ROUTE:
            source = io.BytesIO(self.compressed) if self.compressed is not None else self.replay.open("rb")
            return self._send(source, "application/octet-stream", {"Cache-Control": "no-store"})
        name = path.lstrip("/") + ("index.html" if path.endswith("/") else "")
        file = None if "\0" in name or "\\" in name else open_inside(self.bundle, name)
        if file is None:
            return self.send_error(HTTPStatus.NOT_FOUND)
        return self._send(file, _content_type(name), {"Cache-Control": "no-cache"})

    do_HEAD = do_GET

    def end_headers(self) -> None:
        """Add the headers of every response, errors included."""
        self.send_header("Content-Security-Policy", VIEWER_CSP)
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Write no request log."""

    def _hosts(self) -> tuple[str, str]:
        assert isinstance(self.server, _Server)
        port = self.server.server_port
        return f"127.0.0.1:{port}", f"localhost:{port}"

    def _send(self, source: BinaryIO, kind: str, headers: dict[str, str]) -> None:
        with source:
            size = source.seek(0, os.SEEK_END)
            source.seek(0)
            self.send_response(HTTPStatus.OK)
            for name, value in {"Content-Type": kind, "Content-Length": str(size), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                shutil.copyfileobj(source, self.wfile)


def _content_type(name: str) -> str:
    kind = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind

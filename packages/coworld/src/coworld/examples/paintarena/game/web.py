"""Serve pages over HTTP, on the port of the websockets."""

from __future__ import annotations

from pathlib import Path

from websockets.datastructures import Headers
from websockets.http11 import Response

CLIENT = Path(__file__).parent / "client"
_PAGES = {"player": "player.html", "global": "global.html", "admin": "admin.html", "replay": "index.html"}
_TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css"}
_SECURITY = {
    # The URL of a player's page holds a token: send no referrer.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self' ws: wss: http: https:; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store",
}


def answer(status: int, phrase: str, body: bytes, content_type: str = "text/plain; charset=utf-8") -> Response:
    headers = {"Content-Type": content_type, "Content-Length": str(len(body)), "Connection": "close", **_SECURITY}
    return Response(status, phrase, Headers(headers), body)


def page(path: str) -> Response:
    """Return the response to a plain GET: a page, one of its files (both `/client/` and `/clients/`), or 404."""
    parts = path.strip("/").split("/")
    if path == "/healthz":
        return answer(200, "OK", b'{"ok":true}', "application/json")
    if len(parts) == 2 and parts[0] in ("client", "clients"):
        file = CLIENT / _PAGES.get(parts[1], parts[1])
        if file.name in _FILES:
            return answer(200, "OK", file.read_bytes(), _TYPES[file.suffix])
    return answer(404, "Not Found", b"not found\n")


_FILES = frozenset(file.name for file in CLIENT.iterdir() if file.suffix in _TYPES)
"""the files that may be requested, by full name: a path from a request never reaches the disk"""

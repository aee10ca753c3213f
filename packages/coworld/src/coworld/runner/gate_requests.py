"""Decide what a player may ask of a game: everything a player or a viewer needs, never the administration.

A request is judged by its head alone. Anything that a server could read in another way than we do (bare line feeds,
folded headers, two lengths, other protocols) is refused, so that no second request hides behind the first one.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

HEAD_BYTES = 32 << 10
"""largest head of a request"""
BODY_BYTES = 1 << 20
"""largest body of a request"""

_REQUEST_LINE = re.compile(rb"([A-Z]{1,16}) ([\x21-\x7e]{1,16384}) HTTP/1\.[01]")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)")
_ADMIN = re.compile(r"admin(?:\.[a-z]+)?")


class RequestRefused(Exception):
    """A request that the gate answers itself."""

    def __init__(self, status: str, reason: str, path: str = "") -> None:
        super().__init__(reason)
        self.status, self.reason, self.path = status, reason, path


@dataclass(frozen=True)
class PlayerRequest:
    """A request that may pass."""

    method: str
    path: str
    """without the query, as it was written"""
    head: bytes
    """as the game receives it: one request per connection unless it opens a websocket"""
    is_websocket: bool
    body_bytes: int


def read_request(head: bytes) -> PlayerRequest:
    """Read the head of a request, with its empty line.

    Raises:
        RequestRefused: it asks for the administration, or is not plain HTTP/1.1.
    """
    lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    request = _REQUEST_LINE.fullmatch(lines[0])
    fields = [_HEADER.fullmatch(line) for line in lines[1:]]
    if request is None or None in fields:
        raise RequestRefused("400 Bad Request", "the request is not plain HTTP/1.1")
    headers = [(field[1].lower(), field[2].strip()) for field in fields if field is not None]
    if (path := admin_path(request[2].decode())) is not None:
        raise RequestRefused("403 Forbidden", "players do not administer the game", path)
    if any(name == b"transfer-encoding" for name, _ in headers):
        raise RequestRefused("411 Length Required", "a body needs Content-Length")
    lengths = {value for name, value in headers if name == b"content-length"}
    if len(lengths) > 1 or not all(value.isdigit() and len(value) < 10 for value in lengths):
        raise RequestRefused("400 Bad Request", "Content-Length is not one number")
    body_bytes = int(next(iter(lengths), b"0"))
    if body_bytes > BODY_BYTES:
        raise RequestRefused("413 Content Too Large", f"a body has {BODY_BYTES} bytes at most")
    upgrades = {value.lower() for name, value in headers if name == b"upgrade"}
    method, path = request[1].decode(), request[2].decode().partition("?")[0]
    if upgrades == {b"websocket"} and not body_bytes:
        return PlayerRequest(method, path, head, True, 0)
    if upgrades:
        raise RequestRefused("400 Bad Request", "a connection can only become a websocket")
    header_lines = [line for line in lines[1:] if not line.lower().startswith((b"connection:", b"keep-alive:"))]
    closing = b"\r\n".join([lines[0], *header_lines, b"Connection: close", b"", b""])
    return PlayerRequest(method, path, closing, False, body_bytes)


def admin_path(target: str) -> str | None:
    """Return the path of a request's target when one of its parts is `admin`, in any encoding."""
    try:
        path = urlsplit(target).path if "://" in target.partition("?")[0] else re.split(r"[?#]", target, maxsplit=1)[0]
    except ValueError:
        return target[:200]
    for _ in range(4):  # a proxy in front of the game may decode once more
        path = unquote(path)
    parts = (part.partition(";")[0].strip().lower() for part in re.split(r"[/\\]", path))
    return path[:200] if any(_ADMIN.fullmatch(part) for part in parts) else None

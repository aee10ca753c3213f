"""Which requests of browsers and programs reach a hosted game, and what they look like there.

Only the path and the query of a request are passed on, both decoded once and encoded again. The worker adds the slot
and the token of the seat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit

from observatory.errors import BadRequest, Forbidden
from observatory.hosting.places import PlaceView

__all__ = ["MAX_MESSAGE_BYTES", "MAX_PAGE_BYTES", "Throttle", "close_code", "game_path", "game_query", "location"]

MAX_PAGE_BYTES = 64 << 20
MAX_MESSAGE_BYTES = 1 << 20
"""of a message to a game; those from a game may be larger"""
MAX_PATH, MAX_QUERY, MAX_FIELDS = 1000, 4000, 40
MESSAGES_PER_SECOND, BURST = 100.0, 200.0

_OURS = frozenset({"slot", "token", "uri"})
"""fields of the query that the worker sets"""
_ADMIN = re.compile(r"admin(?:\.[a-z]+)?")
_ORIGIN = "http://game"


def game_path(path: str) -> str:
    """Return a path of a request as the game gets it; raise `BadRequest` or `Forbidden`.

    `path` is decoded once. A part that a second decoding would change into `..`, a slash or `admin` is refused too.
    """
    if len(path) > MAX_PATH or not path.isprintable() or "\\" in path:
        raise BadRequest("This is not a path of a game")
    parts = path.split("/")
    for part in parts:
        decoded = part
        for _ in range(4):
            decoded = unquote(decoded)
        if decoded in (".", "..") or re.search(r"[/\\\0-\x1f]", decoded):
            raise BadRequest("This is not a path of a game")
        if _ADMIN.fullmatch(decoded.partition(";")[0].strip().lower()):
            raise Forbidden("A hosted game cannot be administered")
    return "/" + "/".join(quote(part, safe="") for part in parts)


def game_query(query: str) -> list[tuple[str, str]]:
    """Return the fields of a query that a game gets; raise `BadRequest` if there is too much of it."""
    if len(query) > MAX_QUERY:
        raise BadRequest("The query is too long")
    try:
        fields = parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except ValueError:
        raise BadRequest("The query cannot be read") from None
    return [(name, value) for name, value in fields if name not in _OURS]


def may_open_socket(place: PlaceView, path: str) -> bool:
    """Return whether a place has a socket at a path: a seat `/player`, spectators `/global`, a replay `/replay`."""
    return path == f"/{place.page}"


def location(folder: str, path: str, target: str) -> str | None:
    """Return where a redirect of the game leads below the folder of a place; None if it leads elsewhere."""
    if len(target) > MAX_PATH + MAX_QUERY or not target.isascii() or not target.isprintable():
        return None
    parts = urlsplit(urljoin(_ORIGIN + path, target))
    if (parts.scheme, parts.netloc) != ("http", "game"):
        return None
    try:
        inside = game_path(unquote(parts.path).lstrip("/"))
        fields = game_query(parts.query)
    except (BadRequest, Forbidden):
        return None
    query = urlencode(fields)
    return folder + inside.lstrip("/") + (f"?{query}" if query else "")


def close_code(code: object) -> int:
    """Return a code with which a socket may be closed: the game's own, if applications may use it."""
    is_allowed = isinstance(code, int) and (code in (1000, 1001, 1008, 1011, 1013) or 3000 <= code <= 4999)
    return code if is_allowed and isinstance(code, int) else 1000


class Throttle:
    """Slows a sender down to a rate. The messages wait in the sender's own connection."""

    def __init__(self, now: float) -> None:
        self._level, self._at = BURST, now

    def pause(self, now: float) -> float:
        """Take one message; return the seconds to wait before the next is read."""
        self._level = min(BURST, self._level + (now - self._at) * MESSAGES_PER_SECOND) - 1
        self._at = now
        return 0.0 if self._level >= 0 else -self._level / MESSAGES_PER_SECOND


def header_pairs(headers: Sequence[object]) -> list[tuple[str, str]]:
    """Return headers of a worker's answer; malformed ones are left out."""
    pairs = []
    for header in headers:
        if isinstance(header, list) and len(header) == 2 and all(isinstance(part, str) for part in header):
            pairs.append((header[0], header[1]))
    return pairs

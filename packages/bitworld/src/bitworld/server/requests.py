"""HTTP without WebSockets: parse the head of a request, and answer it."""

from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

__all__ = ["CORS", "BadHead", "Head", "Response", "parse_head", "text"]

NO_CACHE = {"Cache-Control": "no-cache"}
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
}
_REASONS = {
    101: "Switching Protocols",
    200: "OK",
    202: "Accepted",
    204: "No Content",
    400: "Bad Request",
    403: "Forbidden",
    409: "Conflict",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


class BadHead(ValueError):
    """The bytes are not the head of an HTTP request."""


@dataclass(frozen=True, slots=True)
class Head:
    method: str
    path: str
    query: dict[str, str]
    """the last value of each name"""
    headers: dict[str, str]
    """by name in lower case"""

    @property
    def is_upgrade(self) -> bool:
        return self.method == "GET" and self.headers.get("upgrade", "").lower() == "websocket"


def parse_head(data: bytes) -> Head:
    """Parse the head of a request, without the empty line after it."""
    first, *rest = data.decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1.") or not parts[0].isalpha():
        raise BadHead(f"Not a request line: {first[:80]!r}")
    try:
        target = urlsplit(parts[1])
        query = parse_qs(target.query, keep_blank_values=True, max_num_fields=16)
    except ValueError:
        raise BadHead(f"Not a request target: {parts[1][:80]!r}") from None
    pairs = (line.partition(":") for line in rest)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return Head(parts[0], target.path, {name: values[-1] for name, values in query.items()}, headers)


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def encode(self) -> bytes:
        headers = {**self.headers, "Connection": "close"}
        if self.status != 204:
            headers["Content-Length"] = str(len(self.body))
        lines = [f"HTTP/1.1 {self.status} {_REASONS[self.status]}", *(f"{name}: {v}" for name, v in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + self.body


def text(status: int, body: str, more: dict[str, str] | None = None) -> Response:
    """Return a response that caches must not store."""
    return Response(status, body.encode(), {"Content-Type": "text/plain; charset=utf-8", **NO_CACHE, **(more or {})})

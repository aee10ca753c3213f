"""Request pages from a game and connect to its websockets.

Games of the older generation serve their pages under `/clients/`, newer ones under `/client/`; both are asked.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from coworld.engines.base import Address

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

PAGES = ("/client", "/clients")
_HEAD = 64 << 10


@dataclass(frozen=True)
class Answer:
    """The status and headers of an HTTP response."""

    status: int
    location: str | None = None


async def get(address: Address, path: str, *, timeout: float) -> Answer:
    """GET a path. The body is not read: status and headers are all the runner needs.

    Raises TimeoutError, or OSError when nothing that speaks HTTP answers.
    """
    async with asyncio.timeout(timeout):
        reader, writer = await asyncio.open_connection(*address, limit=_HEAD)
        try:
            request = f"GET {path} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nUser-Agent: coworld-runner\r\n"
            writer.write(f"{request}Accept: */*\r\nConnection: close\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise ConnectionError(f"no HTTP answer: {error}") from None
        finally:
            writer.close()
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) < 2 or not words[0].startswith("HTTP/") or not words[1].isdigit():
        raise ConnectionError("what answers does not speak HTTP")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return Answer(int(words[1]), headers.get("location"))


async def page_status(
    address: Address, name: str, query: dict[str, Any], *, timeout: float, redirects: bool = False
) -> tuple[int, str]:
    """Return the status of a browser page and its path: the singular path first, the plural one when it is missing."""
    answer, path = Answer(404), ""
    for prefix in PAGES:
        path = f"{prefix}/{name}"
        answer = await get(address, _with_query(path, query), timeout=timeout)
        for _ in range(5 if redirects else 0):
            if answer.status not in (301, 302, 303, 307, 308) or not answer.location:
                break
            parts = urlsplit(answer.location)
            target = parts.path or "/"
            answer = await get(address, f"{target}?{parts.query}" if parts.query else target, timeout=timeout)
        if answer.status != 404:
            break
    return answer.status, path


@contextlib.asynccontextmanager
async def socket(
    address: Address, path: str, query: dict[str, Any] | None = None, *, timeout: float
) -> "AsyncIterator[ClientConnection]":
    """Open a websocket to a route. Messages may have any size; the caller handles keep-alive."""
    from websockets.asyncio.client import connect

    url = f"ws://{address[0]}:{address[1]}{_with_query(path, query or {})}"
    async with connect(
        url, open_timeout=timeout, close_timeout=0.2, max_size=None, ping_interval=None, compression=None, proxy=None
    ) as connection:
        yield connection


def _with_query(path: str, query: dict[str, Any]) -> str:
    return f"{path}?{urlencode(query)}" if query else path

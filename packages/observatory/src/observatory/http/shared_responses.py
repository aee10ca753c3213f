"""Responses that the leader has computed, for the other servers on the same database.

After a change each server would compute the same popular responses. Instead the others ask the leader, through one
socket, and name the newest transaction that they know of. The leader answers when it has heard of that transaction,
so that a server never gets a response older than its own. A server that gets no answer computes the response itself.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import anyio.to_thread
from sqlalchemy.exc import SQLAlchemyError

from observatory.database import Database
from observatory.database.presence import RunningServer, running_servers
from observatory.errors import ObservatoryError
from observatory.events import ChangeKind, Dependency

__all__ = ["Key", "Shared", "SharedResponses", "read_question", "write_answer"]

Key = tuple[str, bytes, bool, tuple[str | None, str | None] | None, bool]
"""path, query, whether for administrators, for which user and player, whether it differs between users"""
ASK_SECONDS = 1.0
RETRY_SECONDS = 5.0


class Socket(Protocol):
    async def receive(self) -> dict[str, Any]: ...
    async def send_text(self, text: str) -> None: ...
    async def close(self) -> None: ...


@dataclass(frozen=True)
class Shared:
    """A response of another server."""

    body: bytes
    compressed: bytes | None
    headers: dict[str, str]
    etag: str
    dependencies: tuple[Dependency, ...]
    seconds: float
    """for which it may be cached without a change"""


class SharedResponses:
    """Asks the leader for responses. Used from the event loop only."""

    def __init__(self, database: Database, base_url: str, connect: Callable[[str], Awaitable[Socket]]) -> None:
        self._database, self._base_url, self._connect = database, base_url, connect
        self._socket: Socket | None = None
        self._task: asyncio.Task[None] | None = None
        self._retry_at = 0.0
        self._asked = 0
        self._waiting: dict[int, asyncio.Future[Shared | None]] = {}

    async def ask(self, key: Key, after: int) -> Shared | None:
        """Return a response that has all changes up to a transaction; None if this server has to compute it."""
        if self._database.is_leader or not after:
            return None
        if self._task is None or self._task.done() or self._task.get_loop() is not asyncio.get_running_loop():
            if time.monotonic() >= self._retry_at:
                self._retry_at = time.monotonic() + RETRY_SECONDS
                self._socket = None
                self._task = asyncio.create_task(self._listen())
            return None
        if self._socket is None:
            return None
        self._asked += 1
        number, question = self._asked, self._write(key, after)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ASK_SECONDS):
                await self._socket.send_text(json.dumps({"n": number, **question}))
                return await answer
        except TimeoutError:
            self.stop()
            self._retry_at = time.monotonic() + RETRY_SECONDS  # the next requests do not wait for a slow leader
            return None
        except RuntimeError:
            return None
        finally:
            self._waiting.pop(number, None)

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _write(self, key: Key, after: int) -> dict[str, Any]:
        path, query, *rest = key
        return {"key": [path, query.decode("latin-1"), *rest], "after": after, "base_url": self._base_url}

    async def _listen(self) -> None:
        """Connect to the leader, and receive its answers until the connection ends."""
        socket = None
        try:
            leader = await anyio.to_thread.run_sync(self._leader)
            if leader is None:
                return
            socket = self._socket = await self._connect(leader.url)
            while (message := await socket.receive())["type"] != "websocket.disconnect":
                number, shared = _read_answer(message.get("bytes") or b"{}\n")
                answer = self._waiting.get(number)
                if answer is not None and not answer.done():
                    answer.set_result(shared)
        except (ObservatoryError, SQLAlchemyError, OSError, ValueError, KeyError, TypeError):
            pass  # it is tried again later
        finally:
            self._socket = None
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_result(None)
            if socket is not None:
                with suppress(Exception):
                    await socket.close()

    def _leader(self) -> RunningServer | None:
        """Return the leader if its program is the same as this server's: others may respond differently."""
        with self._database.read() as session:
            servers = running_servers(session)
        own = next((server for server in servers if server.id == self._database.server_id), None)
        leader = next((server for server in servers if server.is_leader), None)
        if own is None or leader is None or leader.id == own.id:
            return None
        is_same = (leader.version, leader.revision) == (own.version, own.revision)
        return leader if is_same else None


def read_question(text: str, base_url: str) -> tuple[int, Key | None, int]:
    """Return the number of a question, its key and the transaction; no key if the servers' public addresses differ."""
    asked = json.loads(text)
    path, query, is_admin, identity, per_viewer = asked["key"]
    viewer = None if identity is None else (identity[0], identity[1])
    key = (path, query.encode("latin-1"), bool(is_admin), viewer, bool(per_viewer))
    return asked["n"], key if asked["base_url"] == base_url else None, int(asked["after"])


def write_answer(number: int, shared: Shared | None) -> bytes:
    if shared is None:
        return json.dumps({"n": number}).encode() + b"\n"
    head = {
        "n": number,
        "headers": shared.headers,
        "etag": shared.etag,
        "gzip": shared.compressed is not None,
        "seconds": shared.seconds,
        "on": [[on.value] if isinstance(on, ChangeKind) else [on[0].value, on[1].hex] for on in shared.dependencies],
    }
    return json.dumps(head).encode() + b"\n" + (shared.body if shared.compressed is None else shared.compressed)


def _read_answer(data: bytes) -> tuple[int, Shared | None]:
    line, _, content = data.partition(b"\n")
    head = json.loads(line)
    if "etag" not in head:
        return head["n"], None
    dependencies: tuple[Dependency, ...] = tuple(
        ChangeKind(on[0]) if len(on) == 1 else (ChangeKind(on[0]), uuid.UUID(on[1])) for on in head["on"]
    )
    compressed = content if head["gzip"] else None
    body = gzip.decompress(content) if head["gzip"] else content
    return head["n"], Shared(body, compressed, head["headers"], head["etag"], dependencies, head["seconds"])

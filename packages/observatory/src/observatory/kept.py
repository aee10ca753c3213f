"""Answers kept as bytes, for as long as nothing they were made from has changed.

A route of the class `kept(...)` names the tables that its answer is made from. Its answer is kept with the versions of
those tables (see `database.freshness`); the next one who asks gets the same bytes, compressed where they like, or 304
when they have them already. Who asks matters only as far as the route says: most answers are the same for everybody
but staff, who see private seasons; some are each person's own.

Nothing is given to anybody who was not found out to be who they are: a token or cookie that this process has not seen
lately, or not since accounts were changed, is looked up first.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.accounts.tokens import hash_token
from observatory.accounts.visitors import COOKIE
from observatory.database import Database
from observatory.database.freshness import TableVersions
from observatory.errors import Unauthorized

__all__ = ["Audiences", "KeptAnswers", "kept"]

MAX_ANSWERS = 2000
MAX_BYTES = 64 << 20
MAX_CALLERS = 20_000
TRUSTED_SECONDS = 5.0
"""after which an answer, or who somebody is, is looked up again: another process may have changed something"""
COMPRESSED_FROM = 1000
_ACCOUNTS = ("users", "tokens", "players")
_VARY = "X-Auth-Token, Authorization, Cookie, Accept-Encoding"

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
FindPrincipal = Callable[[Request, Session], tuple[Principal | None, datetime | None]]
"""who sends a request, and until when that is certain; raises `Unauthorized`"""


@dataclass(frozen=True, slots=True)
class Audience:
    """Whose answer it is: the same for all who are no staff, unless the route tells people apart."""

    user_id: str | None
    is_staff: bool


ANYBODY = Audience(None, False)


class Audiences:
    """Who was behind a token or cookie when it was last looked at."""

    def __init__(self, versions: TableVersions) -> None:
        self._versions = versions
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[Audience, tuple[int, ...], float, datetime | None]] = OrderedDict()

    def of(self, request: Request) -> Audience | None:
        """None when it has to be found out."""
        credential = _credential(request)
        if credential is None:
            return ANYBODY
        with self._lock:
            found = self._known.get(credential)
        if found is None:
            return None
        audience, versions, until, expires_at = found
        expired = expires_at is not None and expires_at <= request.app.state.clock()
        if expired or time.monotonic() > until or versions != self._versions.of(_ACCOUNTS):
            return None
        return audience

    def remember(
        self, request: Request, audience: Audience, versions: tuple[int, ...], expires_at: datetime | None
    ) -> None:
        credential = _credential(request)
        if credential is None:
            return
        with self._lock:
            self._known[credential] = audience, versions, time.monotonic() + TRUSTED_SECONDS, expires_at
            self._known.move_to_end(credential)
            while len(self._known) > MAX_CALLERS:
                self._known.popitem(last=False)


@dataclass(slots=True)
class Answer:
    body: bytes
    headers: dict[str, str]
    versions: tuple[int, ...]
    until: float
    etag: str
    compressed: bytes | None

    def response(self, request: Request) -> Response:
        headers = {**self.headers, "ETag": self.etag, "Cache-Control": "private, no-cache", "Vary": _VARY}
        asked = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
        if self.etag in asked or "*" in asked:
            headers.pop("content-type", None)
            return Response(status_code=304, headers=headers)
        if self.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self.compressed, headers={**headers, "Content-Encoding": "gzip"})
        return Response(self.body, headers=headers)


@dataclass(slots=True)
class _Turn:
    """Those who ask for the same thing at once wait for the first of them."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class KeptAnswers:
    """The answers of one server; those not asked for longest go first. Used from the event loop alone."""

    def __init__(self, database: Database, find_principal: FindPrincipal) -> None:
        self._database, self._find_principal = database, find_principal
        self.versions = database.table_versions
        self.audiences = Audiences(self.versions)
        self._answers: OrderedDict[tuple[Any, ...], Answer] = OrderedDict()
        self._turns: dict[tuple[Any, ...], _Turn] = {}
        self._bytes = 0

    async def answer(self, request: Request, tables: Sequence[str], personal: bool, handler: Handler) -> Response:
        request.app.state.rate_limits.check(request)
        request.state.is_counted = True
        audience = self.audiences.of(request) or await self._find_out(request)
        if audience is None:
            return await handler(request)  # which refuses
        key = _key(request, audience, personal)
        found = self._fresh(key, tables)
        if found is not None:
            return found.response(request)
        async with self._turn(key):
            found = self._fresh(key, tables)
            return found.response(request) if found else await self._made(request, key, tables, handler)

    async def _find_out(self, request: Request) -> Audience | None:
        """Who is behind a token or cookie that is not known; None for one that is not good."""
        async with self._turn(("who", _credential(request))):
            known = self.audiences.of(request)
            if known is not None:
                return known
            accounts = self.versions.of(_ACCOUNTS)  # before anything is read
            try:
                found = await self._database.look(lambda session: self._find_principal(request, session))
            except Unauthorized:
                return None
            principal, expires_at = found
            audience = ANYBODY if principal is None else Audience(principal.user_id, principal.is_staff)
            self.audiences.remember(request, audience, accounts, expires_at)
            return audience

    @asynccontextmanager
    async def _turn(self, key: tuple[Any, ...]) -> AsyncIterator[None]:
        turn = self._turns.setdefault(key, _Turn())
        turn.waiting += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.waiting -= 1
            if not turn.waiting:
                self._turns.pop(key, None)

    def _fresh(self, key: tuple[Any, ...], tables: Sequence[str]) -> Answer | None:
        found = self._answers.get(key)
        if found is None or time.monotonic() > found.until or found.versions != self.versions.of(tables):
            return None
        self._answers.move_to_end(key)
        return found

    async def _made(self, request: Request, key: tuple[Any, ...], tables: Sequence[str], handler: Handler) -> Response:
        versions = self.versions.of(tables)  # before anything is read
        response = await handler(request)
        if response.status_code != 200:
            return response
        answer = await asyncio.to_thread(_answer, response, versions)
        self._keep(key, answer)
        return answer.response(request)

    def _keep(self, key: tuple[Any, ...], answer: Answer) -> None:
        self._forget(key)
        self._answers[key] = answer
        self._bytes += _size(answer)
        while len(self._answers) > MAX_ANSWERS or self._bytes > MAX_BYTES:
            self._forget(next(iter(self._answers)))

    def _forget(self, key: tuple[Any, ...]) -> None:
        old = self._answers.pop(key, None)
        if old is not None:
            self._bytes -= _size(old)


def kept(*tables: str, personal: bool = False) -> type[APIRoute]:
    """The class of routes whose answers are made from these tables; `personal` when each person gets their own."""

    class KeptRoute(APIRoute):
        def get_route_handler(self) -> Handler:
            handler = super().get_route_handler()
            if self.methods != {"GET"}:
                return handler

            async def answer(request: Request) -> Response:
                answers: KeptAnswers = request.app.state.kept_answers
                return await answers.answer(request, tables, personal, handler)

            return answer

    return KeptRoute


def _key(request: Request, audience: Audience, personal: bool) -> tuple[Any, ...]:
    who = audience.user_id if personal else None
    return request.url.path, request.url.query, who, audience.is_staff


def _credential(request: Request) -> str | None:
    """What the request shows of who it is, hashed."""
    headers = request.headers
    shown = headers.get("x-auth-token"), headers.get("authorization"), request.cookies.get(COOKIE)
    return hash_token("\n".join(part or "" for part in shown)) if any(shown) else None


def _answer(response: Response, versions: tuple[int, ...]) -> Answer:
    body = bytes(response.body)
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    etag = f'W/"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'
    compressed = gzip.compress(body, 5, mtime=0) if len(body) >= COMPRESSED_FROM else None
    return Answer(body, headers, versions, time.monotonic() + TRUSTED_SECONDS, etag, compressed)


def _size(answer: Answer) -> int:
    return len(answer.body) + len(answer.compressed or b"")

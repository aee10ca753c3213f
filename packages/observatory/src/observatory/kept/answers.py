"""Cache responses as bytes until the tables they depend on change.

A route of the class `kept(...)` names the tables that its response depends on. The response is cached with the versions
of those tables (see `database.freshness`); later requests get the same bytes, compressed if the client accepts it, or
304 if the client has them already. Most responses differ only between staff, who see private seasons, and all other
callers; routes marked `personal` respond per user.

Every caller is authenticated first: a token or cookie is looked up unless this process has seen it recently and no
account has changed since.

In a large season, matches end faster than its table can be computed. So a large response that lacks only the matches of
the last second is still served, and refreshed in the background; `Cache-Control: no-cache` asks for a fresh one.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fastapi import Request, Response
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import Database
from observatory.database.freshness import ENDED_MATCHES, TableVersions
from observatory.errors import TooManyRequests, Unauthorized
from observatory.kept.audiences import ANYBODY, TRUSTED_SECONDS, Audience, Audiences, credential_of

__all__ = ["Handler", "KeptAnswers", "Recipe"]

MAX_ANSWERS = 2000
MAX_BYTES = 64 << 20
COMPRESSED_FROM = 1000
LARGE = 100_000
"""bytes from which on a response may be stale"""
LATE_SECONDS = 1.0
"""how long a large response may be stale"""
_MAY_BE_LATE = frozenset({"matches", "match_players", "jobs", "episodes", ENDED_MATCHES})
_VARY = "X-Auth-Token, Authorization, Cookie, X-Use-Elevated-Privileges, Accept-Encoding"

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
FindPrincipal = Callable[[Request, Session], tuple[Principal | None, datetime | None]]
"""returns the sender of a request and when that expires; raises `Unauthorized`"""
Key = tuple[Any, ...]


@dataclass(frozen=True)
class Recipe:
    """The tables that a route's responses depend on, and whether each user gets their own response."""

    tables: tuple[str, ...]
    personal: bool
    route: Any = None

    def essential(self, versions: tuple[int, ...]) -> tuple[int, ...]:
        """Return the versions without those of tables for which a large response may be stale; the first number is the
        database's own."""
        first, *others = versions
        kept = (number for table, number in zip(self.tables, others, strict=True) if table not in _MAY_BE_LATE)
        return first, *kept


@dataclass(slots=True)
class Answer:
    body: bytes
    headers: dict[str, str]
    versions: tuple[int, ...]
    true_at: float
    """when it was last known to be fresh"""
    until: float
    """when it expires in any case"""
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
    """A lock per key: concurrent requests for one response wait for the first of them."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class KeptAnswers:
    """The response cache of one server, evicting the least recently used. Used from the event loop only."""

    def __init__(self, database: Database, find_principal: FindPrincipal) -> None:
        self._database, self._find_principal = database, find_principal
        self.versions: TableVersions = database.table_versions
        self.audiences = Audiences(self.versions)
        self._answers: OrderedDict[Key, Answer] = OrderedDict()
        self._recipes: dict[str, Recipe] = {}
        """by path, for all responses that are or were cached"""
        self._turns: dict[Key, _Turn] = {}
        self._aside: dict[Key, asyncio.Task[object]] = {}
        self._bytes = 0

    def at_once(self, request: Request) -> tuple[Response | None, Key | None]:
        """Return the cached response, if any, and its key if it is stale: the caller should then refresh it."""
        recipe = self._recipes.get(request.scope["path"])
        audience, is_due = (None, False) if recipe is None else self.audiences.of(request)
        if recipe is None or audience is None:
            return None, None
        key = _key(request, audience, recipe)
        fresh = self._fresh(key, recipe)
        found = fresh or self._late(key, recipe, request)
        if found is None:
            return None, None
        try:
            request.app.state.rate_limits.check(request)
        except TooManyRequests:
            return None, None  # the route returns the 429 response
        if is_due:
            self.aside(("who", credential_of(request)), lambda: self._find_out(request))
        request.scope["route"] = recipe.route  # metrics count the request under this route
        return found.response(request), key if fresh is None else None

    def aside(self, key: Key, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Run a background task for this key, unless one is running."""
        if key in self._aside:
            return
        task = self._aside[key] = asyncio.create_task(work())
        task.add_done_callback(lambda _: self._aside.pop(key, None))

    def stop(self) -> None:
        """Cancel the background tasks."""
        for task in list(self._aside.values()):
            task.cancel()

    async def answer(self, request: Request, recipe: Recipe, handler: Handler) -> Response:
        """Return the cached response if it is fresh; otherwise call the handler and cache its response."""
        if not getattr(request.state, "is_counted", False):
            request.app.state.rate_limits.check(request)
            request.state.is_counted = True
        audience = self.audiences.of(request)[0] or await self._find_out(request)
        if audience is None:
            return await handler(request)  # which rejects the request
        key, asked_at = _key(request, audience, recipe), time.monotonic()
        async with self._turn(key):
            found = self._fresh(key, recipe) or self._true_since(key, asked_at)
            return found.response(request) if found else await self._made(request, key, recipe, handler)

    async def _find_out(self, request: Request) -> Audience | None:
        """Look up the audience of an unknown token or cookie; None if it is not valid."""
        async with self._turn(("who", credential_of(request))):
            known, is_due = self.audiences.of(request)
            if known is not None and not is_due:
                return known
            accounts = self.audiences.versions()  # before anything is read
            try:
                found = await self._database.look(lambda session: self._find_principal(request, session))
            except Unauthorized:
                return None
            principal, expires_at = found
            audience = ANYBODY if principal is None else Audience(principal.user_id, principal.is_admin)
            self.audiences.remember(request, audience, accounts, expires_at)
            return audience

    @asynccontextmanager
    async def _turn(self, key: Key) -> AsyncIterator[None]:
        turn = self._turns.setdefault(key, _Turn())
        turn.waiting += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.waiting -= 1
            if not turn.waiting:
                self._turns.pop(key, None)

    def _fresh(self, key: Key, recipe: Recipe) -> Answer | None:
        now = time.monotonic()
        found = self._answers.get(key)
        if found is None or now > found.until or found.versions != self.versions.of(recipe.tables):
            return None
        self._answers.move_to_end(key)
        found.true_at = now
        return found

    def _true_since(self, key: Key, moment: float) -> Answer | None:
        """Return a response made since the request began to wait, even if it is stale by now: requests wait once."""
        found = self._answers.get(key)
        return found if found is not None and found.true_at >= moment else None

    def _late(self, key: Key, recipe: Recipe, request: Request) -> Answer | None:
        found = self._answers.get(key)
        if found is None or len(found.body) < LARGE or time.monotonic() - found.true_at > LATE_SECONDS:
            return None
        if recipe.essential(found.versions) != recipe.essential(self.versions.of(recipe.tables)):
            return None
        wish = request.headers.get("cache-control", "")
        return None if "no-cache" in wish or "max-age=0" in wish else found

    async def _made(self, request: Request, key: Key, recipe: Recipe, handler: Handler) -> Response:
        versions, now = self.versions.of(recipe.tables), time.monotonic()  # before anything is read
        response = await handler(request)
        if response.status_code != 200:
            return response
        answer = await asyncio.to_thread(_answer, response, versions, now)
        self._keep(key, answer)
        self._recipes.setdefault(request.scope["path"], recipe)
        return answer.response(request)

    def _keep(self, key: Key, answer: Answer) -> None:
        self._forget(key)
        self._answers[key] = answer
        self._bytes += _size(answer)
        while len(self._answers) > MAX_ANSWERS or self._bytes > MAX_BYTES:
            self._forget(next(iter(self._answers)))
        if len(self._recipes) > 2 * MAX_ANSWERS:
            self._recipes.clear()  # recorded again as responses are made

    def _forget(self, key: Key) -> None:
        old = self._answers.pop(key, None)
        if old is not None:
            self._bytes -= _size(old)


def _key(request: Request, audience: Audience, recipe: Recipe) -> Key:
    who = audience.user_id if recipe.personal else None
    return request.scope["path"], request.scope["query_string"], who, audience.is_admin


def _answer(response: Response, versions: tuple[int, ...], now: float) -> Answer:
    body = bytes(response.body)
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    etag = f'W/"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'
    compressed = gzip.compress(body, 5, mtime=0) if len(body) >= COMPRESSED_FROM else None
    return Answer(body, headers, versions, now, now + TRUSTED_SECONDS, etag, compressed)


def _size(answer: Answer) -> int:
    return len(answer.body) + len(answer.compressed or b"")

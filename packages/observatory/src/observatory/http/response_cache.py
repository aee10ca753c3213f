"""Cache responses as bytes until the data that they depend on changes.

An endpoint marked `@cached(...)` names the kinds of changes that its response depends on (`events.ChangeKind`). The
response is cached; later requests get the same bytes, compressed if the client accepts it, or 304 if the client has
them already. Most responses differ only between administrators, who see private seasons, and all other callers;
endpoints marked `per_viewer` respond to each user differently.

A response that lacks only the matches and rounds of the last second may be served, and is computed again in the
background: a large one at any time, because in a large season matches end faster than its table can be computed, and
one for pages that many clients poll, or while the server is busy. `Cache-Control: no-cache` asks for a fresh one.

Each response is computed once, however many requests wait for it, and few are computed at the same time: the threads
share one processor with the event loop, which serves everything else. Of several servers on one database, the leader
computes the responses that many clients ask for, and the others get them from it (`http.shared_responses`).
"""

from __future__ import annotations

import asyncio
import functools
import gzip
import hashlib
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.to_thread
from fastapi import Request, Response
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.database.cache import FRESH_SECONDS, Cache, Entry, SessionCache, of_division
from observatory.errors import ObservatoryError, TooManyRequests
from observatory.events import ChangeKind, Dependency, Versions, versions_in
from observatory.http.shared_responses import Key, Shared, SharedResponses
from observatory.http.viewers import FindPrincipal, Viewer, Viewers, credential_of

__all__ = ["CachedResponse", "Compute", "ResponseCache", "Rule"]

logger = logging.getLogger(__name__)

MAX_RESPONSES = 2000
MAX_BYTES = 64 << 20
COMPRESSED_FROM = 1000
PAGES = "/observatory/api/"
"""responses under this path are for our pages only"""
LARGE = 100_000
"""bytes from which on a response may be stale at any time"""
STALE_SECONDS = 1.0
"""how long a response may be stale"""
GATHER_SECONDS = 0.25
"""computing a response in the background waits this long: other requests go first, and later changes are included"""
MAY_LAG = frozenset(
    {
        ChangeKind.MATCH,
        ChangeKind.TABLE,
        ChangeKind.SCHEDULE,
        ChangeKind.QUEUE,
        ChangeKind.EPISODE,
        ChangeKind.ROUND,
        ChangeKind.ROUND_EPISODE,
        ChangeKind.DIVISION,
    }
)
"""the changes that a stale response may lack: what is played, never what people write"""
POPULAR = 4
"""requests for a page from which on it may be stale. All of them count: if only those that did not wait counted, a page
that changes as often as it is asked for would never be popular"""
POPULAR_SECONDS = 2.0
"""the time in which they came"""
SHARE_SECONDS = 2.0
"""how long another server's question waits for the notification of a transaction; the asking server waits less and
disconnects, so that it does not wait for each response"""
HEAR_SECONDS = 0.005
MAX_PAGES = 2
"""how many responses for pages are computed at a time for requests that wait"""
_VARY = "X-Auth-Token, Authorization, Cookie, X-Use-Elevated-Privileges, Accept-Encoding"

Compute = Callable[[Session], tuple[bytes, dict[str, str]]]
"""returns the body and the headers of a response"""


@dataclass(frozen=True)
class Rule:
    """How the responses of an endpoint are cached."""

    dependencies: tuple[ChangeKind, ...]
    per_viewer: bool

    def key(self, request: Request, viewer: Viewer) -> Key:
        """Return the key of a response: the address and the viewer, as far as the response depends on them."""
        return _key(request, viewer, per_viewer=self.per_viewer)


@dataclass(slots=True)
class CachedResponse:
    """A response, and how to compute it again."""

    body: bytes
    headers: dict[str, str]
    etag: str
    compressed: bytes | None
    compute: Compute
    rule: Rule
    route: Any
    """metrics count the request under this route"""
    asked_at: deque[float] = field(default_factory=lambda: deque(maxlen=POPULAR))
    """when clients last asked for it, or for the response that it replaces"""

    @property
    def size(self) -> int:
        return len(self.body) + len(self.compressed or b"")

    @property
    def is_popular(self) -> bool:
        return len(self.asked_at) == POPULAR and time.monotonic() - self.asked_at[0] <= POPULAR_SECONDS

    def respond(self, request: Request) -> Response:
        headers = {**self.headers, "ETag": self.etag, "Cache-Control": "private, no-cache", "Vary": _VARY}
        etags = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
        if self.etag in etags or "*" in etags:
            headers.pop("content-type", None)
            return Response(status_code=304, headers=headers)
        if self.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self.compressed, headers={**headers, "Content-Encoding": "gzip"})
        return Response(self.body, headers=headers)


@dataclass(slots=True)
class _Flight:
    """A lock per key: concurrent requests for one response wait for the first of them."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class ResponseCache:
    """The cached responses of one server. Used from the event loop only."""

    def __init__(
        self, database: Database, find_principal: FindPrincipal, shared: SharedResponses | None = None
    ) -> None:
        self._database, self._shared = database, shared
        self._viewers = Viewers(database, find_principal)
        self._cache = Cache(max_entries=MAX_RESPONSES, max_bytes=MAX_BYTES)
        self._flights: dict[Hashable, _Flight] = {}
        self._tasks: dict[Hashable, asyncio.Task[object]] = {}
        self._polled: dict[Key, float] = {}
        """responses that may not be stale and that many clients poll, and when this was last so"""
        self._foreground = anyio.CapacityLimiter(MAX_PAGES)
        self._background = anyio.CapacityLimiter(1)

    async def lookup(self, request: Request) -> Response | None:
        """Return the response if it was computed before, computed again if it may not be served as it is.

        None if the route has to respond: it authenticates the caller, and it reports errors.
        """
        viewer, expires_soon = self._viewers.cached(request)
        if viewer is None:
            return None
        for per_viewer in (False, True):
            key = _key(request, viewer, per_viewer=per_viewer)
            entry = self._cache.get(key)
            if entry is not None:
                break
        else:
            return None
        try:
            request.app.state.rate_limits.check(request)
        except TooManyRequests:
            return None  # the route returns the 429 response
        if expires_soon:
            self._in_background(("viewer", credential_of(request)), lambda: self._viewers.find(request))
        response: CachedResponse = entry.value
        response.asked_at.append(time.monotonic())
        if response.is_popular and not _is_page(key):
            self._polled[key] = time.monotonic()
            self._in_background("polled", self._compute_polled)
        is_fresh = self._cache.fresh(key, self._database.changes.versions) is not None
        if not is_fresh and self._may_be_stale(key, entry, request):
            self._in_background(key, lambda: self._compute_again(key, response, GATHER_SECONDS))
        elif not is_fresh:
            try:
                response = (await self._current(key, response.rule, response.compute, response.route)).value
            except Exception:
                self._cache.invalidate(key)
                request.state.is_counted = True
                return None
        request.scope["route"] = response.route
        return response.respond(request)

    async def respond(self, request: Request, rule: Rule, compute: Compute) -> Response:
        """Return the cached response if it is fresh; otherwise compute it."""
        viewer = self._viewers.cached(request)[0] or await self._find_viewer(request)
        if viewer is None:  # the credentials expired meanwhile
            body, headers = await self._database.query(compute)
            return Response(body, headers=headers)
        entry = await self._current(rule.key(request, viewer), rule, compute, request.scope.get("route"))
        response: CachedResponse = entry.value
        return response.respond(request)

    async def share(self, key: Key, after: int) -> Shared | None:
        """Return a response for another server, with all changes up to a transaction; None if it has to compute it."""
        changes, deadline = self._database.changes, time.monotonic() + SHARE_SECONDS
        while changes.heard < after:
            if not changes.heard or time.monotonic() > deadline:
                return None
            await asyncio.sleep(HEAR_SECONDS)
        former = self._cache.get(key)
        if former is None:
            return None
        response: CachedResponse = former.value
        try:
            entry = await self._current(key, response.rule, response.compute, response.route, for_peer=True)
        except Exception:
            self._cache.invalidate(key)
            return None
        response, seconds = entry.value, entry.expires_at - time.monotonic()
        return Shared(response.body, response.compressed, response.headers, response.etag, entry.dependencies, seconds)

    def stop(self) -> None:
        """Cancel the background tasks."""
        if self._shared is not None:
            self._shared.stop()
        for task in list(self._tasks.values()):
            task.cancel()

    async def _find_viewer(self, request: Request) -> Viewer | None:
        async with self._flight(("viewer", credential_of(request))):
            return self._viewers.cached(request)[0] or await self._viewers.find(request)

    async def _current(self, key: Key, rule: Rule, compute: Compute, route: Any, *, for_peer: bool = False) -> Entry:
        """Return the response as of now, or as of a later moment; compute it unless another request does."""
        requested_at = time.monotonic()
        async with self._flight(key):
            entry = self._cache.fresh(key, self._database.changes.versions) or self._computed_since(key, requested_at)
            if entry is None and not for_peer:
                entry = await self._from_leader(key, rule, compute, route)
            if entry is None:
                threads = self._foreground if _is_page(key) else None
                entry = await self._compute(key, rule, compute, route, threads=threads)
        return entry

    async def _compute(
        self, key: Hashable, rule: Rule, compute: Compute, route: Any, *, threads: anyio.CapacityLimiter | None
    ) -> Entry:
        def build() -> tuple[CachedResponse, tuple[Dependency, ...], Versions, float]:
            began = time.monotonic()
            with self._database.read() as session:
                body, headers = compute(session)
                shared = SessionCache.of(session)
                assert shared is not None  # the session reads
            dependencies = of_division(rule.dependencies, shared.division)
            etag = f'W/"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'
            compressed = gzip.compress(body, 5, mtime=0) if len(body) >= COMPRESSED_FROM else None
            response = CachedResponse(body, headers, etag, compressed, compute, rule, route)
            return response, dependencies, shared.versions(dependencies), began

        response, dependencies, versions, began = await anyio.to_thread.run_sync(build, limiter=threads)
        return self._store(key, response, dependencies, versions, began)

    async def _from_leader(self, key: Key, rule: Rule, compute: Compute, route: Any) -> Entry | None:
        """Return a response that many clients ask for as the leader has computed it; None if it has to be computed."""
        former = self._cache.get(key)
        if self._shared is None or former is None or not former.value.is_popular:
            return None
        began, (counts, number) = time.monotonic(), self._database.changes.numbered_versions()
        shared = await self._shared.ask(key, number)
        if shared is None:
            return None
        response = CachedResponse(shared.body, shared.headers, shared.etag, shared.compressed, compute, rule, route)
        versions = versions_in(counts, shared.dependencies)
        return self._store(key, response, shared.dependencies, versions, began, shared.seconds)

    def _store(
        self,
        key: Hashable,
        response: CachedResponse,
        dependencies: tuple[Dependency, ...],
        versions: Versions,
        began: float,
        seconds: float = FRESH_SECONDS,
    ) -> Entry:
        former = self._cache.get(key)
        if former is not None and former.versions[0] == versions[0]:  # of the same database
            response.asked_at = former.value.asked_at
        size = response.size
        return self._cache.put(key, response, dependencies, versions, began=began, seconds=seconds, size=size)

    async def _compute_polled(self) -> None:
        """Compute what many clients poll when it has changed or expires soon, so that few of them wait."""
        with self._database.changes.subscribe_async() as changes:
            while self._polled and not self._database.changes.closed:
                await changes.wait(POPULAR_SECONDS)
                for key, polled_at in list(self._polled.items()):
                    entry, now = self._cache.get(key), time.monotonic()
                    if entry is None or now - polled_at > POPULAR_SECONDS:
                        del self._polled[key]
                        continue
                    expires_soon = entry.expires_at - now < POPULAR_SECONDS
                    if expires_soon or self._cache.fresh(key, self._database.changes.versions) is None:
                        self._in_background(key, functools.partial(self._compute_again, key, entry.value, 0.0))

    async def _compute_again(self, key: Key, former: CachedResponse, after_seconds: float) -> None:
        await asyncio.sleep(after_seconds)
        try:
            async with self._background, self._flight(key):
                entry = self._cache.fresh(key, self._database.changes.versions)
                is_needed = entry is None or entry.value is former
                if is_needed and await self._from_leader(key, former.rule, former.compute, former.route) is None:
                    await self._compute(key, former.rule, former.compute, former.route, threads=None)
        except ObservatoryError:
            self._cache.invalidate(key)  # it does not exist any more: the next request gets the error
        except Exception:
            self._cache.invalidate(key)
            logger.exception("A cached response could not be computed again")

    def _computed_since(self, key: Hashable, moment: float) -> Entry | None:
        """Return a response computed since the request began to wait, even if it is stale now: requests wait once."""
        entry = self._cache.get(key)
        return entry if entry is not None and entry.confirmed_at >= moment else None

    def _may_be_stale(self, key: Key, entry: Entry, request: Request) -> bool:
        if time.monotonic() - entry.confirmed_at > STALE_SECONDS:
            return False
        if _essential(entry, entry.versions) != _essential(entry, self._database.changes.versions(entry.dependencies)):
            return False
        cache_control = request.headers.get("cache-control", "")
        if "no-cache" in cache_control or "max-age=0" in cache_control:
            return False
        response: CachedResponse = entry.value
        if len(response.body) >= LARGE:
            return True
        is_busy = key in self._flights or self._foreground.borrowed_tokens >= MAX_PAGES
        return _is_page(key) and (is_busy or response.is_popular)

    def _in_background(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Run a background task for this key, unless one is running."""
        if key in self._tasks:
            return
        task = self._tasks[key] = asyncio.create_task(work())
        task.add_done_callback(lambda _: self._tasks.pop(key, None))

    @asynccontextmanager
    async def _flight(self, key: Hashable) -> AsyncIterator[None]:
        flight = self._flights.setdefault(key, _Flight())
        flight.waiting += 1
        try:
            async with flight.lock:
                yield
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                self._flights.pop(key, None)


def _key(request: Request, viewer: Viewer, *, per_viewer: bool) -> Key:
    scope, identity = request.scope, (viewer.user_id, viewer.player_id) if per_viewer else None
    return scope["path"], scope["query_string"], viewer.is_admin, identity, per_viewer


def _is_page(key: Key) -> bool:
    return key[0].startswith(PAGES)


def _essential(entry: Entry, versions: tuple[int, ...]) -> tuple[int, ...]:
    """Return the versions without those of changes that a stale response may lack; the first one is for all kinds."""
    first, *rest = versions
    pairs = zip(entry.dependencies, rest, strict=True)
    kinds = ((on if isinstance(on, ChangeKind) else on[0], number) for on, number in pairs)
    return first, *(number for kind, number in kinds if kind not in MAY_LAG)

"""Bugs to plant in the server, to see that simulated seasons find them. Each changes one function."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

from sqlalchemy.orm import Session

from observatory.database.cache import Cache, Entry
from observatory.database.tables.jobs import Job
from observatory.errors import NotFound
from observatory.events import Versions
from observatory.http.response_cache import ResponseCache
from observatory.http.shared_responses import Key, Shared
from observatory.jobs import repository, service
from observatory.matches import repository as matches
from observatory.standings.table_cache import RECHECK_SECONDS, PoolTable

__all__ = ["PLANTS"]


def lost_lease() -> AbstractContextManager[object]:
    """A worker whose lease is over may still end the job: its token is not compared."""

    def held_job(session: Session, job_id: uuid.UUID, token: str | None) -> Job:
        job = repository.job(session, job_id)
        if job is None:
            raise NotFound("There is no such job")
        return job

    return mock.patch.object(service, "held_job", held_job)


def double_count() -> AbstractContextManager[object]:
    """A table that is updated adds its last match again, and does not compare its size with the log."""

    def update(self: PoolTable, session: Session, versions: Versions | None, began: int = 0) -> None:
        with self.lock:
            is_fresh = self.versions == versions and time.monotonic() - self.checked_at < RECHECK_SECONDS
            if versions is None or not is_fresh:
                for match in matches.match_log(session, self.pool_id, after=max(0, self.fold.last_order - 1)):
                    self.fold.add(match)
                self.versions, self.checked_at = versions, time.monotonic()

    return mock.patch.object(PoolTable, "update", update)


def stale_cache() -> AbstractContextManager[object]:
    """A cached value is served until it expires, whatever has changed."""

    def fresh(self: Cache, key: Hashable, versions: Callable[[Iterable[Any]], Any]) -> Entry | None:
        entry = self.get(key)
        return None if entry is None or time.monotonic() > entry.expires_at else entry

    return mock.patch.object(Cache, "fresh", fresh)


def early_share() -> AbstractContextManager[object]:
    """The leader shares a response before it has heard of the transaction that the asking server names."""
    share = ResponseCache.share

    async def share_at_once(self: ResponseCache, key: Key, after: int) -> Shared | None:
        return await share(self, key, 0)

    return mock.patch.object(ResponseCache, "share", share_at_once)


PLANTS = {
    "lost_lease": lost_lease,
    "double_count": double_count,
    "stale_cache": stale_cache,
    "early_share": early_share,
}

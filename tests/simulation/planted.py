"""Bugs to plant in the server, to see that simulated seasons find them. Each changes one function."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

from sqlalchemy.orm import Session

from observatory.database.cache import Cache, Entry
from observatory.database.tables.jobs import Job
from observatory.errors import NotFound
from observatory.jobs import repository, service

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
    """A table adds the last match again when it is updated."""
    from observatory.standings.table_cache import PoolTable

    update = PoolTable.update

    def add_again(self: PoolTable, session: Session, versions: Any, began: int = 0) -> None:
        update(self, session, versions, began)

    return mock.patch.object(PoolTable, "update", add_again)


def stale_cache() -> AbstractContextManager[object]:
    """A cached value is served until it expires, whatever has changed."""
    import time

    def fresh(self: Cache, key: Hashable, versions: Callable[[Iterable[Any]], Any]) -> Entry | None:
        entry = self.get(key)
        return None if entry is None or time.monotonic() > entry.expires_at else entry

    return mock.patch.object(Cache, "fresh", fresh)


PLANTS = {"lost_lease": lost_lease, "double_count": double_count, "stale_cache": stale_cache}

"""Remove unfinished uploads and expired files once an hour while the server runs."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

import anyio
import anyio.to_thread
from fastapi import FastAPI
from sqlalchemy import delete, select

from observatory.accounts import repository as accounts
from observatory.clock import ClockWatch
from observatory.database import Database
from observatory.database.presence import forget_stopped
from observatory.database.tables.policies import SecretEnv, Upload
from observatory.errors import ObservatoryError
from observatory.hosting.expiring import expire_hosted
from observatory.images.collecting import collect_garbage
from observatory.jobs.artifacts import expire_replays, measure_artifacts
from observatory.jobs.logs import expire_logs
from observatory.jobs.workers_seen import forget_old
from observatory.notices.service import expire_notices
from observatory.operations.leftovers import remove_leftovers
from observatory.settings import Settings
from observatory.store import Store, bundle_key
from observatory.store.folder import FolderStore

__all__ = ["expire", "sweep", "sweep_periodically"]

logger = logging.getLogger(__name__)

EVERY_SECONDS = 3600
PAUSES = 24
"""sweeps that are left out after the clock was set"""
KEPT = timedelta(days=1)


async def sweep_periodically(app: FastAPI) -> None:
    """Sweep until cancelled. A failed sweep is logged and retried by the next one.

    When the clock was set, nothing is removed for a day: a date in the future makes everything look old.
    """
    state = app.state
    watch, pauses = ClockWatch(state.clock), 0
    while True:
        set_by = watch.set_by()
        if abs(set_by) > EVERY_SECONDS:
            logger.warning("The clock was set by %.0f seconds; nothing is removed for a day", set_by)
            pauses = PAUSES
        if pauses:
            pauses -= 1
            await anyio.sleep(EVERY_SECONDS)
            continue
        try:
            await anyio.to_thread.run_sync(state.tokens_used.store, state.database)
            await anyio.to_thread.run_sync(state.stored_total.measure, state.database, state.clock())
            if not state.database.is_leader:
                await anyio.sleep(EVERY_SECONDS)
                continue
            removed = await anyio.to_thread.run_sync(sweep, state.database, state.store, state.clock())
            if removed:
                logger.info("Removed %d uploads that were never completed", removed)
            await anyio.to_thread.run_sync(forget_old, state.database, state.clock())
            await collect_garbage(state.database, state.store, state.clock())
            await remove_leftovers(state.database, state.store, state.clock())
            if await anyio.to_thread.run_sync(expire, state.database, state.store, state.settings, state.clock()):
                await anyio.to_thread.run_sync(state.stored_total.measure, state.database, state.clock())
        except (ObservatoryError, OSError) as error:
            state.metrics.sweeps_failed.inc()
            logger.warning("Old files could not be removed: %s", error)
        await anyio.sleep(EVERY_SECONDS)


def expire(database: Database, store: Store, settings: Settings, now: datetime) -> bool:
    """Remove files of episodes that are older than they are kept; hosted games with the logs of their programs.

    Return whether this changed the recorded sizes of episodes.
    """
    measured = measure_artifacts(database, store)
    logs = expire_logs(database, store, now=now, days=settings.keep_logs_days)
    replays = expire_replays(database, store, now=now, days=settings.keep_replays_days)
    hosted = expire_hosted(database, now=now, days=settings.keep_logs_days)
    notices = expire_notices(database, now=now, days=settings.keep_notices_days)
    if logs or replays or hosted or notices:
        message = "Removed %d old logs, the replays of %d episodes, %d hosted games, %d notices"
        logger.info(message, logs, replays, hosted, notices)
    return bool(measured or logs or replays)


def sweep(database: Database, store: Store, now: datetime) -> int:
    """Delete uploads and secrets that no version took within a day, and expired sessions; how many uploads."""
    old = (Upload.completed_at.is_(None), Upload.created_at < now - KEPT)
    with database.read() as session:
        uploads = list(session.scalars(select(Upload).where(*old)))
    for upload in uploads:
        store.delete(upload.key)
        store.delete(bundle_key(upload.id))  # where a completion that was cut off has left it
    if uploads:
        with database.transaction() as session:
            for upload in session.scalars(select(Upload).where(Upload.id.in_([upload.id for upload in uploads]), *old)):
                session.delete(upload)
    with database.read() as session:
        has_old_secrets = session.scalar(select(SecretEnv.id).where(SecretEnv.created_at < now - KEPT).limit(1))
    if has_old_secrets is not None:
        with database.transaction() as session:
            session.execute(delete(SecretEnv).where(SecretEnv.created_at < now - KEPT))
    with database.read() as session:
        has_expired = accounts.has_expired_sessions(session, now)
    if has_expired:
        with database.transaction() as session:
            accounts.delete_expired_sessions(session, now)
    if not database.is_sqlite:
        with database.transaction() as session:
            forget_stopped(session)
    if isinstance(store, FolderStore):
        store.sweep()
    return len(uploads)

"""Files of an episode: their owner, their size, and their expiry.

The files of an episode belong to the user who requested it and count against that user's quota. The files of a match
belong to its season, which sets how long replays are kept. Results are never removed.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.database.tables.episodes import Episode
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match
from observatory.database.tables.seasons import Pool, Season
from observatory.job_states import TERMINAL
from observatory.jobs.files import SERVER_FILES, output_files, replay_files
from observatory.jobs.service import Ending
from observatory.quotas import stored_bytes
from observatory.settings import Settings
from observatory.store import Store, job_key

__all__ = ["artifact_sizes", "expire_replays", "measure_artifacts", "store_artifacts"]

_AT_ONCE = 200


def artifact_sizes(store: Store, job: Job) -> dict[str, int]:
    """Bytes of each file, without the logs of policies, which count as their owners'."""
    names = [*(file.name for file in output_files(job) if not file.is_log), *SERVER_FILES]
    sizes = {name: store.size(job_key(job.id, name)) for name in names}
    return {name: size for name, size in sizes.items() if size is not None}


def store_artifacts(
    session: Session, job: Job, ending: Ending, *, store: Store, settings: Settings, now: datetime
) -> Ending:
    """Return the ending with the files that are kept: without a replay where its owner has no quota left for it."""
    if job.user_id is None:
        return ending
    room = settings.max_stored_bytes_per_user - stored_bytes(session, job.user_id)
    replays = replay_files(job)
    if sum(ending.sizes.values()) <= room or not ending.sizes.keys() & set(replays):
        return ending
    for name in replays:
        store.delete(job_key(job.id, name))
    job.replay_removed_at = now
    return replace(ending, sizes={name: size for name, size in ending.sizes.items() if name not in replays})


def expire_replays(database: Database, store: Store, *, now: datetime, days: float) -> int:
    """Remove replays and recorded actions of jobs that ended longer ago than they are kept; how many jobs.

    That is `days`, or what the season of the match says.
    """
    with database.read() as session:
        kept_days = {
            season_id: _days(config) for season_id, config in session.execute(select(Season.id, Season.config))
        }
    season_days = {season_id: own_days for season_id, own_days in kept_days.items() if own_days is not None}
    in_season = select(Match.job_id).join(Pool, Pool.id == Match.pool_id).where(Match.job_id.is_not(None))
    others = Job.id.not_in(in_season.where(Pool.season_id.in_(season_days)))
    removed = _expire(database, store, others, now - timedelta(days=days), now)
    for season_id, own_days in season_days.items():
        inside = Job.id.in_(in_season.where(Pool.season_id == season_id))
        removed += _expire(database, store, inside, now - timedelta(days=own_days), now)
    return removed


def _days(config: dict[str, object]) -> float | None:
    rolling = config.get("rolling")
    days = rolling.get("keep_replays_days") if isinstance(rolling, dict) else None
    return float(days) if isinstance(days, int | float) else None


def _expire(database: Database, store: Store, condition: ColumnElement[bool], end: datetime, now: datetime) -> int:
    old = select(Job).where(Job.completed_at <= end, Job.replay_removed_at.is_(None), condition)
    removed = 0
    while True:
        with database.read() as session:
            jobs = _loaded(session.scalars(old.order_by(Job.completed_at, Job.id).limit(_AT_ONCE)))
        for job in jobs:
            for name in replay_files(job):
                store.delete(job_key(job.id, name))
            for key in store.keys(f"jobs/{job.id}/"):
                if "/attempt-" in key:
                    store.delete(key)  # of a lease that was lost
        sizes = {job.id: sum(artifact_sizes(store, job).values()) for job in jobs}
        if jobs:
            with database.transaction() as session:
                _mark_removed(session, sizes, now)
        removed += len(jobs)
        if len(jobs) < _AT_ONCE:
            return removed


def _loaded(jobs: Iterable[Job]) -> list[Job]:
    """Return jobs with their environments, which name the game, for use after the session has ended."""
    rows = list(jobs)
    for job in rows:
        _ = job.env_config
    return rows


def _mark_removed(session: Session, sizes: dict[uuid.UUID, int], now: datetime) -> None:
    for job in session.scalars(select(Job).where(Job.id.in_(sizes))):
        job.replay_removed_at, job.artifact_bytes = now, sizes[job.id]
    for episode in session.scalars(select(Episode).where(Episode.job_id.in_(sizes))):
        episode.replay_key = None


def measure_artifacts(database: Database, store: Store) -> int:
    """Measure the files of jobs that ended before sizes were recorded; how many jobs."""
    unknown = select(Job).where(Job.status.in_(TERMINAL), Job.artifact_bytes.is_(None)).limit(_AT_ONCE)
    measured = 0
    while True:
        with database.read() as session:
            jobs = _loaded(session.scalars(unknown))
        sizes = {job.id: sum(artifact_sizes(store, job).values()) for job in jobs}
        if jobs:
            with database.transaction() as session:
                for job in session.scalars(select(Job).where(Job.id.in_(sizes))):
                    job.artifact_bytes = sizes[job.id]
        measured += len(jobs)
        if len(jobs) < _AT_ONCE:
            return measured

"""Queries for operators, who may see everything."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, contains_eager, selectinload

from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match, MatchPlayer, MatchStatus
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.job_states import IN_WORK, JobStatus
from observatory.paging import Page

__all__ = ["failures", "jobs", "jobs_in_work", "matches_of_jobs"]


def jobs(session: Session, status: JobStatus | None, page: Page) -> Sequence[Job]:
    """Return a page of jobs, newest first."""
    statement = select(Job).options(selectinload(Job.faults)).order_by(Job.id.desc())
    if status is not None:
        statement = statement.where(Job.status == status)
    return session.scalars(statement.limit(page.limit).offset(page.offset)).all()


def jobs_in_work(session: Session) -> Sequence[Job]:
    return session.scalars(select(Job).where(Job.status.in_(IN_WORK)).order_by(Job.dispatched_at, Job.id)).all()


def matches_of_jobs(session: Session, job_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Match]:
    statement = select(Match).join(Match.pool).where(Match.job_id.in_(job_ids))
    matches = session.scalars(statement.options(contains_eager(Match.pool).joinedload(Pool.season)))
    return {match.job_id: match for match in matches if match.job_id is not None}


def failures(session: Session, page: Page) -> Sequence[Match]:
    """Return failed matches, latest first, without those that had not started when their season ended."""
    players = selectinload(Match.players).joinedload(MatchPlayer.pool_player)
    statement = (
        select(Match)
        .join(Match.pool)
        .join(Pool.season)
        .outerjoin(Match.job)
        .where(Match.status == MatchStatus.FAILED)
        .where(or_(Season.completed_at.is_(None), Job.dispatched_at.is_not(None)))
        .options(
            contains_eager(Match.pool).contains_eager(Pool.season),
            contains_eager(Match.job).load_only(Job.runtime),
            players.joinedload(PoolPlayer.policy_version).joinedload(PolicyVersion.policy),
        )
        .order_by(Match.completed_order.desc())
    )
    return session.scalars(statement.limit(page.limit).offset(page.offset)).all()

"""Queries for friendly matches, and who may see one: everyone once it is to be played, before that the two users."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Select, func, or_, select, true
from sqlalchemy.orm import Session, joinedload

from observatory.accounts.principal import Principal
from observatory.database.tables.friendlies import OPEN_FRIENDLY, Friendly, FriendlyStatus
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.errors import NotFound

__all__ = [
    "asked_since",
    "friendly",
    "friendly_of_job",
    "of_user",
    "of_version",
    "open_count",
    "visible",
    "with_all",
]

_PLAYED = (FriendlyStatus.WAITING, FriendlyStatus.RUNNING, FriendlyStatus.COMPLETED, FriendlyStatus.FAILED)


def visible(principal: Principal | None) -> ColumnElement[bool]:
    """Select the friendly matches that a caller may see."""
    is_played = Friendly.status.in_(_PLAYED)
    if principal is None:
        return is_played
    if principal.is_admin:
        return true()
    return or_(is_played, Friendly.challenger_id == principal.user_id, Friendly.opponent_id == principal.user_id)


def with_all() -> Select[Friendly]:
    """Return the query for friendly matches with all that responses show of them."""
    policy = joinedload(PolicyVersion.policy).joinedload(Policy.user)
    return select(Friendly).options(
        joinedload(Friendly.version).options(policy), joinedload(Friendly.opponent_version).options(policy)
    )


def friendly(session: Session, friendly_id: uuid.UUID, principal: Principal | None) -> Friendly:
    row = session.scalar(with_all().where(Friendly.id == friendly_id, visible(principal)))
    if row is None:
        raise NotFound(f"There is no friendly match {friendly_id}")
    return row


def friendly_of_job(session: Session, job_id: uuid.UUID) -> Friendly | None:
    return session.scalar(with_all().where(Friendly.job_id == job_id))


def of_user(session: Session, user_id: str, limit: int) -> Sequence[Friendly]:
    """Return the challenges and friendly matches of a user, newest first."""
    own = or_(Friendly.challenger_id == user_id, Friendly.opponent_id == user_id)
    return session.scalars(
        with_all().where(own).order_by(Friendly.created_at.desc(), Friendly.id.desc()).limit(limit)
    ).all()


def of_version(session: Session, version_id: uuid.UUID, principal: Principal | None, limit: int) -> Sequence[Friendly]:
    """Return the friendly matches of a policy version that the caller may see, newest first."""
    plays = or_(Friendly.version_id == version_id, Friendly.opponent_version_id == version_id)
    statement = with_all().where(plays, visible(principal))
    return session.scalars(statement.order_by(Friendly.created_at.desc(), Friendly.id.desc()).limit(limit)).all()


def open_count(session: Session, user_id: str, *, now: datetime, answer_days: float) -> int:
    """Return how many challenges of a user are neither played, answered nor expired."""
    is_late = (Friendly.status == FriendlyStatus.ASKED) & (Friendly.created_at <= now - timedelta(days=answer_days))
    statement = select(func.count()).where(
        Friendly.challenger_id == user_id, Friendly.status.in_(OPEN_FRIENDLY), ~is_late
    )
    return session.scalar(statement) or 0


def asked_since(session: Session, user_id: str, moment: datetime) -> int:
    statement = select(func.count()).where(Friendly.challenger_id == user_id, Friendly.created_at > moment)
    return session.scalar(statement) or 0

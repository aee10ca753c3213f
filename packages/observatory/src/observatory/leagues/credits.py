"""Credits: what experience requests cost their user. Episodes run on the operator's workers, so they cost nothing."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from observatory.accounts.principal import Principal
from observatory.database.tables.requests import ExperienceRequest
from observatory.public_ids import public_id
from softmax.wire.leagues import CreditRequest, Credits, CreditStatus

__all__ = ["of_caller"]

CREDITS_PER_USD = 10.0
RECENT_REQUESTS = 20


def of_caller(session: Session, principal: Principal, *, now: datetime) -> Credits:
    """Return the caller's credits; those of one player for a player's token."""
    statement = select(ExperienceRequest).where(ExperienceRequest.user_id == principal.user_id)
    if principal.player_id is not None:
        statement = statement.where(ExperienceRequest.player_id == principal.player_id)
    order = (ExperienceRequest.created_at.desc(), ExperienceRequest.id.desc())
    rows = session.scalars(
        statement.options(joinedload(ExperienceRequest.coworld)).order_by(*order).limit(RECENT_REQUESTS)
    )
    status = CreditStatus(
        balance_credits=0.0,
        max_balance_credits=0.0,
        refill_credits=0.0,
        refill_cadence="daily",
        next_refill_at=now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1),
        credits_per_usd=CREDITS_PER_USD,
        spent_this_period_credits=0.0,
        enforced=False,
    )
    return Credits(status=status, recent_requests=[_request(row) for row in rows])


def _request(row: ExperienceRequest) -> CreditRequest:
    return CreditRequest(
        experience_request_id=public_id("xreq", row.id),
        coworld=row.coworld.name,
        episodes=row.episode_count,
        compute_cost_credits=0.0,
        last_activity_at=row.completed_at or row.started_at or row.created_at,
    )

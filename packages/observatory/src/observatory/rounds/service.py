"""What the owner of a league decides about rounds: start one now, grade champions, cancel a round."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.commissioners.conversation import abort_round
from observatory.commissioners.programs import CONTAINER
from observatory.database.tables.leagues import GradeRequest, League, Round, RoundStatus
from observatory.errors import Conflict, Unprocessable
from observatory.leagues import entries
from observatory.leagues.ladder_settings import SettingsDocument
from observatory.leagues.repository import ACTIVE_ROUND
from observatory.leagues.service import changed
from observatory.rounds.applying import close_round
from observatory.rounds.reading import PLATFORM

__all__ = ["cancel_round", "request_grades", "trigger_round"]


def trigger_round(session: Session, league: League, *, now: datetime) -> None:
    """Start the next round of every division as soon as it can start; the interval does not count this once.

    A commissioner that is a program is asked at once which rounds to play.
    """
    is_platform = league.commissioner_key == PLATFORM
    if is_platform and not SettingsDocument.model_validate(league.settings).ladder.enabled:
        raise Conflict(f"The ladder of league {league.name!r} is off; turn it on in its settings")
    if league.disabled_at is not None:
        raise Conflict(f"League {league.name!r} is closed")
    if league.rounds_paused_at is not None:
        raise Conflict(f"The rounds of league {league.name!r} are paused; resume them first")
    league.round_triggered_at = now
    changed(session, league)


def request_grades(
    session: Session,
    principal: Principal,
    league: League,
    *,
    idempotency_key: str,
    policy_version_ids: Sequence[uuid.UUID],
    now: datetime,
) -> GradeRequest:
    """Grade champions of a continuous league again; all of them if none is named. A repeated key changes nothing."""
    known = (GradeRequest.league_id == league.id, GradeRequest.user_id == principal.user_id)
    former = session.scalar(select(GradeRequest).where(*known, GradeRequest.idempotency_key == idempotency_key))
    if former is not None:
        return former
    ladder = SettingsDocument.model_validate(league.settings).ladder
    if not ladder.enabled or ladder.continuous is None or not ladder.continuous.enabled:
        raise Conflict(f"League {league.name!r} is not continuous; start a round with trigger-round")
    champions = [row.policy_version_id for row in entries.live_memberships(session, league.id) if row.is_champion]
    wanted = list(dict.fromkeys(policy_version_ids)) or champions
    for version in wanted:
        if version not in champions:
            raise Unprocessable(f"The policy version {version} is not a champion of this league")
    versions = [str(version) for version in wanted]
    request = GradeRequest(
        league_id=league.id,
        user_id=principal.user_id,
        idempotency_key=idempotency_key,
        policy_version_ids=versions,
        waiting=versions,
        created_at=now,
    )
    session.add(request)
    changed(session, league)
    return request


def cancel_round(session: Session, round_: Round, reason: str, *, now: datetime) -> None:
    """Cancel a round that is being played; it changes no rating."""
    if round_.status not in ACTIVE_ROUND:
        raise Conflict(f"Round {round_.round_number} is {round_.status.value} already")
    if round_.commissioner_key == CONTAINER:
        abort_round(session, round_, reason, now=now)
        return
    if round_.commissioner_key != PLATFORM or round_.plan is None:
        raise Conflict("The commissioner of this league decides about its rounds")
    close_round(session, round_, RoundStatus.CANCELLED, reason, now=now)

"""What owners of leagues see of their commissioners."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.commissioners.programs import program_of
from observatory.commissioners.schemas import CommissionerConversation, CommissionerMessageRow, CommissionerStatus
from observatory.cursors import CursorPage, Slice
from observatory.database.tables.commissioners import CommissionerMessage, CommissionerRun, LeagueCommissioner
from observatory.database.tables.leagues import League
from observatory.errors import Conflict
from observatory.public_ids import public_id

__all__ = ["message_row", "messages_of_round", "status_of"]

LAST_CONVERSATIONS = 20


def status_of(session: Session, league: League) -> CommissionerStatus:
    """Return which program runs a league, and what became of the last conversations with it."""
    progress = session.get(LeagueCommissioner, league.id)
    problem = None if progress is None else progress.problem
    coworld_id, runnable_id, image, is_migrated = None, None, None, False
    try:
        program = program_of(session, league)
    except Conflict as refusal:
        problem = refusal.message
    else:
        coworld_id, runnable_id, image = public_id("cow", program.coworld.id), program.runnable_id, program.image
        is_migrated = progress is not None and progress.version == program.version
    statement = select(CommissionerRun).where(CommissionerRun.league_id == league.id)
    order = (CommissionerRun.created_at.desc(), CommissionerRun.id.desc())
    runs = session.scalars(statement.order_by(*order).limit(LAST_CONVERSATIONS)).all()
    return CommissionerStatus(
        league_id=public_id("league", league.id),
        commissioner_key=league.commissioner_key,
        coworld_id=coworld_id,
        runnable_id=runnable_id,
        image=image,
        is_migrated=is_migrated,
        scheduled_at=None if progress is None else progress.scheduled_at,
        problem=problem,
        conversations=_conversations(runs),
    )


def _conversations(runs: Sequence[CommissionerRun]) -> list[CommissionerConversation]:
    return [
        CommissionerConversation(
            id=str(run.id),
            phase=run.phase,
            status=run.status,
            round_id=None if run.round_id is None else public_id("round", run.round_id),
            connections=run.connection,
            error=run.error,
            created_at=run.created_at,
            completed_at=run.completed_at,
        )
        for run in runs
    ]


def messages_of_round(session: Session, round_id: uuid.UUID, page: CursorPage) -> Slice[CommissionerMessage]:
    """Return a page of the messages about a round, newest first."""
    statement = select(CommissionerMessage).join(CommissionerRun, CommissionerRun.id == CommissionerMessage.run_id)
    statement = statement.where(CommissionerRun.round_id == round_id)
    return page.of(session, statement, CommissionerMessage.created_at, CommissionerMessage.id)


def message_row(message: CommissionerMessage) -> CommissionerMessageRow:
    return CommissionerMessageRow(
        id=str(message.id),
        connection=message.connection,
        number=message.number,
        from_commissioner=message.from_commissioner,
        message_type=message.message_type,
        content=message.content,
        created_at=message.created_at,
    )

"""Conversations with commissioners: their jobs, their messages, and how they end."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory import events
from observatory.commissioners.programs import Program
from observatory.database import new_id
from observatory.database.tables.commissioners import (
    CommissionerMessage,
    CommissionerPhase,
    CommissionerRun,
    CommissionerRunStatus,
    LeagueCommissioner,
)
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import League, Round
from observatory.events import Change, ChangeKind
from observatory.games.coworlds import COWORLD_ENGINE
from observatory.job_states import COMMISSIONER, TERMINAL, JobStatus
from observatory.jobs.schemas import ErrorInfo
from observatory.jobs.service import Ending, create_job, end, release

__all__ = [
    "ProtocolBroken",
    "active_runs",
    "end_run",
    "last_number",
    "messages",
    "progress_of",
    "requeue",
    "run_of_job",
    "send",
    "start_run",
    "store",
]

MAX_ERROR_CHARACTERS = 2000


class ProtocolBroken(Exception):
    """The commissioner said something that the protocol or the league does not allow."""


def start_run(
    session: Session,
    league: League,
    program: Program,
    phase: CommissionerPhase,
    *,
    now: datetime,
    round_: Round | None = None,
    idempotency_key: str | None = None,
    plan: dict[str, Any] | None = None,
) -> CommissionerRun:
    """Queue a conversation: a worker starts the program for it."""
    spec = {
        "game_engine": COWORLD_ENGINE,
        "kind": COMMISSIONER,
        "coworld_id": str(program.coworld.id),
        "role_id": program.runnable_id,
        "policy_uris": [],
        "assignments": [],
    }
    job = create_job(session, spec, now=now, user_id=league.user_id, job_type=COMMISSIONER)
    run = CommissionerRun(
        id=new_id(),
        league_id=league.id,
        round_id=None if round_ is None else round_.id,
        phase=phase,
        status=CommissionerRunStatus.RUNNING,
        coworld_id=program.coworld.id,
        runnable_id=program.runnable_id,
        version=program.version,
        idempotency_key=idempotency_key,
        plan=plan or {},
        job_id=job.id,
        connection=0,
        is_connected=False,
        failures=0,
        created_at=now,
    )
    run.league, run.round, run.job = league, round_, job
    session.add(run)
    session.flush()
    return run


def run_of_job(session: Session, job_id: uuid.UUID) -> CommissionerRun | None:
    return session.scalar(select(CommissionerRun).where(CommissionerRun.job_id == job_id))


def active_runs(session: Session, league_id: uuid.UUID) -> Sequence[CommissionerRun]:
    """Return the conversations of a league that have not ended."""
    active = (CommissionerRun.league_id == league_id, CommissionerRun.status == CommissionerRunStatus.RUNNING)
    return session.scalars(select(CommissionerRun).where(*active).order_by(CommissionerRun.created_at)).all()


def progress_of(session: Session, league: League) -> LeagueCommissioner:
    """Return how far a league has come with its commissioner."""
    row = session.get(LeagueCommissioner, league.id)
    if row is None:
        row = LeagueCommissioner(league_id=league.id, refused=[])
        session.add(row)
        session.flush()
    return row


def send(session: Session, run: CommissionerRun, message_type: str, content: dict[str, Any], *, now: datetime) -> None:
    """Store a message for the current connection; a worker fetches it."""
    number = last_number(session, run, from_commissioner=False) + 1
    _add(session, run, number, {**content, "type": message_type}, from_commissioner=False, now=now)


def store(session: Session, run: CommissionerRun, number: int, content: dict[str, Any], *, now: datetime) -> None:
    """Store a message that the commissioner sent on the current connection."""
    _add(session, run, number, content, from_commissioner=True, now=now)


def _add(
    session: Session,
    run: CommissionerRun,
    number: int,
    content: dict[str, Any],
    *,
    from_commissioner: bool,
    now: datetime,
) -> None:
    session.add(
        CommissionerMessage(
            run_id=run.id,
            connection=run.connection,
            from_commissioner=from_commissioner,
            number=number,
            message_type=str(content.get("type"))[:64],
            content=content,
            created_at=now,
        )
    )
    run.active_at = now
    session.flush()


def last_number(session: Session, run: CommissionerRun, *, from_commissioner: bool) -> int:
    """Return the number of the last message of a direction on the current connection."""
    message = CommissionerMessage
    same = (message.run_id == run.id, message.connection == run.connection)
    statement = select(func.max(message.number)).where(*same, message.from_commissioner == from_commissioner)
    return session.scalar(statement) or 0


def messages(session: Session, run: CommissionerRun, *, after: int) -> Sequence[CommissionerMessage]:
    """Return the messages to the commissioner on the current connection after a number."""
    message = CommissionerMessage
    same = (message.run_id == run.id, message.connection == run.connection, message.number > after)
    statement = select(message).where(*same, message.from_commissioner.is_(False)).order_by(message.number)
    return session.scalars(statement).all()


def end_run(
    session: Session, run: CommissionerRun, status: CommissionerRunStatus, *, now: datetime, error: str | None = None
) -> None:
    """End a conversation and its job."""
    run.status, run.completed_at = status, now
    run.error = None if error is None else error[:MAX_ERROR_CHARACTERS]
    progress = progress_of(session, run.league)
    if status is CommissionerRunStatus.FAILED:
        progress.problem, progress.failed_at = run.error, now
    elif status is CommissionerRunStatus.COMPLETED:
        progress.problem = progress.failed_at = None
    session.flush()
    job = session.get_one(Job, run.job_id)
    if status is CommissionerRunStatus.COMPLETED:
        end(session, job, Ending(JobStatus.COMPLETED), now=now)
    elif job.status not in TERMINAL:
        kind = "cancelled" if status is CommissionerRunStatus.CANCELLED else "role_failed"
        info = ErrorInfo(error_type=kind, message=run.error or "The round was cancelled")
        end(session, job, Ending(JobStatus.FAILED, error=info), now=now)
    events.note(session, Change(ChangeKind.LEAGUE, ids=frozenset({run.league_id})))


def requeue(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    """Let a worker start the program again."""
    run.is_connected = False
    release(session, session.get_one(Job, run.job_id), now=now)

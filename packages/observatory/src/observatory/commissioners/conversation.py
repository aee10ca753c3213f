"""Pass messages between the socket of a commissioner, which a worker holds, and the server.

Calls can be repeated: messages of a connection have numbers, and one that is known changes nothing. A connection ends
with its program; a new one starts with the opening message of the phase.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from observatory import events
from observatory.commissioners import episodes, migrating, playing, reviewing, runs, scheduling
from observatory.commissioners.programs import private_config, with_private_config
from observatory.commissioners.results import with_players
from observatory.commissioners.runs import ProtocolBroken
from observatory.database.tables.commissioners import CommissionerPhase, CommissionerRun, CommissionerRunStatus
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import Round
from observatory.documents import check_document
from observatory.errors import Conflict, NotFound, ObservatoryError
from observatory.events import Change, ChangeKind
from observatory.games.coworlds import coworlds
from observatory.job_states import JobStatus
from observatory.keys import Keys

__all__ = [
    "MAX_FAILURES",
    "MAX_MESSAGE_BYTES",
    "Outbox",
    "abort_round",
    "close",
    "connect",
    "fetch",
    "follow_job",
    "has_news",
    "held_run",
    "read_message",
    "receive",
]

logger = logging.getLogger(__name__)

MAX_MESSAGE_BYTES = 16 << 20
MAX_FAILURES = 3
"""programs of a conversation that may end before it does"""

_OPEN = {
    CommissionerPhase.MIGRATION: migrating.open_run,
    CommissionerPhase.SCHEDULING: scheduling.open_run,
    CommissionerPhase.ROUND: playing.open_run,
    CommissionerPhase.REVIEW: reviewing.open_run,
}


@dataclass(frozen=True)
class Outbox:
    """Messages for the commissioner with their numbers, and whether the conversation is over after them."""

    messages: Sequence[tuple[int, dict[str, Any]]]
    is_over: bool


def held_run(session: Session, job: Job) -> CommissionerRun:
    """Return the conversation of a job."""
    run = runs.run_of_job(session, job.id)
    if run is None:
        raise NotFound("This job runs no commissioner")
    return run


def connect(session: Session, run: CommissionerRun, *, keys: Keys, now: datetime) -> int | None:
    """Start a connection to a new program; return its number, or None if the conversation is over."""
    if run.status is not CommissionerRunStatus.RUNNING:
        return None
    try:
        private_config(session, keys, run.league, session.get_one(Coworld, run.coworld_id))
    except ObservatoryError as problem:
        _give_up(session, run, problem.message, now=now)
        return None
    run.connection += 1
    run.is_connected = True
    _OPEN[run.phase](session, run, now=now)
    return run.connection


def read_message(text: str, players: Mapping[str, str | None]) -> dict[str, Any]:
    """Return a message that a commissioner may send, in today's form; raise `ProtocolBroken`."""
    try:
        document = json.loads(text)
        if not isinstance(document, dict):
            raise ValueError("a message is a JSON object")
        return coworlds().commissioner_message(with_players(check_document(document), players))
    except (ValueError, RecursionError) as problem:
        raise ProtocolBroken(f"The commissioner sent something wrong: {problem}"[:1000]) from None


def receive(
    session: Session,
    run: CommissionerRun,
    connection: int,
    number: int,
    message: dict[str, Any] | ProtocolBroken,
    *,
    refused: Mapping[str, str],
    now: datetime,
) -> bool:
    """Store and handle a message; return whether the conversation is over. A message that is known changes nothing."""
    if run.status is not CommissionerRunStatus.RUNNING:
        return True
    _check_connection(run, connection)
    last = runs.last_number(session, run, from_commissioner=True)
    if number <= last:
        return False
    if number != last + 1:
        raise Conflict(f"Message {last + 1} is missing; {number} came instead")
    if isinstance(message, ProtocolBroken):
        _give_up(session, run, str(message), now=now)
        return True
    runs.store(session, run, number, message, now=now)
    job = session.get_one(Job, run.job_id)
    if job.lost_leases:  # this machine works: only losses without progress count
        job.lost_leases = 0
        events.note(session, Change(ChangeKind.QUEUE, ids=frozenset({job.id})))
    try:
        with session.begin_nested():
            _handle(session, run, message, refused, now=now)
    except ProtocolBroken as problem:
        session.refresh(run)
        _give_up(session, run, str(problem), now=now)
    except (DataError, IntegrityError, OverflowError):
        logger.exception("A message of a commissioner could not be applied")
        session.refresh(run)
        _give_up(session, run, f"The {message['type']} of the commissioner cannot be stored", now=now)
    return run.status is not CommissionerRunStatus.RUNNING


def _handle(
    session: Session, run: CommissionerRun, message: dict[str, Any], refused: Mapping[str, str], *, now: datetime
) -> None:
    match run.phase:
        case CommissionerPhase.MIGRATION:
            migrating.receive(session, run, message, now=now)
        case CommissionerPhase.SCHEDULING:
            scheduling.receive(session, run, message, now=now)
        case CommissionerPhase.ROUND:
            playing.receive(session, run, message, now=now, refused=refused)
        case CommissionerPhase.REVIEW:
            reviewing.receive(session, run, message, now=now)


def has_news(session: Session, run: CommissionerRun, connection: int, after: int, *, silent_since: datetime) -> bool:
    """Return whether `fetch` has something to do: a message, a new result, or an end."""
    if run.status is not CommissionerRunStatus.RUNNING or run.connection != connection:
        return True
    if runs.last_number(session, run, from_commissioner=False) > after:
        return True
    if run.phase is CommissionerPhase.ROUND and episodes.unreported(session, run):
        return True
    return _is_silent(session, run, silent_since)


def fetch(
    session: Session,
    run: CommissionerRun,
    connection: int,
    after: int,
    *,
    keys: Keys,
    now: datetime,
    lifetime_seconds: float,
) -> Outbox:
    """Return the messages after a number. A commissioner that has been silent for its lifetime is given up."""
    _check_connection(run, connection)
    if run.status is CommissionerRunStatus.RUNNING:
        if run.phase is CommissionerPhase.ROUND:
            playing.report_ended(session, run, now=now)
        if _is_silent(session, run, now - timedelta(seconds=lifetime_seconds)):
            close(session, run, connection, f"it has sent nothing for {lifetime_seconds:g} seconds", now=now)
            return Outbox([], is_over=True)
    private = private_config(session, keys, run.league, session.get_one(Coworld, run.coworld_id))
    messages = [
        (row.number, with_private_config(row.content, private)) for row in runs.messages(session, run, after=after)
    ]
    return Outbox(messages, is_over=run.status is not CommissionerRunStatus.RUNNING)


def _is_silent(session: Session, run: CommissionerRun, since: datetime) -> bool:
    if run.active_at is None or run.active_at > since:
        return False
    return run.phase is not CommissionerPhase.ROUND or not episodes.has_open_episodes(session, run)


def close(
    session: Session,
    run: CommissionerRun,
    connection: int | None,
    reason: str,
    *,
    now: datetime,
    is_refusal: bool = False,
) -> None:
    """A program ended before the conversation did; another one continues it, a few times.

    `connection` is None for a program that never answered. `is_refusal` says that it closed the socket because it does
    not know the message; some questions may stay without an answer.
    """
    if run.status is not CommissionerRunStatus.RUNNING or connection not in (None, run.connection):
        return
    run.failures += 1
    is_unanswered = connection is not None and not run.plan
    if run.phase is CommissionerPhase.MIGRATION and is_unanswered and (is_refusal or run.failures >= MAX_FAILURES):
        # Programs without migrations refuse the question, or break over it: a template of theirs raises an error.
        migrating.keep_divisions(session, run, now=now)
    elif run.phase is CommissionerPhase.SCHEDULING and is_refusal:
        scheduling.refuse(session, run, now=now)
    elif run.phase is CommissionerPhase.REVIEW and connection is not None:
        if is_refusal:
            reviewing.refuse_question(session, run)
        if reviewing.skip_question(session, run, now=now):
            runs.requeue(session, run, now=now)
    elif run.failures >= MAX_FAILURES:
        _give_up(session, run, f"The commissioner ended {run.failures} times before it was done: {reason}", now=now)
    else:
        runs.requeue(session, run, now=now)


def abort_round(session: Session, round_: Round, reason: str, *, now: datetime) -> None:
    """Cancel a round that a commissioner runs."""
    run = next((run for run in runs.active_runs(session, round_.division.league_id) if run.round_id == round_.id), None)
    if run is None or run.phase is not CommissionerPhase.ROUND:
        raise Conflict(f"Round {round_.round_number} is {round_.status.value}, so it cannot be cancelled")
    playing.abort(session, run, reason, now=now)


def follow_job(session: Session, job: Job, *, now: datetime) -> None:
    """Note that the job of a conversation went back to the queue, or failed on its machines."""
    run = runs.run_of_job(session, job.id)
    if run is None or run.status is not CommissionerRunStatus.RUNNING:
        return
    if job.status is JobStatus.PENDING:
        run.is_connected = False
    elif job.status in (JobStatus.FAILED, JobStatus.COMPLETED):
        _give_up(session, run, job.error or "An operator ended the job of the commissioner", now=now)


def _give_up(session: Session, run: CommissionerRun, error: str, *, now: datetime) -> None:
    """End a conversation without a result: its round fails, other phases are tried again later."""
    if run.phase is CommissionerPhase.ROUND:
        playing.fail_round(session, run, error, now=now)
    else:
        runs.end_run(session, run, CommissionerRunStatus.FAILED, error=error, now=now)


def _check_connection(run: CommissionerRun, connection: int) -> None:
    if run.connection != connection:
        raise Conflict(f"Connection {connection} is over; the current one is {run.connection}")

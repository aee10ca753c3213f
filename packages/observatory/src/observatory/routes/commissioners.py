"""Container commissioners: the messages that workers pass on, and what owners of leagues see and do."""

from __future__ import annotations

import functools
import json
import time
import uuid
from datetime import timedelta
from typing import Annotated

import anyio.to_thread
from fastapi import Depends, Path, Request, Response
from sqlalchemy.orm import Session

from observatory.clock import Clock, Now
from observatory.commissioners import conversation, episodes, reading
from observatory.commissioners.runs import ProtocolBroken
from observatory.commissioners.schemas import (
    CommissionerMessageRow,
    CommissionerStatus,
    Connected,
    ConnectionClosed,
    Fetched,
    FetchRequest,
    MessageReceived,
    MessageTaken,
)
from observatory.coworlds.inspection import inspect_config, inspectors
from observatory.cursors import CursorPage, cursor_page, set_next_cursor
from observatory.database import DatabaseDep, SessionDep
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.events import ChangeKind
from observatory.http.callers import CurrentUser, RequestToken
from observatory.http.deps import KeysDep, SettingsDep
from observatory.http.routing import Router, body_rule
from observatory.jobs import service as jobs
from observatory.leagues import repository
from observatory.public_ids import parse_public_id
from observatory.routes.jobs import job_holder
from observatory.settings import MEGABYTE

__all__ = ["router"]

router = Router()
work = Router(prefix="/work/jobs/{job_id}/commissioner", tags=["work"])
owners = Router(prefix="/v2", tags=["commissioners"])

_BODY_BYTES = 2 * conversation.MAX_MESSAGE_BYTES + MEGABYTE
"""a message may grow when it is quoted"""
_HELD = (Forbidden, NotFound, Conflict)
_OWNED = (Unauthorized, Forbidden, NotFound)
_Id = Annotated[str, Path(max_length=200)]


@work.post("/connect", responses=errors(*_HELD))
def connect(job_id: uuid.UUID, token: RequestToken, session: SessionDep, keys: KeysDep, now: Now) -> Connected:
    """Say that a program of the commissioner listens; the first messages for it can be fetched then."""
    run = conversation.held_run(session, jobs.held_job(session, job_id, token))
    return Connected(connection=conversation.connect(session, run, keys=keys, now=now))


@work.post("/messages", responses=errors(*_HELD))
@body_rule(_BODY_BYTES, caller=job_holder)
async def receive_message(
    job_id: uuid.UUID, body: MessageReceived, token: RequestToken, database: DatabaseDep, now: Now
) -> MessageTaken:
    """Take a message of the commissioner. The same message again changes nothing."""

    def players(session: Session) -> dict[str, str | None]:
        run = conversation.held_run(session, jobs.held_job(session, job_id, token))
        return dict(run.plan.get("players", {}))

    message = await anyio.to_thread.run_sync(_read, body.text, await database.query(players))
    refused: dict[str, str] = {}
    if isinstance(message, dict):

        def changed(session: Session) -> list[episodes.ChangedConfig]:
            run = conversation.held_run(session, jobs.held_job(session, job_id, token))
            return episodes.changed_configs(session, run, message)

        refused = await _refused(await database.query(changed))

    def receive(session: Session) -> bool:
        run = conversation.held_run(session, jobs.held_job(session, job_id, token))
        return conversation.receive(session, run, body.connection, body.number, message, refused=refused, now=now)

    return MessageTaken(is_over=await database.write(receive))


def _read(text: str, players: dict[str, str | None]) -> dict[str, object] | ProtocolBroken:
    try:
        return conversation.read_message(text, players)
    except ProtocolBroken as problem:
        return problem


async def _refused(changed: list[episodes.ChangedConfig]) -> dict[str, str]:
    """Apply the game's schema to configurations, in a sandbox; equal ones are checked once."""
    problems: dict[str, str | None] = {}
    refused = {}
    for episode in changed:
        key = json.dumps([episode.config, episode.seats], sort_keys=True)
        if key not in problems:
            check = functools.partial(inspect_config, episode.schema, episode.config, episode.seats)
            problems[key] = await anyio.to_thread.run_sync(check, limiter=inspectors)
        if (problem := problems[key]) is not None:
            refused[episode.request_id] = problem
    return refused


@work.post("/next", responses=errors(*_HELD))
@body_rule(caller=job_holder)
async def fetch_messages(
    job_id: uuid.UUID,
    body: FetchRequest,
    token: RequestToken,
    request: Request,
    database: DatabaseDep,
    settings: SettingsDep,
    keys: KeysDep,
) -> Fetched:
    """Return the messages for the commissioner after a number; wait for one if there is none."""
    clock: Clock = request.app.state.clock
    lifetime = settings.commissioner_lifetime_seconds
    kinds = (ChangeKind.QUEUE, ChangeKind.REQUEST, ChangeKind.ROUND)
    deadline = time.monotonic() + body.wait_seconds

    def has_news(session: Session) -> bool:
        run = conversation.held_run(session, jobs.held_job(session, job_id, token))
        since = clock() - timedelta(seconds=lifetime)
        return conversation.has_news(session, run, body.connection, body.after, silent_since=since)

    def fetch(session: Session) -> conversation.Outbox:
        run = conversation.held_run(session, jobs.held_job(session, job_id, token))
        return conversation.fetch(
            session, run, body.connection, body.after, keys=keys, now=clock(), lifetime_seconds=lifetime
        )

    with database.changes.subscribe_async() as changes:
        while True:
            versions = database.changes.versions(kinds)
            if await database.query(has_news):
                outbox = await database.write(fetch)
                texts = [json.dumps(message) for _, message in outbox.messages]
                return Fetched(messages=texts, is_over=outbox.is_over)
            await changes.wait_for(kinds, versions, deadline)
            if request.app.state.stopping or time.monotonic() >= deadline:
                return Fetched(messages=[], is_over=False)


@work.post("/closed", responses=errors(*_HELD))
@body_rule(caller=job_holder)
def close_connection(
    job_id: uuid.UUID, body: ConnectionClosed, token: RequestToken, session: SessionDep, now: Now
) -> MessageTaken:
    """Say that the program ended before the conversation was over. The job goes back to the queue, or fails."""
    run = conversation.held_run(session, jobs.held_job(session, job_id, token))
    conversation.close(session, run, body.connection, body.reason, now=now, is_refusal=body.is_refusal)
    return MessageTaken(is_over=True)


@owners.get("/leagues/{league_id}/commissioner", responses=errors(*_OWNED))
def read_commissioner(league_id: _Id, session: SessionDep, user: CurrentUser) -> CommissionerStatus:
    """Return which program runs a league, and the last conversations with it; for the owner of the league."""
    return reading.status_of(session, repository.managed_league(session, parse_public_id("league", league_id), user))


@owners.get("/rounds/{round_id}/commissioner-messages", responses=errors(*_OWNED))
def list_commissioner_messages(
    round_id: _Id,
    session: SessionDep,
    user: CurrentUser,
    response: Response,
    page: Annotated[CursorPage, Depends(cursor_page(50))],
) -> list[CommissionerMessageRow]:
    """Return the messages from and to the commissioner about a round, newest first; for the owner of the league."""
    round_ = repository.round_(session, parse_public_id("round", round_id), user)
    repository.managed_league(session, round_.division.league_id, user)
    found = reading.messages_of_round(session, round_.id, page)
    set_next_cursor(response, found.next_cursor)
    return [reading.message_row(row) for row in found.rows]


router.include_router(work)
router.include_router(owners)

"""Experience requests over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query
from sqlalchemy.orm import Session

from observatory.clock import Now
from observatory.cursors import CursorPage, cursor_page
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.database.tables.requests import ExperienceRequest
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.experience import repository, service
from observatory.experience.repository import EpisodeFilter
from observatory.experience.schemas import MAX_EPISODES, ExperienceCreate
from observatory.experience.wire import RequestWire
from observatory.http.bodies import KILOBYTE
from observatory.http.callers import CurrentPrincipal, Principal, Writer
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router, body_rule
from softmax.wire.requests import (
    EpisodeRequestPage,
    EpisodeRequestRow,
    ExperienceRequestDetail,
    ExperienceRequestPage,
)

__all__ = ["router"]

router = Router(prefix="/v2/experience-requests", tags=["requests"])

RequestPage = Annotated[CursorPage, Depends(cursor_page(50, max_limit=1000))]
EpisodePage = Annotated[CursorPage, Depends(cursor_page(50, max_limit=200))]


@router.post("", responses=errors(Unauthorized, Forbidden, BadRequest))
@own_transactions
@body_rule(256 * KILOBYTE)
async def create_experience_request(
    body: ExperienceCreate, principal: Writer, database: DatabaseDep, store: StoreDep, settings: SettingsDep, now: Now
) -> ExperienceRequestDetail:
    """Ask for episodes of a Coworld; all of them are queued, or none."""
    await service.check_config(database, principal, body)

    def create(session: Session) -> ExperienceRequestDetail:
        request = service.create(session, principal, body, settings=settings, now=now)
        return _detail(session, request, principal, RequestWire(store, settings))

    return await database.write(create)


@router.get("", responses=errors(Unauthorized))
def list_experience_requests(
    principal: CurrentPrincipal,
    session: SessionDep,
    page: RequestPage,
    store: StoreDep,
    settings: SettingsDep,
    mine: Annotated[bool, Query()] = False,
) -> ExperienceRequestPage:
    """Return your requests, newest first; administrators get those of all users unless they want their own."""
    rows, total = repository.experience_requests(session, principal, page, mine=mine)
    counts = repository.episode_counts(session, [row.id for row in rows.rows])
    wire = RequestWire(store, settings)
    return ExperienceRequestPage(
        entries=[wire.request(row, counts[row.id]) for row in rows.rows],
        next_cursor=rows.next_cursor,
        total_count=total,
        limit=page.limit,
        offset=page.offset,
    )


@router.get("/{request_id}", responses=errors(Unauthorized, NotFound))
def read_experience_request(
    request_id: str, principal: CurrentPrincipal, session: SessionDep, store: StoreDep, settings: SettingsDep
) -> ExperienceRequestDetail:
    """Return one request, with its episodes and what was asked for."""
    request = repository.experience_request(session, request_id, principal)
    return _detail(session, request, principal, RequestWire(store, settings))


@router.get("/{request_id}/episodes", responses=errors(Unauthorized, NotFound))
def list_request_episodes(
    request_id: str, principal: CurrentPrincipal, session: SessionDep, store: StoreDep, settings: SettingsDep
) -> list[EpisodeRequestRow]:
    """Return the episodes of a request, in their order."""
    request = repository.experience_request(session, request_id, principal)
    return _episodes(session, request, RequestWire(store, settings))


@router.get("/{request_id}/episode-requests", responses=errors(Unauthorized, NotFound))
def list_request_summaries(
    request_id: str,
    principal: CurrentPrincipal,
    session: SessionDep,
    page: EpisodePage,
    store: StoreDep,
    settings: SettingsDep,
) -> EpisodeRequestPage:
    """Return the episodes of a request in short, newest first."""
    request = repository.experience_request(session, request_id, principal)
    filters = EpisodeFilter(experience_request_id=request.id)
    rows = repository.episodes(session, filters, principal, page)
    wire = RequestWire(store, settings)
    return EpisodeRequestPage(entries=[wire.summary(row) for row in rows.rows], next_cursor=rows.next_cursor)


@router.post("/{request_id}/cancel", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
def cancel_experience_request(
    request_id: str, principal: Writer, session: SessionDep, store: StoreDep, settings: SettingsDep, now: Now
) -> ExperienceRequestDetail:
    """Cancel the episodes of a request that have not begun; 409 if all of them have ended."""
    request = repository.experience_request(session, request_id, principal)
    service.cancel(session, request, now=now)
    return _detail(session, request, principal, RequestWire(store, settings))


def _detail(
    session: Session, request: ExperienceRequest, principal: Principal, wire: RequestWire
) -> ExperienceRequestDetail:
    counts = repository.episode_counts(session, [request.id])[request.id]
    row = wire.request(request, counts)
    return ExperienceRequestDetail(
        **row.model_dump(), episodes=_episodes(session, request, wire), requested=request.requested
    )


def _episodes(session: Session, request: ExperienceRequest, wire: RequestWire) -> list[EpisodeRequestRow]:
    rows = repository.rows_in_order(session, [request.id], offset=0, limit=MAX_EPISODES)
    return [wire.row(row) for row in rows]

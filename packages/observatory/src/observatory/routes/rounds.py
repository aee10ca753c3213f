"""Rounds of divisions, and the one pool of each for clients of the first generation."""

from __future__ import annotations

import uuid
from typing import Annotated

from fastapi import Depends, Path, Query

from observatory.clock import Now
from observatory.cursors import CursorPage, cursor_page
from observatory.database import SessionDep
from observatory.database.tables.leagues import RoundStatus
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, Unprocessable, errors
from observatory.events import ChangeKind
from observatory.http.cached import cached
from observatory.http.callers import CurrentUser, OptionalPrincipal
from observatory.http.deps import SettingsDep
from observatory.http.routing import Router
from observatory.leagues import entries, repository
from observatory.leagues.repository import RoundFilter
from observatory.leagues.schemas import Cancellation
from observatory.leagues.wire import Converter
from observatory.public_ids import Prefix, parse_public_id
from observatory.rounds import service
from softmax.wire.leagues import CompetitionPool, CompetitionPoolDetail, CompetitionRoundDetail, CompetitionRoundPage

__all__ = ["router"]

router = Router(prefix="/v2", tags=["rounds"])

_Filter = Annotated[str | None, Query(max_length=200)]
_Id = Annotated[str, Path(max_length=200)]
_ROUNDS = (
    ChangeKind.LEAGUE,
    ChangeKind.LEAGUE_ENTRY,
    ChangeKind.COWORLD,
    ChangeKind.ROUND,
    ChangeKind.POLICY,
    ChangeKind.ACCOUNT,
)


@router.get("/rounds", responses=errors(Unauthorized))
@cached(*_ROUNDS, per_viewer=True)
def list_rounds(
    session: SessionDep,
    principal: OptionalPrincipal,
    settings: SettingsDep,
    page: Annotated[CursorPage, Depends(cursor_page(25))],
    league_id: _Filter = None,
    division_id: _Filter = None,
    status: RoundStatus | None = None,
) -> CompetitionRoundPage:
    """Return rounds that the caller may see, newest first."""
    filters = RoundFilter(_parse("league", league_id), _parse("div", division_id), status)
    rounds, total = repository.rounds(session, filters, page, principal)
    converter = Converter(session, settings.base_url(), principal)
    return CompetitionRoundPage(
        entries=[converter.round(row) for row in rounds.rows],
        next_cursor=rounds.next_cursor,
        total_count=total,
        limit=page.limit,
        offset=page.offset,
    )


@router.get("/rounds/{round_id}", responses=errors(Unauthorized, NotFound))
@cached(*_ROUNDS, per_viewer=True)
def read_round(
    round_id: _Id, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep
) -> CompetitionRoundDetail:
    """Return one round with its results."""
    row = repository.round_(session, parse_public_id("round", round_id), principal)
    return Converter(session, settings.base_url(), principal).round_detail(row)


@router.post("/rounds/{round_id}/cancel", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
def cancel_round(
    round_id: _Id,
    session: SessionDep,
    user: CurrentUser,
    settings: SettingsDep,
    now: Now,
    body: Cancellation | None = None,
) -> CompetitionRoundDetail:
    """Cancel a round that is being played; it changes no rating."""
    row = repository.round_(session, parse_public_id("round", round_id), user)
    repository.managed_league(session, row.division.league_id, user)
    reason = body.reason if body is not None else None
    service.cancel_round(session, row, reason or "Cancelled by the owner of the league", now=now)
    return Converter(session, settings.base_url(), user).round_detail(row)


@router.get("/pools", responses=errors(Unauthorized))
@cached(*_ROUNDS, per_viewer=True)
def list_pools(
    session: SessionDep,
    principal: OptionalPrincipal,
    settings: SettingsDep,
    page: Annotated[CursorPage, Depends(cursor_page(25))],
    round_id: _Filter = None,
) -> list[CompetitionPool]:
    """Return the pools of rounds, newest first; each round has one."""
    converter = Converter(session, settings.base_url(), principal)
    if round_id is not None:
        row_id = parse_public_id("round", round_id, error=Unprocessable)
        try:
            rows = [repository.round_(session, row_id, principal)][page.offset : page.offset + page.limit]
        except NotFound:
            rows = []
    else:
        rows = repository.rounds(session, RoundFilter(), page, principal)[0].rows
    return [converter.pool(row) for row in rows]


@router.get("/pools/{pool_id}", responses=errors(Unauthorized, NotFound))
@cached(*_ROUNDS, per_viewer=True)
def read_pool(
    pool_id: _Id, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep
) -> CompetitionPoolDetail:
    """Return the pool of a round with its entrants."""
    row = repository.round_(session, parse_public_id("pool", pool_id), principal)
    members = entries.memberships_of_versions(
        session, row.division.league_id, [result.policy_version_id for result in row.results]
    )
    return Converter(session, settings.base_url(), principal).pool_detail(row, members)


def _parse(prefix: Prefix, text: str | None) -> uuid.UUID | None:
    return None if text is None else parse_public_id(prefix, text, error=Unprocessable)

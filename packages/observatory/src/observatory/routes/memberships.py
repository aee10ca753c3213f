"""Submissions to leagues, memberships, champions and the feed of events."""

from __future__ import annotations

import uuid
from typing import Annotated

from fastapi import Depends, Path, Query, Response

from observatory.clock import Now
from observatory.cursors import CursorPage, cursor_page, set_next_cursor
from observatory.database import SessionDep
from observatory.database.tables.leagues import EventAudience, Membership
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized, Unprocessable, errors
from observatory.http.callers import CurrentPrincipal, OptionalPrincipal, Writer
from observatory.http.deps import SettingsDep
from observatory.http.routing import Router
from observatory.leagues import champions, disqualifying, entries, submissions
from observatory.leagues.entries import EntryFilter, EventFilter
from observatory.leagues.schemas import Decision, Retirement, SubmissionCreate
from observatory.leagues.wire import Converter
from observatory.public_ids import Prefix, parse_public_id, public_id
from softmax.wire.leagues import CompetitionEventRow, CompetitionMembership, CompetitionSubmission, PortfolioSeat

__all__ = ["router"]

router = Router(prefix="/v2", tags=["memberships"])

_Filter = Annotated[str | None, Query(max_length=200)]
_MembershipId = Annotated[str, Path(max_length=200, description="`lpm_...`")]
_LongPage = Annotated[CursorPage, Depends(cursor_page(200, max_limit=1000))]
_CHANGING = (Unauthorized, Forbidden, NotFound, Conflict)


@router.post("/league-submissions", responses=errors(BadRequest, *_CHANGING))
def submit_to_league(
    body: SubmissionCreate, session: SessionDep, principal: Writer, settings: SettingsDep, now: Now
) -> CompetitionSubmission:
    """Enter a policy version of the caller in a league. The response says whether it was placed or rejected."""
    league_id = parse_public_id("league", body.league_id, error=Unprocessable)
    submission = submissions.submit(session, principal, league_id, body, now=now)
    return Converter(session, settings.base_url(), principal).submission(submission)


@router.get("/league-submissions", responses=errors(Unauthorized))
def list_league_submissions(
    session: SessionDep,
    principal: OptionalPrincipal,
    settings: SettingsDep,
    page: _LongPage,
    response: Response,
    league_id: _Filter = None,
    player_id: _Filter = None,
    policy_version_id: uuid.UUID | None = None,
    mine: bool = False,
) -> list[CompetitionSubmission]:
    """Return submissions to leagues that the caller may see, newest first; `X-Next-Cursor` continues the list."""
    filters = EntryFilter(
        league_id=_parse("league", league_id), player_id=player_id, policy_version_id=policy_version_id, mine=mine
    )
    rows = entries.submissions(session, filters, page, principal)
    set_next_cursor(response, rows.next_cursor)
    converter = Converter(session, settings.base_url(), principal)
    return [converter.submission(row) for row in rows.rows]


@router.get("/league-policy-memberships", responses=errors(Unauthorized))
def list_league_memberships(
    session: SessionDep,
    principal: OptionalPrincipal,
    settings: SettingsDep,
    page: _LongPage,
    response: Response,
    league_id: _Filter = None,
    division_id: _Filter = None,
    player_id: _Filter = None,
    policy_version_id: uuid.UUID | None = None,
    active_only: bool = False,
    champions_only: bool = False,
    mine: bool = False,
) -> list[CompetitionMembership]:
    """Return memberships that the caller may see, newest first; `X-Next-Cursor` continues the list."""
    filters = EntryFilter(
        league_id=_parse("league", league_id),
        division_id=_parse("div", division_id),
        player_id=player_id,
        policy_version_id=policy_version_id,
        active_only=active_only,
        champions_only=champions_only,
        mine=mine,
    )
    rows = entries.memberships(session, filters, page, principal)
    set_next_cursor(response, rows.next_cursor)
    converter = Converter(session, settings.base_url(), principal)
    return [converter.membership(row) for row in rows.rows]


@router.get("/league-policy-memberships/portfolio", responses=errors(Unauthorized))
def read_portfolio(
    session: SessionDep, principal: CurrentPrincipal, limit: Annotated[int, Query(ge=1, le=1000)] = 200
) -> list[PortfolioSeat]:
    """Return the live memberships of the caller, newest first."""
    return [
        PortfolioSeat(
            player_id=row.player_id,
            league_id=public_id("league", row.league_id),
            game_name=row.league.game.name,
            division_id=public_id("div", row.division_id),
            policy_label=champions.label(row),
            status=row.status,
            substatus=row.substatus,
        )
        for row in entries.portfolio(session, principal, limit)
    ]


@router.post("/league-policy-memberships/{membership_id}/retire", responses=errors(*_CHANGING))
def retire_membership(
    membership_id: _MembershipId,
    session: SessionDep,
    principal: Writer,
    settings: SettingsDep,
    now: Now,
    body: Retirement | None = None,
) -> CompetitionMembership:
    """Take a membership of the caller out of play."""
    row = _membership(session, membership_id, principal)
    champions.retire(session, principal, row, reason=None if body is None else body.reason, now=now)
    return Converter(session, settings.base_url(), principal).membership(row)


@router.post("/league-policy-memberships/{membership_id}/champion", responses=errors(*_CHANGING))
def nominate_champion(
    membership_id: _MembershipId, session: SessionDep, principal: Writer, settings: SettingsDep, now: Now
) -> CompetitionMembership:
    """Make a membership of the caller the champion of its player."""
    row = _membership(session, membership_id, principal)
    champions.nominate(session, principal, row, now=now)
    return Converter(session, settings.base_url(), principal).membership(row)


@router.post("/league-policy-memberships/{membership_id}/disqualify", responses=errors(*_CHANGING))
def disqualify_membership(
    membership_id: _MembershipId,
    body: Decision,
    session: SessionDep,
    principal: Writer,
    settings: SettingsDep,
    now: Now,
) -> CompetitionMembership:
    """Disqualify a member of the caller's league; its version cannot enter the league again."""
    row = _membership(session, membership_id, principal)
    disqualifying.disqualify_by_hand(session, principal, row, body.reason, now=now)
    return Converter(session, settings.base_url(), principal).membership(row)


@router.post("/league-policy-memberships/{membership_id}/restore", responses=errors(*_CHANGING))
def restore_membership(
    membership_id: _MembershipId,
    body: Decision,
    session: SessionDep,
    principal: Writer,
    settings: SettingsDep,
    now: Now,
) -> CompetitionMembership:
    """Let a disqualified member of the caller's league play again."""
    row = _membership(session, membership_id, principal)
    disqualifying.restore(session, principal, row, body.reason, now=now)
    return Converter(session, settings.base_url(), principal).membership(row)


@router.get("/competition-events", responses=errors(Unauthorized))
def list_competition_events(
    session: SessionDep,
    principal: OptionalPrincipal,
    settings: SettingsDep,
    page: Annotated[CursorPage, Depends(cursor_page(50))],
    response: Response,
    league_id: _Filter = None,
    division_id: _Filter = None,
    round_id: _Filter = None,
    event_type: _Filter = None,
    audience: EventAudience | None = None,
    player_id: _Filter = None,
    policy_version_id: uuid.UUID | None = None,
) -> list[CompetitionEventRow]:
    """Return what happened in leagues, newest first; `X-Next-Cursor` continues the list."""
    filters = EventFilter(
        league_id=_parse("league", league_id),
        division_id=_parse("div", division_id),
        round_id=_parse("round", round_id),
        event_type=event_type,
        audience=audience,
        player_id=player_id,
        policy_version_id=policy_version_id,
    )
    rows = entries.events(session, filters, page, principal)
    set_next_cursor(response, rows.next_cursor)
    converter = Converter(session, settings.base_url(), principal)
    return [converter.event(row) for row in rows.rows]


def _membership(session: SessionDep, membership_id: str, principal: Writer) -> Membership:
    return entries.membership(session, parse_public_id("lpm", membership_id), principal)


def _parse(prefix: Prefix, text: str | None) -> uuid.UUID | None:
    return None if text is None else parse_public_id(prefix, text, error=Unprocessable)

"""HTTP endpoints for the pages of leagues, divisions, rounds and players."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query, Request

from observatory.cursors import CursorPage, cursor_page
from observatory.database import SessionDep
from observatory.database.cache import show_division
from observatory.database.tables.leagues import DivisionType, RoundStatus
from observatory.errors import Forbidden, NotFound, Unauthorized, Unprocessable, errors
from observatory.events import ChangeKind
from observatory.http.cached import cached
from observatory.http.callers import CurrentUser, OptionalPrincipal
from observatory.http.deps import KeysDep, SettingsDep
from observatory.http.frames import frame_url
from observatory.http.routing import Router
from observatory.leagues import repository
from observatory.leagues.entries import EventFilter
from observatory.leagues.repository import RoundFilter
from observatory.leagues.settings_form import settings_fields
from observatory.pages import divisions, league_cards, leagues, players, round_episodes, round_lines, rounds
from observatory.pages.league_schemas import (
    DivisionPage,
    DivisionTable,
    EventsPage,
    LeagueCard,
    LeaguePage,
    LeagueSettingsForm,
    MembersPage,
    RoundsPage,
)
from observatory.pages.player_schemas import HistoryPage, PlayerPage
from observatory.pages.round_reports import report_path
from observatory.pages.round_schemas import Pairings, RoundEpisodes, RoundPage
from observatory.paging import PageDep
from observatory.public_ids import parse_public_id
from observatory.rounds.loop import LeagueLoop

__all__ = ["router"]

router = Router(prefix="/observatory/api", tags=["pages"])

_LEAGUES = (
    ChangeKind.ACCOUNT,
    ChangeKind.COWORLD,
    ChangeKind.LEAGUE,
    ChangeKind.LEAGUE_ENTRY,
    ChangeKind.POLICY,
    ChangeKind.ROUND,
)
_STATES = (*_LEAGUES, ChangeKind.DIVISION, ChangeKind.ROUND_EPISODE)
_READING = (Unauthorized, NotFound)

LeagueId = Annotated[str, Path(max_length=200, description="`league_...`")]
DivisionId = Annotated[str, Path(max_length=200, description="`div_...`")]
RoundId = Annotated[str, Path(max_length=200, description="`round_...`")]
PlayerId = Annotated[str, Path(max_length=200, description="`ply_...`")]
ShortPage = Annotated[CursorPage, Depends(cursor_page(20))]
Filter = Annotated[str | None, Query(max_length=200)]


def _loop(request: Request) -> LeagueLoop:
    loop: LeagueLoop = request.app.state.league_loop
    return loop


LoopDep = Annotated[LeagueLoop, Depends(_loop)]


@router.get("/leagues", responses=errors(Unauthorized))
@cached(*_STATES, per_viewer=True)
def list_leagues(session: SessionDep, principal: OptionalPrincipal, loop: LoopDep) -> list[LeagueCard]:
    """Return leagues that the caller may see with their state and leader, the game of the week first."""
    return league_cards.league_cards(session, principal, loop)


@router.get("/leagues/{league_id}", responses=errors(*_READING))
@cached(*_STATES, per_viewer=True)
def read_league(
    league_id: LeagueId, session: SessionDep, principal: OptionalPrincipal, loop: LoopDep, settings: SettingsDep
) -> LeaguePage:
    """Return a league with its divisions, how to enter it, its rules, and the caller's own entries."""
    league = repository.league(session, parse_public_id("league", league_id), principal)
    return leagues.league_page(session, league, principal, loop, settings.base_url())


@router.get("/leagues/{league_id}/rounds", responses=errors(*_READING, Unprocessable))
@cached(*_LEAGUES, ChangeKind.ROUND_EPISODE, per_viewer=True)
def list_rounds(
    league_id: LeagueId,
    session: SessionDep,
    principal: OptionalPrincipal,
    page: ShortPage,
    division: Filter = None,
    status: RoundStatus | None = None,
) -> RoundsPage:
    """Return rounds of a league with their progress and winners, newest first."""
    league = repository.league(session, parse_public_id("league", league_id), principal)
    division_id = None if division is None else parse_public_id("div", division, error=Unprocessable)
    return round_lines.rounds_page(session, RoundFilter(league.id, division_id, status), page, principal)


@router.get("/leagues/{league_id}/events", responses=errors(*_READING))
@cached(*_LEAGUES, per_viewer=True)
def list_events(league_id: LeagueId, session: SessionDep, principal: OptionalPrincipal, page: ShortPage) -> EventsPage:
    """Return what happened in a league, newest first."""
    league = repository.league(session, parse_public_id("league", league_id), principal)
    return leagues.events_page(session, EventFilter(league_id=league.id), page, principal)


@router.get("/leagues/{league_id}/settings-form", responses=errors(*_READING, Forbidden))
def read_settings_form(league_id: LeagueId, session: SessionDep, user: CurrentUser) -> LeagueSettingsForm:
    """Return the settings of a league as a form for its owner; `POST /v2/leagues/{id}/settings` saves them."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    rows = repository.divisions(session, user, league_id=league.id)
    competitions = [row for row in rows if row.type is DivisionType.COMPETITION]
    return LeagueSettingsForm(
        settings=league.settings, revision=league.settings_revision, fields=settings_fields(competitions)
    )


@router.get("/divisions/{division_id}", responses=errors(*_READING))
@cached(*_STATES, per_viewer=True)
def read_division(
    division_id: DivisionId, session: SessionDep, principal: OptionalPrincipal, loop: LoopDep
) -> DivisionPage:
    """Return a division: what it does now, when players leave it, and its rules."""
    division = repository.division(session, parse_public_id("div", division_id), principal)
    show_division(session, division.id)
    return divisions.division_page(session, division, principal, loop)


@router.get("/divisions/{division_id}/table", responses=errors(*_READING))
@cached(*_LEAGUES, per_viewer=True)
def read_division_table(
    division_id: DivisionId, session: SessionDep, principal: OptionalPrincipal, view: Filter = None
) -> DivisionTable:
    """Return a view of a division's table with intervals, recent results and lines."""
    division = repository.division(session, parse_public_id("div", division_id), principal)
    show_division(session, division.id)
    return divisions.division_table(session, division, principal, view_key=view)


@router.get("/divisions/{division_id}/members", responses=errors(*_READING))
@cached(*_LEAGUES, per_viewer=True)
def list_members(
    division_id: DivisionId,
    session: SessionDep,
    principal: OptionalPrincipal,
    page: Annotated[CursorPage, Depends(cursor_page(50))],
    live: bool = True,
) -> MembersPage:
    """Return members of a division with the reason of their state, newest first; with `live=false` former ones too."""
    division = repository.division(session, parse_public_id("div", division_id), principal)
    return divisions.members_page(session, division, principal, page, live_only=live)


@router.get("/rounds/{round_id}", responses=errors(*_READING))
@cached(*_LEAGUES, ChangeKind.ROUND_EPISODE, per_viewer=True)
def read_round(
    round_id: RoundId, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep, keys: KeysDep
) -> RoundPage:
    """Return a round: plan, progress, results with ratings before and after, and moves."""
    round_ = repository.round_(session, parse_public_id("round", round_id), principal, with_policies=False)
    show_division(session, round_.division_id)
    has_report = rounds.render_of(round_) is not None
    url = frame_url(settings, report_path(keys.secret, round_id)) if has_report else None
    return rounds.round_page(session, round_, principal, render_url=url)


@router.get("/rounds/{round_id}/episodes", responses=errors(*_READING))
@cached(*_LEAGUES, ChangeKind.ROUND_EPISODE, per_viewer=True)
def list_round_episodes(
    round_id: RoundId, session: SessionDep, principal: OptionalPrincipal, page: PageDep
) -> RoundEpisodes:
    """Return episodes of a round in the order of its plan: who sat where, with which score."""
    round_ = repository.round_(session, parse_public_id("round", round_id), principal, with_policies=False)
    show_division(session, round_.division_id)
    return round_episodes.round_episodes(session, round_, page)


@router.get("/rounds/{round_id}/pairings", responses=errors(*_READING))
@cached(*_LEAGUES, ChangeKind.ROUND_EPISODE, per_viewer=True)
def read_pairings(round_id: RoundId, session: SessionDep, principal: OptionalPrincipal) -> Pairings:
    """Return which entrants of a round met, and how often each of them won."""
    round_ = repository.round_(session, parse_public_id("round", round_id), principal)
    show_division(session, round_.division_id)
    return round_episodes.pairings(session, round_)


@router.get("/players/{player_id}", responses=errors(*_READING))
@cached(*_LEAGUES, ChangeKind.ROUND_EPISODE, ChangeKind.SEASON, ChangeKind.MEMBERSHIP, per_viewer=True)
def read_player(player_id: PlayerId, session: SessionDep, principal: OptionalPrincipal) -> PlayerPage:
    """Return a player: memberships, ratings, policies, seasons of the same owner, recent rounds and episodes."""
    return players.player_page(session, players.find_player(session, player_id, principal), principal)


@router.get("/players/{player_id}/history", responses=errors(*_READING))
@cached(*_LEAGUES, per_viewer=True)
def list_history(
    player_id: PlayerId, session: SessionDep, principal: OptionalPrincipal, page: ShortPage
) -> HistoryPage:
    """Return every change of a player's memberships with its reason and evidence, newest first."""
    return players.history_page(session, players.find_player(session, player_id, principal), principal, page)

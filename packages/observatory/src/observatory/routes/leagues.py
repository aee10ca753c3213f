"""Games, leagues and divisions, as all callers see them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Query, Response

from observatory.cursors import CursorPage, cursor_page
from observatory.database import SessionDep, own_transactions
from observatory.database.cache import show_division
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized, Unprocessable, errors
from observatory.events import ChangeKind
from observatory.experience import repository as experience
from observatory.experience.repository import EpisodeFilter
from observatory.experience.wire import RequestWire
from observatory.http.cached import cached
from observatory.http.callers import CurrentPrincipal, OptionalPrincipal
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.leagues import power, repository, standings
from observatory.leagues.guide import participation_guide
from observatory.leagues.schemas import PowerRequest
from observatory.leagues.wire import Converter
from observatory.public_ids import parse_public_id, public_id
from observatory.routes.league_administration import router as administration
from observatory.routes.league_seeds import router as seeds
from softmax.wire.leagues import (
    Competition,
    CompetitionDivision,
    CompetitionGame,
    DivisionLadderEntry,
    DivisionLeaderboardEntry,
    DivisionLeaderboards,
    PowerAnalysis,
)
from softmax.wire.requests import EpisodeRequestPage

__all__ = ["DivisionId", "LeagueId", "router"]

router = Router()
calls = Router(prefix="/v2", tags=["leagues"])

LeagueId = Annotated[str, Path(max_length=200, description="`league_...`")]
DivisionId = Annotated[str, Path(max_length=200, description="`div_...`")]
GameId = Annotated[str, Path(max_length=200, description="`game_...`")]
RecentRounds = Annotated[
    Annotated[int, Query(ge=0, le=100)] | bool, Query(description="how many, or `true`; none by default")
]
_Filter = Annotated[str | None, Query(max_length=200)]
_LEAGUES = (ChangeKind.LEAGUE, ChangeKind.LEAGUE_ENTRY, ChangeKind.COWORLD)
_TABLES = (*_LEAGUES, ChangeKind.ROUND, ChangeKind.ACCOUNT)


@calls.get("/games", responses=errors(Unauthorized))
@cached(*_LEAGUES, per_viewer=True)
def list_games(session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep) -> list[CompetitionGame]:
    """Return the games of leagues that the caller may see, by name."""
    converter = Converter(session, settings.base_url(), principal)
    return [converter.game(game) for game in repository.games(session, principal)]


@calls.get("/games/{game_id}/episodes", responses=errors(Unauthorized, NotFound))
def list_game_episodes(
    game_id: GameId,
    session: SessionDep,
    principal: OptionalPrincipal,
    page: Annotated[CursorPage, Depends(cursor_page(50, max_limit=100))],
    store: StoreDep,
    settings: SettingsDep,
) -> EpisodeRequestPage:
    """Return completed episodes of all versions of a game that the caller may see, newest first."""
    game = repository.game(session, game_id, principal)
    filters = EpisodeFilter(coworld_name=game.coworld_name, with_replay=True)
    rows = experience.episodes(session, filters, principal, page)
    wire = RequestWire(store, settings)
    return EpisodeRequestPage(entries=[wire.summary(row) for row in rows.rows], next_cursor=rows.next_cursor)


@calls.get("/leagues", responses=errors(Unauthorized))
@cached(*_LEAGUES, per_viewer=True)
def list_leagues(
    session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep, game_id: _Filter = None
) -> list[Competition]:
    """Return leagues that the caller may see, newest first; of one game with `game_id`."""
    game = None if game_id is None else parse_public_id("game", game_id, error=Unprocessable)
    converter = Converter(session, settings.base_url(), principal)
    return [converter.league(league) for league in repository.leagues(session, principal, game_id=game)]


@calls.get("/leagues/game-of-week", responses=errors(Unauthorized))
@cached(*_LEAGUES, per_viewer=True)
def read_game_of_week(session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep) -> Competition | None:
    """Return the league of the game of the week; null if there is none."""
    league = next(iter(repository.leagues(session, principal, game_of_week=True)), None)
    return None if league is None else Converter(session, settings.base_url(), principal).league(league)


@calls.get("/leagues/{league_id}", responses=errors(Unauthorized, NotFound))
@cached(*_LEAGUES, per_viewer=True)
def read_league(
    league_id: LeagueId, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep
) -> Competition:
    """Return one league."""
    league = repository.league(session, parse_public_id("league", league_id), principal)
    return Converter(session, settings.base_url(), principal).league(league)


@calls.get("/leagues/{league_id}/division-ladder", responses=errors(Unauthorized, NotFound))
@cached(*_LEAGUES, per_viewer=True)
def read_division_ladder(
    league_id: LeagueId, session: SessionDep, principal: OptionalPrincipal
) -> list[DivisionLadderEntry]:
    """Return the divisions of a league with their numbers of members, best division first."""
    league = repository.league(session, parse_public_id("league", league_id), principal)
    divisions = repository.divisions(session, principal, league_id=league.id)
    members = repository.member_counts(session, [division.id for division in divisions])
    return [
        DivisionLadderEntry(
            id=public_id("div", division.id),
            name=division.name,
            level=division.level,
            member_count=members.get(division.id, 0),
        )
        for division in divisions
    ]


@calls.get(
    "/participate",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {}}}, **errors(Unauthorized, NotFound)},
)
def read_participation_guide(
    league_id: Annotated[str, Query(max_length=200)],
    session: SessionDep,
    principal: OptionalPrincipal,
    settings: SettingsDep,
) -> Response:
    """Return the guide for entering a league, as Markdown."""
    league = repository.league(session, parse_public_id("league", league_id), principal)
    return Response(participation_guide(session, league, settings.base_url()), media_type="text/markdown")


@calls.get("/divisions", responses=errors(Unauthorized, NotFound))
@cached(*_LEAGUES, per_viewer=True)
def list_divisions(
    session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep, league_id: _Filter = None
) -> list[CompetitionDivision]:
    """Return divisions that the caller may see; of one league with `league_id`."""
    league = None if league_id is None else parse_public_id("league", league_id, error=Unprocessable)
    if league is not None:
        repository.league(session, league, principal)
    converter = Converter(session, settings.base_url(), principal)
    return [converter.division(row) for row in repository.divisions(session, principal, league_id=league)]


@calls.get("/divisions/{division_id}", responses=errors(Unauthorized, NotFound))
@cached(*_LEAGUES, per_viewer=True)
def read_division(
    division_id: DivisionId, session: SessionDep, principal: OptionalPrincipal, settings: SettingsDep
) -> CompetitionDivision:
    """Return one division."""
    division = repository.division(session, parse_public_id("div", division_id), principal)
    return Converter(session, settings.base_url(), principal).division(division)


@calls.get("/divisions/{division_id}/leaderboard", responses=errors(Unauthorized, NotFound))
@cached(*_TABLES, per_viewer=True)
def read_division_leaderboard(
    division_id: DivisionId,
    session: SessionDep,
    principal: OptionalPrincipal,
    include_recent_rounds: RecentRounds = False,
) -> list[DivisionLeaderboardEntry]:
    """Return the table of a division, best player first; empty before its first round."""
    division = repository.division(session, parse_public_id("div", division_id), principal)
    show_division(session, division.id)
    recent = standings.RECENT_ROUNDS if include_recent_rounds is True else int(include_recent_rounds)
    return standings.leaderboard(session, division, recent_rounds=recent)


@calls.get("/divisions/{division_id}/leaderboards", responses=errors(Unauthorized, NotFound))
@cached(*_TABLES, per_viewer=True)
def read_division_leaderboards(
    division_id: DivisionId, session: SessionDep, principal: OptionalPrincipal
) -> DivisionLeaderboards | None:
    """Return every view of a division's table; null before its first round."""
    division = repository.division(session, parse_public_id("div", division_id), principal)
    show_division(session, division.id)
    return standings.leaderboards(session, division)


@calls.post(
    "/divisions/{division_id}/power-analysis",
    responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict),
)
@own_transactions
def analyse_power(
    division_id: DivisionId, body: PowerRequest, session: SessionDep, principal: CurrentPrincipal
) -> PowerAnalysis:
    """Return how many episodes show an improvement by some Elo points, from the history of a division."""
    division = repository.division(session, parse_public_id("div", division_id), principal)
    return power.analyse(session, division, body)


router.include_router(calls)
router.include_router(administration)
router.include_router(seeds)

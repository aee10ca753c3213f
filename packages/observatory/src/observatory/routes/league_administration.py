"""What the owner of a league may change; `managed_league` refuses others."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Header, Path, Response

from observatory.clock import Now
from observatory.cursors import CursorPage, cursor_page, set_next_cursor
from observatory.database import SessionDep
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.http.callers import Admin, CurrentPrincipal, CurrentUser
from observatory.http.deps import SettingsDep
from observatory.http.routing import Router
from observatory.leagues import repository, service, setting_up
from observatory.leagues.schemas import (
    DivisionsUpdate,
    GradesWanted,
    LocksUpdate,
    RoundsPaused,
    SeedPoliciesUpdate,
    SetupRequest,
    WindowCreate,
)
from observatory.leagues.windows import persistent_players, window_row, windows
from observatory.leagues.windows import record_window as store_window
from observatory.leagues.wire import Converter
from observatory.public_ids import parse_public_id
from observatory.rounds import service as rounds
from softmax.wire.leagues import (
    Competition,
    CompetitionDivision,
    GradesRequested,
    LeagueLocks,
    LeagueSettings,
    LeagueSetup,
    PersistentPlayer,
    RecordedWindowRow,
    SeedPolicies,
)

__all__ = ["router"]

router = Router(prefix="/v2/leagues/{league_id}", tags=["leagues"])

LeagueId = Annotated[str, Path(max_length=200, description="`league_...`")]
IfMatch = Annotated[str | None, Header(max_length=100, description="the revision that the caller has read")]
_READING = (Unauthorized, NotFound)
_CHANGING = (Unauthorized, Forbidden, NotFound, Conflict)


@router.get("/locks", responses=errors(*_READING))
def read_locks(league_id: LeagueId, session: SessionDep, principal: CurrentPrincipal) -> LeagueLocks:
    """Return whether a league takes submissions, and whether its game version is locked."""
    return service.locks(session, repository.league(session, parse_public_id("league", league_id), principal))


@router.post("/locks", responses=errors(*_CHANGING))
def set_locks(league_id: LeagueId, body: LocksUpdate, session: SessionDep, user: CurrentUser, now: Now) -> LeagueLocks:
    """Set both locks. A lock that is set already keeps its time and its version."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    service.set_locks(session, league, body, now=now)
    return service.locks(session, league)


@router.get("/settings", responses=errors(*_READING))
def read_settings(
    league_id: LeagueId, session: SessionDep, principal: CurrentPrincipal, response: Response
) -> LeagueSettings:
    """Return how a league is played. The header `ETag` has the revision."""
    return _settings(repository.league(session, parse_public_id("league", league_id), principal), response)


@router.post("/settings", responses=errors(*_CHANGING))
def replace_settings(
    league_id: LeagueId,
    body: dict[str, Any],
    session: SessionDep,
    user: CurrentUser,
    response: Response,
    if_match: IfMatch = None,
) -> LeagueSettings:
    """Replace the whole settings; with `If-Match` only if they have not changed since that revision."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    service.replace_settings(session, league, body, if_match=if_match)
    return _settings(league, response)


@router.put("/divisions", responses=errors(*_CHANGING))
def set_divisions(
    league_id: LeagueId,
    body: DivisionsUpdate,
    session: SessionDep,
    user: CurrentUser,
    settings: SettingsDep,
    now: Now,
) -> list[CompetitionDivision]:
    """Make the divisions of a league those of the list, and archive the others; a repeated call changes nothing."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    converter = Converter(session, settings.base_url(), user)
    return [converter.division(division) for division in service.set_divisions(session, league, body, now=now)]


@router.post("/rounds-paused", responses=errors(*_CHANGING))
def pause_rounds(
    league_id: LeagueId, body: RoundsPaused, session: SessionDep, user: CurrentUser, settings: SettingsDep, now: Now
) -> Competition:
    """Start no more rounds, or start them again; a round that has begun ends as usual."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    service.pause_rounds(session, league, paused=body.paused, now=now)
    return Converter(session, settings.base_url(), user).league(league)


@router.post("/trigger-round", responses=errors(*_CHANGING))
def trigger_round(
    league_id: LeagueId, session: SessionDep, user: CurrentUser, settings: SettingsDep, now: Now
) -> Competition:
    """Start the next round of every division as soon as it can start; the interval does not count this once."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    rounds.trigger_round(session, league, now=now)
    return Converter(session, settings.base_url(), user).league(league)


@router.post("/grade", responses=errors(*_CHANGING))
def request_grades(
    league_id: LeagueId, body: GradesWanted, session: SessionDep, user: CurrentUser, now: Now
) -> GradesRequested:
    """Grade champions of a continuous league again; all of them if none is named. A repeated key changes nothing."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    request = rounds.request_grades(
        session,
        user,
        league,
        idempotency_key=body.idempotency_key,
        policy_version_ids=body.policy_version_ids,
        now=now,
    )
    return GradesRequested(
        league_id=league_id,
        idempotency_key=request.idempotency_key,
        policy_version_ids=request.policy_version_ids,
        waiting=request.waiting,
        created_at=request.created_at,
    )


@router.get("/persistent-players", responses=errors(*_READING, Forbidden))
def read_persistent_players(league_id: LeagueId, session: SessionDep, user: CurrentUser) -> list[PersistentPlayer]:
    """Return the players whose lasting games should be running. The owner of the league runs these games."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    return list(persistent_players(session, league))


@router.get("/recorded-windows", responses=errors(*_READING, BadRequest))
def read_recorded_windows(
    league_id: LeagueId,
    session: SessionDep,
    principal: CurrentPrincipal,
    page: Annotated[CursorPage, Depends(cursor_page(50))],
    response: Response,
) -> list[RecordedWindowRow]:
    """Return the recorded windows of a persistent league, newest first, and the rounds that count them."""
    league = repository.league(session, parse_public_id("league", league_id), principal)
    found = windows(session, league, page)
    set_next_cursor(response, found.next_cursor)
    return [window_row(row) for row in found.rows]


@router.post("/recorded-windows", responses=errors(*_CHANGING))
def record_window(
    league_id: LeagueId, body: WindowCreate, session: SessionDep, user: CurrentUser, now: Now
) -> RecordedWindowRow:
    """Record a window of the lasting games. The same `source_id` is recorded once; a round counts it once."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    return window_row(store_window(session, league, body, now=now))


@router.get("/seed-policies", responses=errors(*_READING))
def read_seed_policies(league_id: LeagueId, session: SessionDep, principal: CurrentPrincipal) -> SeedPolicies:
    """Return the policy versions that take neutral seats, and how many of them play in an episode."""
    league = repository.league(session, parse_public_id("league", league_id), principal)
    return SeedPolicies.model_validate(league.seed_policies)


@router.post("/seed-policies", responses=errors(*_CHANGING))
def set_seed_policies(
    league_id: LeagueId, body: SeedPoliciesUpdate, session: SessionDep, user: CurrentUser
) -> SeedPolicies:
    """Choose the policy versions that take neutral seats; they belong to the caller."""
    league = repository.managed_league(session, parse_public_id("league", league_id), user)
    service.set_seed_policies(session, user, league, body)
    return SeedPolicies.model_validate(league.seed_policies)


@router.post("/setup", responses=errors(*_CHANGING))
def set_up_league(league_id: LeagueId, body: SetupRequest, session: SessionDep, admin: Admin, now: Now) -> LeagueSetup:
    """Propose a ladder for two opposing seats; with `approve` and the proposal's revision, enable it."""
    league = repository.managed_league(session, parse_public_id("league", league_id), admin)
    return setting_up.set_up(session, league, body, now=now)


def _settings(league: Any, response: Response) -> LeagueSettings:
    document = service.settings_of(league)
    response.headers["ETag"] = f'"{document.revision}"'
    return document

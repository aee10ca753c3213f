"""HTTP endpoints for pages."""

from __future__ import annotations

import uuid
from typing import Annotated, Literal

from fastapi import Depends, Header, Path, Query, Request, Response

from observatory.clock import Now
from observatory.commissioner.loop import Commissioner
from observatory.database import DatabaseDep, SessionDep
from observatory.episodes.wire import EpisodeWire
from observatory.errors import BadRequest, NotFound, TooManyRequests, Unauthorized, errors
from observatory.events import ChangeKind
from observatory.http.cached import cached
from observatory.http.callers import OptionalPrincipal
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.rate_limits import address_of
from observatory.http.rights import Rights
from observatory.http.routing import Router
from observatory.http.visitors import VisitorDep
from observatory.pages import matches, policies, queue, seasons, tables
from observatory.pages.league_places import league_id_of
from observatory.pages.policy_matches import MatchFilters, MatchResult, MatchSort, policy_matches
from observatory.pages.schemas import (
    MatchesPage,
    MatchPage,
    Me,
    PolicyPage,
    QueuePage,
    SeasonCard,
    SeasonPage,
    Table,
    Teams,
)
from observatory.pages.streams import EVENT_SCHEMA, EventStream, Listener
from observatory.paging import PageDep, set_total
from observatory.policies import repository as policy_repository
from observatory.seasons import repository
from observatory.seasons.repository import SeasonReference, TeamFilter

__all__ = ["router"]

router = Router(prefix="/observatory/api", tags=["pages"])
_MEMBERS = (ChangeKind.ACCOUNT, ChangeKind.SEASON, ChangeKind.STAGE, ChangeKind.MEMBERSHIP, ChangeKind.POLICY)
_TABLES = (*_MEMBERS, ChangeKind.TABLE)
_SEASONS = (*_MEMBERS, ChangeKind.MATCH)


def _commissioner(request: Request) -> Commissioner:
    commissioner: Commissioner = request.app.state.commissioner
    return commissioner


CommissionerDep = Annotated[Commissioner, Depends(_commissioner)]
Reference = Annotated[str, Path(alias="season", max_length=200, description="`name`, `name:v3` or `name:3`")]
PoolName = Annotated[str | None, Query(max_length=100)]


@router.get("/me", responses=errors(Unauthorized))
def read_me(response: Response, visitor: VisitorDep, principal: OptionalPrincipal) -> Me:
    """Return the current user and the CSRF token for this page."""
    visitor.keep(response)
    response.headers["Cache-Control"] = "no-store"
    user = None if principal is None else principal.user
    return Me(
        signed_in=user is not None,
        user_id=user and user.id,
        name=user and user.name,
        email=user and user.email,
        is_admin=principal is not None and principal.may_elevate,
        csrf=visitor.csrf,
    )


@router.get("/seasons", responses=errors(Unauthorized))
@cached(*_SEASONS)
def list_seasons(session: SessionDep, principal: OptionalPrincipal) -> list[SeasonCard]:
    """Return seasons the caller may see, the default one first."""
    return seasons.season_cards(session, principal)


@router.get("/seasons/{season}", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS, ChangeKind.QUEUE, ChangeKind.EPISODE, per_viewer=True)
def read_season(
    reference: Reference, session: SessionDep, principal: OptionalPrincipal, commissioner: CommissionerDep
) -> SeasonPage:
    """Return a season with its stages and the state of the caller's policies."""
    season = repository.season(session, reference, principal)
    return seasons.season_page(session, season, principal, commissioner)


@router.get("/seasons/{season}/table", responses=errors(Unauthorized, NotFound))
@cached(*_TABLES)
def read_table(reference: Reference, session: SessionDep, principal: OptionalPrincipal, pool: PoolName = None) -> Table:
    """Return the table of a pool with its uncertainty; by default of the pool that represents the season."""
    return tables.season_table(session, repository.season(session, reference, principal), pool)


@router.get("/seasons/{season}/teams", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS)
def list_teams(
    reference: Reference,
    session: SessionDep,
    principal: OptionalPrincipal,
    page: PageDep,
    response: Response,
    pool: PoolName = None,
    eliminated: bool | None = None,
    policy: uuid.UUID | None = None,
) -> Teams:
    """Return teams of a season, the last round first, best first."""
    teams = tables.season_teams(
        session, repository.season(session, reference, principal), TeamFilter(pool, eliminated, policy), page
    )
    set_total(response, teams.total)
    return teams


@router.get("/seasons/{season}/matches", responses=errors(BadRequest, Unauthorized, NotFound))
@cached(*_SEASONS)
def list_matches(
    reference: Reference,
    session: SessionDep,
    principal: OptionalPrincipal,
    response: Response,
    pool: PoolName = None,
    policy: uuid.UUID | None = None,
    status: Literal["played", "waiting", "running", "completed", "failed", "cancelled"] | None = None,
    cursor: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> MatchesPage:
    """Return matches of a season, newest first."""
    season = repository.season(session, reference, principal)
    page = matches.matches_page(session, season, pool=pool, policy=policy, status=status, cursor=cursor, limit=limit)
    set_total(response, page.total)
    return page


@router.get("/matches/{match_id}", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS, ChangeKind.QUEUE, ChangeKind.EPISODE, per_viewer=True)
def read_match(
    match_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, store: StoreDep, settings: SettingsDep
) -> MatchPage:
    """Return one match: its players, results and evidence."""
    return matches.match_page(session, match_id, principal, EpisodeWire(store, settings))


@router.get("/policies/{policy_version_id}", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS, ChangeKind.QUEUE, ChangeKind.EPISODE, per_viewer=True)
def read_policy(
    policy_version_id: uuid.UUID,
    session: SessionDep,
    principal: OptionalPrincipal,
    season: Annotated[str | None, Query(max_length=200)] = None,
    pool: PoolName = None,
) -> PolicyPage:
    """Return a policy version: its seasons, scores, opponents and failures."""
    return policies.policy_page(session, policy_version_id, principal, season=season, pool=pool)


@router.get("/policies/{policy_version_id}/matches", responses=errors(BadRequest, Unauthorized, NotFound))
@cached(*_SEASONS, ChangeKind.EPISODE)
def list_policy_matches(
    policy_version_id: uuid.UUID,
    session: SessionDep,
    principal: OptionalPrincipal,
    response: Response,
    season: Annotated[str | None, Query(max_length=200, description="`name` or `name:v3`")] = None,
    result: MatchResult | None = None,
    partner: uuid.UUID | None = None,
    sort: MatchSort = "newest",
    cursor: Annotated[str | None, Query(max_length=300)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> MatchesPage:
    """Return the matches of a policy version. Sorted by score (`best`, `worst`), only scored matches are listed."""
    policy_repository.version(session, policy_version_id)
    filters = MatchFilters(season, result, partner)
    page = policy_matches(session, policy_version_id, principal, filters, sort=sort, cursor=cursor, limit=limit)
    set_total(response, page.total)
    return page


@router.get("/queue", responses=errors(Unauthorized))
def read_queue(request: Request, session: SessionDep, principal: OptionalPrincipal, now: Now) -> QueuePage:
    """Return the running and waiting jobs, and the commissioner's last decisions."""
    state = request.app.state
    return queue.queue_page(session, principal, state.commissioner, now=now)


@router.get(
    "/events",
    responses={
        200: {"content": {"text/event-stream": {"schema": EVENT_SCHEMA}}},
        **errors(Unauthorized, NotFound, TooManyRequests),
    },
    response_class=Response,
)
async def read_events(
    request: Request,
    database: DatabaseDep,
    settings: SettingsDep,
    principal: OptionalPrincipal,
    season: Annotated[str | None, Query(max_length=200, description="`name`, `name:v3` or `name:3`")] = None,
    league: Annotated[str | None, Query(max_length=200, description="`league_...`, `div_...` or `round_...`")] = None,
    last_event_id: Annotated[str | None, Header(max_length=100)] = None,
) -> Response:
    """Stream changes as server-sent events: `hello` first, then `changes` with a list of changes."""
    is_admin = principal is not None and principal.is_admin
    user_id = None if principal is None else principal.user_id
    listener = Listener(is_admin, user_id=user_id)
    if season is not None:
        current = await database.query(lambda session: repository.season(session, season, principal))
        listener = Listener(is_admin, current.name, SeasonReference.parse(season).version, user_id=user_id)
    elif league is not None:
        league_id = await database.query(lambda session: league_id_of(session, league, principal))
        listener = Listener(is_admin, league=league_id, user_id=user_id)
    slots, address = request.app.state.event_streams, address_of(request)
    slots.take(address, settings)
    return EventStream(
        database,
        slots,
        address,
        listener,
        Rights(request, principal),
        seconds=settings.event_stream_seconds,
        last_event_id=last_event_id,
    )

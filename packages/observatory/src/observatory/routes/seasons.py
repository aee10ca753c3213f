"""Seasons over HTTP."""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Response

from observatory.clock import Now
from observatory.database import SessionDep
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.events import ChangeKind
from observatory.http.cached import cached
from observatory.http.callers import Admin, CurrentPrincipal, OptionalPrincipal, Writer
from observatory.http.routing import Router
from observatory.paging import PageDep, set_total
from observatory.policies import repository as policies
from observatory.seasons import repository, submissions, withdrawals
from observatory.seasons.repository import TeamFilter
from observatory.seasons.schemas import SubmitRequest
from observatory.standings import leaderboards, overview, progress
from softmax.wire import (
    LeaderboardEntry,
    MembershipHistoryEntry,
    PolicySummary,
    PoolConfigInfo,
    ScorePoliciesLeaderboardEntry,
    SeasonDetail,
    SeasonSummary,
    SeasonVersionInfo,
    StageStats,
    SubmitResponse,
    TeamSummary,
    TeamTournamentProgress,
    WithdrawResponse,
)

__all__ = ["router"]

router = Router(prefix="/tournament", tags=["seasons"])
_MEMBERS = (ChangeKind.SEASON, ChangeKind.STAGE, ChangeKind.MEMBERSHIP, ChangeKind.POLICY)
_TABLES = (*_MEMBERS, ChangeKind.TABLE)
_SEASONS = (*_MEMBERS, ChangeKind.MATCH)

Reference = Annotated[str, Path(alias="season", max_length=200, description="`name`, `name:v3` or `name:3`")]
PoolName = Annotated[str, Path(max_length=100)]


@router.get("/seasons", responses=errors(Unauthorized))
@cached(*_SEASONS)
def list_seasons(session: SessionDep, principal: OptionalPrincipal) -> list[SeasonSummary]:
    """Return seasons the caller may see, the default one first."""
    return [overview.summary(season) for season in repository.seasons(session, principal)]


@router.get("/seasons/{season}", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS)
def read_season(reference: Reference, session: SessionDep, principal: OptionalPrincipal) -> SeasonDetail:
    """Return one season."""
    return overview.detail(session, repository.season(session, reference, principal))


@router.get("/seasons/{season}/versions", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS)
def list_season_versions(
    reference: Reference, session: SessionDep, principal: OptionalPrincipal
) -> list[SeasonVersionInfo]:
    """Return all versions of a season, newest first."""
    requested = repository.season(session, reference, principal)
    return [overview.version_info(season) for season in repository.versions(session, requested.name, principal)]


@router.get("/seasons/{season}/stages", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS)
def list_stages(reference: Reference, session: SessionDep, principal: OptionalPrincipal) -> list[StageStats]:
    """Return the pools of a season with their numbers."""
    return progress.stage_stats(session, repository.season(session, reference, principal))


@router.get("/seasons/{season}/progress", responses=errors(BadRequest, Unauthorized, NotFound))
@cached(*_SEASONS)
def read_progress(reference: Reference, session: SessionDep, principal: OptionalPrincipal) -> TeamTournamentProgress:
    """Return the progress of a team season."""
    return progress.progress(session, repository.season(session, reference, principal))


@router.post("/seasons/{season}/start", responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict))
def start_season(reference: Reference, session: SessionDep, admin: Admin, now: Now) -> TeamTournamentProgress:
    """Begin a team season; for administrators."""
    return progress.start(session, repository.season(session, reference, admin), now=now)


@router.get("/seasons/{season}/teams", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS)
def list_teams(
    reference: Reference,
    session: SessionDep,
    principal: OptionalPrincipal,
    page: PageDep,
    response: Response,
    pool_name: Annotated[str | None, Query(max_length=100)] = None,
    eliminated: bool | None = None,
    policy_version_id: uuid.UUID | None = None,
) -> list[TeamSummary]:
    """Return teams of a season, the last round first, best first."""
    season = repository.season(session, reference, principal)
    filters = TeamFilter(pool_name, eliminated, policy_version_id)
    teams, total = repository.teams(session, season.id, filters, page)
    set_total(response, total)
    return overview.team_summaries(session, teams)


@router.get("/seasons/{season}/leaderboard", responses=errors(Unauthorized, NotFound))
@cached(*_TABLES)
def read_leaderboard(
    reference: Reference,
    session: SessionDep,
    principal: OptionalPrincipal,
    pool: Annotated[str | None, Query(max_length=100)] = None,
) -> list[LeaderboardEntry]:
    """Return the table of a season, or of one of its pools."""
    return leaderboards.season_leaderboard(session, repository.season(session, reference, principal), pool)


@router.get("/seasons/{season}/leaderboard/{kind}/{pool}", responses=errors(BadRequest, Unauthorized, NotFound))
@cached(*_TABLES)
def read_leaderboard_of_pool(
    reference: Reference,
    kind: Literal["policy", "team", "score-policies"],
    pool: PoolName,
    session: SessionDep,
    principal: OptionalPrincipal,
) -> list[LeaderboardEntry] | list[TeamSummary] | list[ScorePoliciesLeaderboardEntry]:
    """Return a table of policies, teams or final placements."""
    season = repository.season(session, reference, principal)
    row = repository.pool(season, pool)
    if kind == "policy":
        return leaderboards.policy_leaderboard(session, row)
    if kind == "team":
        teams, _ = repository.teams(session, season.id, TeamFilter(pool_name=pool))
        return overview.team_summaries(session, teams)
    table = leaderboards.score_policies_leaderboard(session, season)
    if pool != season.leaderboard_pool:
        raise BadRequest(f"Final placements are in the pool {season.leaderboard_pool!r}")
    return table


@router.get("/seasons/{season}/score-policies-leaderboard", responses=errors(BadRequest, Unauthorized, NotFound))
@cached(*_TABLES)
def read_score_policies_leaderboard(
    reference: Reference, session: SessionDep, principal: OptionalPrincipal
) -> list[ScorePoliciesLeaderboardEntry]:
    """Return the final placements of a team season."""
    return leaderboards.score_policies_leaderboard(session, repository.season(session, reference, principal))


@router.get("/seasons/{season}/policies", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS, per_viewer=True)
def list_policies(
    reference: Reference, session: SessionDep, principal: OptionalPrincipal, mine: bool = False
) -> list[PolicySummary]:
    """Return policies of a season, the last to enter first; with `mine` those of the caller."""
    if mine and principal is None:
        raise Unauthorized
    season = repository.season(session, reference, principal)
    owner = principal.user_id if mine and principal is not None else None
    return overview.policy_summaries(session, season, owner)


@router.post("/seasons/{season}/submissions", responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict))
def submit(
    reference: Reference, body: SubmitRequest, session: SessionDep, principal: Writer, now: Now
) -> SubmitResponse:
    """Enter a policy version of the caller's in a season."""
    return SubmitResponse(pools=submissions.submit(session, principal, reference, body.policy_version_id, now=now))


@router.delete(
    "/seasons/{season}/submissions/{policy_version_id}",
    responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict),
)
def withdraw(
    reference: Reference, policy_version_id: uuid.UUID, session: SessionDep, principal: Writer, now: Now
) -> WithdrawResponse:
    """Withdraw a policy version of the caller's from a season. Matches that are scheduled are still played."""
    return WithdrawResponse(pools=withdrawals.withdraw(session, principal, reference, policy_version_id, now=now))


@router.get("/seasons/{season}/pools/{pool}/config", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS)
def read_pool_config(
    reference: Reference, pool: PoolName, session: SessionDep, principal: OptionalPrincipal
) -> PoolConfigInfo:
    """Return the game of a pool; 404 when it has none to play."""
    row = repository.pool(repository.season(session, reference, principal), pool)
    if row.config_id is None:
        raise NotFound(f"Pool {pool!r} has no game")
    config = repository.env_config(session, row.config_id, principal)
    return PoolConfigInfo(pool_name=pool, game_engine=config.game_engine, config=config.config)


@router.get("/configs/{config_id}", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS)
def read_config(config_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal) -> dict[str, Any]:
    """Return the environment of a pool."""
    return repository.env_config(session, config_id, principal).config


@router.get("/policies/{policy_version_id}/memberships", responses=errors(Unauthorized, NotFound))
@cached(*_SEASONS)
def list_memberships(
    policy_version_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal
) -> list[MembershipHistoryEntry]:
    """Return the membership changes of a policy version in seasons, newest first."""
    policies.version(session, policy_version_id)
    return [
        MembershipHistoryEntry(
            season_name=season.name,
            season_version=season.version,
            pool_name=pool.name,
            action=change.action,
            notes=change.notes,
            created_at=change.created_at,
        )
        for change, pool, season in repository.membership_history(session, policy_version_id, principal)
    ]


@router.get("/my-memberships", responses=errors(Unauthorized))
@cached(*_SEASONS, per_viewer=True)
def list_my_memberships(session: SessionDep, principal: CurrentPrincipal) -> dict[str, list[str]]:
    """For each policy version of the caller's that is in a season, the names of the seasons."""
    memberships: dict[str, list[str]] = {}
    for version, season in repository.seasons_of_user(session, principal):
        memberships.setdefault(str(version), []).append(season)
    return memberships

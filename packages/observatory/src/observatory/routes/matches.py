"""Matches over HTTP."""

from __future__ import annotations

import uuid
from typing import Annotated

from fastapi import Path, Query, Response
from pydantic import StringConstraints

from observatory.database import SessionDep
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match, MatchStatus
from observatory.episodes import repository as episodes
from observatory.episodes.wire import EpisodeWire
from observatory.errors import BadRequest, Forbidden, NotFound, Unauthorized, errors
from observatory.events import ChangeKind
from observatory.http.cached import cached
from observatory.http.callers import CurrentPrincipal, OptionalPrincipal
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.http.stored_files import FilesDep
from observatory.jobs.schemas import ErrorInfo
from observatory.matches import repository, service
from observatory.matches.explaining import explain_match
from observatory.matches.lines import lines
from observatory.paging import MAX_IDS, PageDep, set_total
from observatory.policies.wire import version_summary
from observatory.seasons import repository as seasons
from observatory.secrecy import visible_seed
from observatory.standings.counts import pool_sizes
from observatory.store import job_key
from softmax.wire import EpisodeResponse, MatchExplanation, MatchPlayerInfo, MatchResponse

__all__ = ["router"]

router = Router(prefix="/tournament", tags=["matches"])
_MATCHES = (ChangeKind.SEASON, ChangeKind.MEMBERSHIP, ChangeKind.POLICY, ChangeKind.MATCH, ChangeKind.EPISODE)

PoolName = Annotated[str, StringConstraints(max_length=100)]

# Published clients know no other states than pending, running, completed and failed.
_WIRE_STATUS = {MatchStatus.SCHEDULED: MatchStatus.PENDING, MatchStatus.CANCELLED: MatchStatus.FAILED}

# The files of a match that an owner may read: the name in the API, the file, its type.
ARTIFACTS = {"logs": ("logs.txt", "text/plain"), "error-info": ("error_info.json", "application/json")}


@router.get("/seasons/{season}/matches", responses=errors(Unauthorized, NotFound))
@cached(*_MATCHES)
def list_matches(
    reference: Annotated[str, Path(alias="season", max_length=200)],
    session: SessionDep,
    principal: OptionalPrincipal,
    page: PageDep,
    response: Response,
    policy_version_ids: Annotated[list[uuid.UUID] | None, Query(max_length=MAX_IDS)] = None,
    pool_names: Annotated[list[PoolName] | None, Query(max_length=100)] = None,
) -> list[MatchResponse]:
    """Return matches of a season, newest first; with policies, those in which any of them plays."""
    season = seasons.season(session, reference, principal)
    pools = [pool.id for pool in season.pools if not pool_names or pool.name in pool_names]
    listed, total = repository.listed(session, pool_sizes(session, pools), policy_version_ids, page)
    set_total(response, total)
    return lines(session, listed, repository.with_players, _match)


@router.get("/matches/{match_id}", responses=errors(Unauthorized, NotFound))
@cached(*_MATCHES)
def read_match(
    match_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, store: StoreDep, settings: SettingsDep
) -> MatchResponse:
    """Return one match, with its episode."""
    match = repository.match(session, match_id, principal)
    response = _match(match)
    if response.episode_id is not None:
        episode = episodes.episode(session, response.episode_id, principal)
        episode_response: EpisodeResponse = EpisodeWire(store, settings).response(episode)
        response.episode = episode_response
    return response


@router.get("/matches/{match_id}/explanation", responses=errors(Unauthorized, NotFound))
def read_explanation(
    match_id: uuid.UUID, session: SessionDep, principal: OptionalPrincipal, store: StoreDep
) -> MatchExplanation:
    """Return what decided a match: timelines, turning points and failures. Places in logs are for owners."""
    return explain_match(session, match_id, principal, store)


@router.get("/matches/{match_id}/{policy_version_id}/policy-logs", responses=errors(Unauthorized, Forbidden, NotFound))
def list_policy_logs(
    match_id: uuid.UUID, policy_version_id: uuid.UUID, session: SessionDep, principal: CurrentPrincipal, store: StoreDep
) -> list[str]:
    """Return the log of a policy version of the caller's in a match, by the name of its first agent."""
    job_id, agents = service.own_seats(session, match_id, policy_version_id, principal)
    names = [_log_name(agent) for agent in agents]
    return [name for name in names if store.size(job_key(job_id, name)) is not None]


@router.get(
    "/matches/{match_id}/{policy_version_id}/policy-logs/{agent_idx}",
    responses={200: {"content": {"text/plain": {}}}, **errors(Unauthorized, Forbidden, NotFound)},
    response_class=Response,
)
def read_policy_log(
    match_id: uuid.UUID,
    policy_version_id: uuid.UUID,
    agent_idx: Annotated[int, Path(ge=0, le=100_000)],
    session: SessionDep,
    principal: CurrentPrincipal,
    files: FilesDep,
) -> Response:
    """Return the log of an agent's policy: one log for all its agents, with step and agent in each line."""
    job_id, agents = service.own_seats(session, match_id, policy_version_id, principal)
    if agent_idx not in agents:
        raise Forbidden(f"Agent {agent_idx} was not played by this policy version")
    keys = [job_key(job_id, name) for name in service.log_names_of(session, match_id, agent_idx)]
    key = next((key for key in keys if files.store.size(key) is not None), keys[-1])
    return files.send(key, content_type="text/plain")


@router.get(
    "/matches/{match_id}/{policy_version_id}/artifacts/{artifact_type}",
    responses={
        200: {"content": {"text/plain": {}, "application/json": {}}},
        **errors(BadRequest, Unauthorized, Forbidden, NotFound),
    },
    response_class=Response,
)
def read_artifact(
    match_id: uuid.UUID,
    policy_version_id: uuid.UUID,
    artifact_type: Annotated[str, Path(max_length=100, description="`logs` or `error-info`")],
    session: SessionDep,
    principal: CurrentPrincipal,
    files: FilesDep,
) -> Response:
    """Return a file of a match, for those whose policies played in it."""
    if artifact_type not in ARTIFACTS:
        raise BadRequest(f"Unknown artifact type {artifact_type!r}; there are {', '.join(ARTIFACTS)}")
    job_id, _ = service.own_seats(session, match_id, policy_version_id, principal)
    name, content_type = ARTIFACTS[artifact_type]
    if artifact_type == "error-info" and files.store.size(job_key(job_id, name)) is None:
        return _known_error(session, job_id)
    return files.send(job_key(job_id, name), content_type=content_type)


def _known_error(session: SessionDep, job_id: uuid.UUID) -> Response:
    """Return the error of a failure that no worker reported, such as a lost worker."""
    job = session.get_one(Job, job_id)
    if job.error is None:
        raise NotFound("This match has no error")
    names: list[str] = job.stored_spec.get("policy_names") or []
    failed = job.failed_policy_index
    info = ErrorInfo(
        error_type=job.error_type or "unknown",
        message=job.error,
        failed_policy_index=failed,
        failed_policy_name=names[failed] if failed is not None and failed < len(names) else None,
    )
    return Response(
        info.model_dump_json(), media_type="application/json", headers={"X-Content-Type-Options": "nosniff"}
    )


def _log_name(agent: int) -> str:
    return f"policy_agent_{agent}.txt"


def _match(match: Match) -> MatchResponse:
    return MatchResponse(
        id=match.id,
        season_name=match.pool.season.name,
        pool_name=match.pool.name,
        status=_WIRE_STATUS.get(match.status, match.status),
        assignments=match.assignments,
        players=[
            MatchPlayerInfo(
                policy=version_summary(player.pool_player.policy_version),
                num_agents=player.num_agents,
                score=player.score,
            )
            for player in match.players
        ],
        error=match.error,
        error_type=match.error_type,
        episode_id=None if match.job is None else match.job.episode_id,
        job_id=match.job_id,
        seed=visible_seed(match.pool.season, match.seed),
        created_at=match.created_at,
    )

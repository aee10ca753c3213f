"""The files of episodes on request over HTTP. The addresses below `/jobs` are those of older clients."""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from fastapi.responses import Response, StreamingResponse
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import SessionDep
from observatory.database.tables.jobs import Job
from observatory.database.tables.requests import EpisodeRequest, EpisodeSeat, RequestSource
from observatory.errors import BadRequest, Forbidden, NotFound, Unauthorized, errors
from observatory.experience import access, bundles, repository
from observatory.experience.files import error_info, json_bytes, seat_file, spec_document
from observatory.http.callers import CurrentPrincipal, OptionalPrincipal
from observatory.http.deps import StoreDep
from observatory.http.routing import Router
from observatory.http.stored_files import FilesDep, StoredFiles
from observatory.jobs.file_types import file_type
from observatory.store import Missing, Store, job_key
from softmax.wire.requests import (
    PolicyArtifactInfo,
    RequestedAgentStats,
    RequestedEpisodeStats,
    RequestedPolicyStats,
)

__all__ = ["router"]

router = Router()
requests = Router(prefix="/v2", tags=["requests"])
jobs = Router(prefix="/jobs", tags=["jobs"])

# The name in the API, the file.
ARTIFACTS = {
    "results": "results.json",
    "logs": "game.log",
    "error-info": "error_info.json",
    "replay": "replay",
    "player-status": "player_status.json",
    "events": "events.json",
}
DOCUMENTS = ("spec", "game-config")

Agent = Annotated[int, Path(ge=0, le=1000)]
ArtifactType = Annotated[str, Path(max_length=100, description=f"{', '.join((*DOCUMENTS, *ARTIFACTS))}")]
Include = Annotated[str | None, Query(max_length=200, description="`results,replay,...`; all by default")]
_FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}
_ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": {}}}}


@requests.get(
    "/episode-requests/{request_id}/artifacts/{artifact_type}",
    responses={**_FILE, **errors(Unauthorized, Forbidden, NotFound, BadRequest)},
    response_class=Response,
)
def read_artifact(
    request_id: str, artifact_type: ArtifactType, principal: OptionalPrincipal, session: SessionDep, files: FilesDep
) -> Response:
    """Return a file of an episode."""
    return _artifact(repository.episode(session, request_id, principal), artifact_type, principal, files)


@requests.get("/episode-requests/{request_id}/episode-stats", responses=errors(Unauthorized, Forbidden, NotFound))
def read_stats(request_id: str, principal: OptionalPrincipal, session: SessionDep) -> RequestedEpisodeStats:
    """Return the statistics of a played episode."""
    return _stats(session, repository.episode(session, request_id, principal), principal)


@requests.get("/episode-requests/{request_id}/policy-artifacts", responses=errors(Unauthorized, NotFound))
def list_policy_artifacts(
    request_id: str, principal: CurrentPrincipal, session: SessionDep, store: StoreDep
) -> list[PolicyArtifactInfo]:
    """Return the seats of your policies, and which files they have."""
    episode = repository.episode(session, request_id, principal)
    return [
        PolicyArtifactInfo(
            position=seat.position,
            policy_version_id=seat.policy_version.id,
            policy_name=seat.policy_version.policy.name,
            has_log=_has(store, episode, seat_file("log", seat.position)),
            has_artifact=_has(store, episode, seat_file("artifact", seat.position)),
        )
        for seat in access.own_seats(episode, principal)
        if seat.policy_version is not None
    ]


@requests.get(
    "/episode-requests/{request_id}/{policy_version_id}/policy-logs/{agent}",
    responses={200: {"content": {"text/plain": {}}}, **errors(Unauthorized, Forbidden, NotFound)},
    response_class=Response,
)
def read_policy_log(
    request_id: str,
    policy_version_id: uuid.UUID,
    agent: Agent,
    principal: CurrentPrincipal,
    session: SessionDep,
    files: FilesDep,
) -> Response:
    """Return what the policy in a seat wrote."""
    return _seat_response(session, request_id, policy_version_id, agent, principal, files, "log")


@requests.get(
    "/episode-requests/{request_id}/{policy_version_id}/policy-artifact/{agent}",
    responses={**_ZIP, **errors(Unauthorized, Forbidden, NotFound)},
    response_class=Response,
)
def read_policy_artifact(
    request_id: str,
    policy_version_id: uuid.UUID,
    agent: Agent,
    principal: CurrentPrincipal,
    session: SessionDep,
    files: FilesDep,
) -> Response:
    """Return the archive that the policy in a seat left."""
    return _seat_response(session, request_id, policy_version_id, agent, principal, files, "artifact")


@requests.get(
    "/episode-requests/{request_id}/{policy_version_id}/annotations",
    responses={200: {"content": {"application/jsonl": {}}}, **errors(Unauthorized, Forbidden, NotFound)},
    response_class=Response,
)
def read_annotations(
    request_id: str, policy_version_id: uuid.UUID, principal: CurrentPrincipal, session: SessionDep, store: StoreDep
) -> Response:
    """Return what the game noted about a policy version, seat after seat, as JSON lines."""
    episode = repository.episode(session, request_id, principal)
    seats = [seat.position for seat in episode.seats if seat.policy_version_id == policy_version_id]
    if not seats:
        raise NotFound(f"The policy version {policy_version_id} did not play in this episode")
    for position in seats:
        access.own_seat(episode, policy_version_id, position, principal)
    data = b"".join(_bytes(store, episode, seat_file("annotations", position)) for position in seats)
    if not data:
        raise NotFound("The game noted nothing about this policy version")
    return Response(data, media_type="application/jsonl", headers=_SAFE)


@requests.get(
    "/episode-requests/{request_id}/bundle",
    responses={**_ZIP, **errors(Unauthorized, NotFound, BadRequest)},
    response_class=Response,
)
def read_bundle(
    request_id: str, principal: OptionalPrincipal, session: SessionDep, store: StoreDep, include: Include = None
) -> Response:
    """Return the files of an episode that you may read, as a zip archive."""
    episode = repository.episode(session, request_id, principal)
    return _bundle(episode, principal, include, store, None)


@requests.get(
    "/episodes/{episode_id}/bundle",
    responses={**_ZIP, **errors(Unauthorized, NotFound, BadRequest)},
    response_class=Response,
)
def read_bundle_of_episode(
    episode_id: uuid.UUID, principal: OptionalPrincipal, session: SessionDep, store: StoreDep, include: Include = None
) -> Response:
    """Return the files of a recorded episode that you may read, as a zip archive."""
    episode = repository.episode_of_episode(session, episode_id, principal)
    return _bundle(episode, principal, include, store, {"episode_id": str(episode_id)})


@jobs.get(
    "/{job_id}/artifacts/{artifact_type}",
    responses={**_FILE, **errors(Unauthorized, Forbidden, NotFound, BadRequest)},
    response_class=Response,
)
def read_job_artifact(
    job_id: uuid.UUID, artifact_type: ArtifactType, principal: CurrentPrincipal, session: SessionDep, files: FilesDep
) -> Response:
    """Return a file of the episode that a job played."""
    return _artifact(repository.episode_of_job(session, job_id, principal), artifact_type, principal, files)


@jobs.get("/{job_id}/episode-stats", responses=errors(Unauthorized, Forbidden, NotFound))
def read_job_stats(job_id: uuid.UUID, principal: CurrentPrincipal, session: SessionDep) -> RequestedEpisodeStats:
    """Return the statistics of the episode that a job played."""
    return _stats(session, repository.episode_of_job(session, job_id, principal), principal)


@jobs.get("/{job_id}/policy-logs", responses=errors(Unauthorized, NotFound))
def list_job_logs(job_id: uuid.UUID, principal: CurrentPrincipal, session: SessionDep, store: StoreDep) -> list[str]:
    """Return the names of the logs of your policies."""
    return _names(session, job_id, principal, store, "log")


@jobs.get(
    "/{job_id}/policy-logs/{agent}",
    responses={200: {"content": {"text/plain": {}}}, **errors(Unauthorized, Forbidden, NotFound)},
    response_class=Response,
)
def read_job_log(
    job_id: uuid.UUID, agent: Agent, principal: CurrentPrincipal, session: SessionDep, files: FilesDep
) -> Response:
    """Return what the policy in a seat wrote."""
    return _job_file(session, job_id, agent, principal, files, "log")


@jobs.get("/{job_id}/policy-artifact", responses=errors(Unauthorized, NotFound))
def list_job_policy_artifacts(
    job_id: uuid.UUID, principal: CurrentPrincipal, session: SessionDep, store: StoreDep
) -> list[str]:
    """Return the names of the archives that your policies left."""
    return _names(session, job_id, principal, store, "artifact")


@jobs.get(
    "/{job_id}/policy-artifact/{agent}",
    responses={**_ZIP, **errors(Unauthorized, Forbidden, NotFound)},
    response_class=Response,
)
def read_job_policy_artifact(
    job_id: uuid.UUID, agent: Agent, principal: CurrentPrincipal, session: SessionDep, files: FilesDep
) -> Response:
    """Return the archive that the policy in a seat left."""
    return _job_file(session, job_id, agent, principal, files, "artifact")


_SAFE = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox"}


def _artifact(episode: EpisodeRequest, kind: str, principal: Principal | None, files: StoredFiles) -> Response:
    if kind == "spec":
        return Response(json_bytes(spec_document(episode)), media_type="application/json", headers=_SAFE)
    if kind == "game-config":
        return Response(json_bytes(episode.game_config), media_type="application/json", headers=_SAFE)
    if kind not in ARTIFACTS:
        raise BadRequest(f"Unknown artifact type {kind!r}; there are {', '.join((*DOCUMENTS, *ARTIFACTS))}")
    if kind == "results" or (kind == "logs" and episode.source is RequestSource.LOBBY):
        access.check_results(episode, principal)
    try:
        return _send(files, episode, ARTIFACTS[kind])
    except Missing:
        if kind != "error-info":
            raise NotFound(f"This episode left no {kind}") from None
        return Response(json_bytes(error_info(episode)), media_type="application/json", headers=_SAFE)


def _send(files: StoredFiles, episode: EpisodeRequest, name: str) -> Response:
    if episode.job_id is None:
        raise Missing(name)
    return files.send(job_key(episode.job_id, name), content_type=file_type(name))


def _bytes(store: Store, episode: EpisodeRequest, name: str) -> bytes:
    try:
        return b"" if episode.job_id is None else store.get(job_key(episode.job_id, name))
    except Missing:
        return b""


def _has(store: Store, episode: EpisodeRequest, name: str) -> bool:
    return episode.job_id is not None and store.size(job_key(episode.job_id, name)) is not None


def _seat_response(
    session: Session,
    request_id: str,
    policy_version_id: uuid.UUID,
    agent: int,
    principal: Principal,
    files: StoredFiles,
    kind: Literal["log", "artifact"],
) -> Response:
    episode = repository.episode(session, request_id, principal)
    seat = access.own_seat(episode, policy_version_id, agent, principal)
    return _seat_send(files, episode, seat, kind)


def _seat_send(
    files: StoredFiles, episode: EpisodeRequest, seat: EpisodeSeat, kind: Literal["log", "artifact"]
) -> Response:
    try:
        return _send(files, episode, seat_file(kind, seat.position))
    except Missing:
        raise NotFound(f"The policy in seat {seat.position} left no {kind}") from None


def _job_file(
    session: Session,
    job_id: uuid.UUID,
    agent: int,
    principal: Principal,
    files: StoredFiles,
    kind: Literal["log", "artifact"],
) -> Response:
    episode = repository.episode_of_job(session, job_id, principal)
    seat = next((seat for seat in episode.seats if seat.position == agent), None)
    if seat is None:
        raise NotFound(f"This episode has no seat {agent}")
    if seat not in access.own_seats(episode, principal):
        raise Forbidden("Only the owner of a policy may read what it wrote")
    return _seat_send(files, episode, seat, kind)


def _names(
    session: Session, job_id: uuid.UUID, principal: Principal, store: Store, kind: Literal["log", "artifact"]
) -> list[str]:
    episode = repository.episode_of_job(session, job_id, principal)
    names = [seat_file(kind, seat.position) for seat in access.own_seats(episode, principal)]
    return [name for name in names if _has(store, episode, name)]


def _stats(session: Session, episode: EpisodeRequest, principal: Principal | None) -> RequestedEpisodeStats:
    access.check_results(episode, principal)
    job = None if episode.job_id is None else session.get(Job, episode.job_id)
    if job is None or job.result is None:
        raise NotFound("This episode has no statistics: it was not played to its end")
    result = job.result
    policies = []
    for seat in episode.seats:
        reward, metrics = result["rewards"][seat.position], result["stats"]["agent"][seat.position]
        version = seat.policy_version
        policies.append(
            RequestedPolicyStats(
                position=seat.position,
                policy_version_id=None if version is None else version.id,
                policy_name=seat.game_player_id if version is None else version.policy.name,
                policy_version=None if version is None else version.version,
                num_agents=1,
                avg_metrics=metrics,
                avg_reward=reward,
                agents=[RequestedAgentStats(agent_id=seat.position, reward=reward, metrics=metrics)],
            )
        )
    return RequestedEpisodeStats(game_stats=result["stats"]["game"], policy_stats=policies, steps=result["steps"])


def _bundle(
    episode: EpisodeRequest,
    principal: Principal | None,
    include: str | None,
    store: Store,
    identity: dict[str, str] | None,
) -> Response:
    categories = bundles.parse_include(include)
    archive = bundles.write_bundle(episode, principal, include=categories, store=store, identity=identity)
    name = f"{next(iter((identity or {'': str(episode.id)}).values()))}.zip"
    headers = {**_SAFE, "Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(bundles.streamed(archive), media_type="application/zip", headers=headers)


router.include_router(requests)
router.include_router(jobs)

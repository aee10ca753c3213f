"""The page of an episode: what happened, its files, its replay, and what roles of the game wrote about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.coworlds import manifests, role_runs
from observatory.coworlds.role_runs import Role
from observatory.database.tables.accounts import User
from observatory.database.tables.coworlds import RoleRun
from observatory.database.tables.jobs import Job
from observatory.database.tables.requests import EpisodeRequest
from observatory.errors import Unprocessable
from observatory.experience import access, repository
from observatory.experience.files import readable_files, seat_file
from observatory.experience.wire import replay_key
from observatory.games.coworlds import coworlds
from observatory.games.finding import GameMissing
from observatory.pages import repository as queries
from observatory.pages.episode_lines import episode_lines
from observatory.pages.episode_schemas import (
    EpisodeFault,
    EpisodeFileLine,
    EpisodeOutput,
    EpisodePage,
    EpisodeReplay,
    EpisodeRole,
    EpisodeRoleRun,
    ReplayKind,
)
from observatory.pages.faults import fault_kind
from observatory.pages.matches import timings
from observatory.pages.names import author_name
from observatory.public_ids import public_id
from observatory.requests.transitions import ENDED
from observatory.store import Store, job_key

__all__ = ["episode_page", "replay_kind", "shows_own_viewer"]

OWN_VIEWER_IMAGE = "cogsguard/coworld"
"""the image of the game whose replays the viewer of this server shows"""
_ROLES: tuple[Role, ...] = ("reporter", "grader", "diagnoser")
_TITLES: dict[str, tuple[str, Literal["log", "json", "archive", "replay"]]] = {
    "results": ("Results", "json"),
    "replay": ("Replay", "replay"),
    "events": ("Events", "json"),
    "error_info": ("Error details", "json"),
    "game_logs": ("Game log", "log"),
    "player_logs": ("Log of seat {}", "log"),
    "player_artifact": ("Artifact of seat {}", "archive"),
}
_ARTIFACTS = {"results": "results", "replay": "replay", "events": "events", "game_logs": "logs"}


def episode_page(session: Session, text: str, principal: Principal | None, store: Store) -> EpisodePage:
    """Return an episode, as far as the caller may see it."""
    episode = repository.episode(session, text, principal)
    [line] = episode_lines(session, [episode], principal)
    job = None if episode.job_id is None else queries.job_of(session, episode.job_id)
    stored = _stored(episode, store)
    for seat in line.seats:
        seat.has_log = seat.mine and seat_file("log", seat.position) in stored
        seat.has_artifact = seat.mine and seat_file("artifact", seat.position) in stored
    sees_results = access.may_read_results(episode, principal)
    requester = session.get_one(User, episode.user_id)
    request = episode.experience_request
    is_own = principal is not None and (principal.is_admin or principal.user_id == episode.user_id)
    owns_game = principal is not None and principal.user_id == episode.coworld.user_id
    return EpisodePage(
        **dict(line),
        requester=author_name(requester.name),
        request_id=public_id("xreq", request.id) if request is not None and is_own else None,
        request_title=request.title if request is not None and is_own else None,
        seed=episode.seed,
        max_steps=episode.max_steps,
        steps=None if job is None else (job.result or {}).get("steps"),
        attempts=0 if job is None else job.attempts,
        timings=timings(job),
        fault=_fault(episode),
        replay=_replay(episode, job),
        sees_results=sees_results and "results.json" in stored,
        results_schema=episode.coworld.manifest["game"].get("results_schema") or {},
        game_config=_public_config(episode.game_config),
        files=list(_files(episode, principal, stored)),
        bundle_url=f"{_address(episode)}/bundle",
        roles=_roles(episode),
        runs=[_run(run) for run in role_runs.runs(session, episode)],
        may_run_roles=(sees_results or owns_game) and episode.status in ENDED,
    )


def replay_kind(episode: EpisodeRequest) -> ReplayKind:
    """Return how the replay of an episode is shown."""
    if replay_key(episode) is None:
        return ReplayKind.NONE
    if shows_own_viewer(episode.coworld.manifest):
        return ReplayKind.VIEWER
    try:
        bundle = manifests.viewer_bundle(episode.coworld.manifest)
    except Unprocessable:
        bundle = None
    return ReplayKind.HOSTED if bundle is None else ReplayKind.BUNDLE


def shows_own_viewer(manifest: Mapping[str, Any]) -> bool:
    """Return whether the viewer of this server shows the replays of a game."""
    image = str((manifest["game"].get("runnable") or {}).get("image", ""))
    if image.partition(":")[0] != OWN_VIEWER_IMAGE:
        return False
    try:
        return coworlds().is_own_image(image)
    except GameMissing:
        return False


def _replay(episode: EpisodeRequest, job: Job | None) -> EpisodeReplay:
    kind = replay_kind(episode)
    if kind is not ReplayKind.NONE:
        return EpisodeReplay(kind=kind, download_url=f"{_address(episode)}/artifacts/replay", why=None)
    if job is not None and job.replay_removed_at is not None:
        why = "The replay has expired"
    elif episode.status in ENDED:
        why = "The episode ended before a replay was recorded"
    else:
        why = "The replay is available after the episode"
    return EpisodeReplay(kind=kind, download_url=None, why=why)


def _fault(episode: EpisodeRequest) -> EpisodeFault | None:
    if episode.error_type is None:
        return None
    kind = fault_kind(episode.error_type, episode.failed_policy_index)
    return EpisodeFault(
        kind=kind, seat=episode.failed_policy_index, error_type=episode.error_type, message=episode.error or ""
    )


def _stored(episode: EpisodeRequest, store: Store) -> set[str]:
    """Return the names of the episode's files that the store has."""
    if episode.job_id is None or episode.status not in ENDED:
        return set()
    prefix = job_key(episode.job_id, "")
    return {key.removeprefix(prefix) for key in store.keys(prefix)}


def _files(episode: EpisodeRequest, principal: Principal | None, stored: set[str]) -> Iterator[EpisodeFileLine]:
    address = _address(episode)
    seats = {seat.position: seat for seat in episode.seats}
    for file in readable_files(episode, principal):
        is_error = file.category == "error_info"
        if file.name not in stored and not (is_error and episode.error_type is not None):
            continue
        title, kind = _TITLES[file.category]
        if file.position is None:
            url = f"{address}/artifacts/{'error-info' if is_error else _ARTIFACTS[file.category]}"
        else:
            version = seats[file.position].policy_version_id
            if version is None:
                continue  # no address: a player of the game has no version
            route = "policy-logs" if file.category == "player_logs" else "policy-artifact"
            url = f"{address}/{version}/{route}/{file.position}"
        yield EpisodeFileLine(title=title.format(file.position), name=file.name, url=url, kind=kind, seat=file.position)


def _address(episode: EpisodeRequest) -> str:
    return f"/v2/episode-requests/{public_id('ereq', episode.id)}"


def _public_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration without the tokens of seats."""
    return {key: value for key, value in config.items() if key != "tokens"}


def _roles(episode: EpisodeRequest) -> list[EpisodeRole]:
    manifest = episode.coworld.manifest
    described: dict[tuple[str, str], Mapping[str, Any]] = {
        (role, str(entry.get("reporter") or entry.get("id"))): entry
        for role in _ROLES
        for entry in manifest.get(role) or []
    }
    return [
        EpisodeRole(
            role=entry.role,
            id=entry.id,
            name=str(described[entry.role, entry.id].get("name") or entry.id),
            description=str(described[entry.role, entry.id].get("description") or ""),
        )
        for entry in role_runs.roles(manifest, _ROLES)
    ]


def _run(run: RoleRun) -> EpisodeRoleRun:
    outputs: Sequence[Any] = run.outputs
    return EpisodeRoleRun(
        id=run.id,
        role=cast(Role, run.role),
        role_id=run.role_id,
        seat=int(run.target) if run.target else None,
        status=run.status.value,
        error=run.error,
        outputs=[
            EpisodeOutput(id=output.id, name=output.name, type=output.type, size_bytes=output.size_bytes)
            for output in outputs
        ],
        completed_at=run.completed_at,
    )

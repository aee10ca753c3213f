"""Decide which files of an episode on request a caller gets in order to play it again."""

from __future__ import annotations

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.jobs import Job
from observatory.database.tables.requests import EpisodeRequest, EpisodeSeat
from observatory.errors import Conflict
from observatory.experience.files import readable_files
from observatory.experience.wire import RequestWire
from observatory.policies.archives import archive_key
from observatory.public_ids import public_id
from observatory.reproduction.service import why_not
from observatory.settings import Settings
from observatory.store import Store, job_key
from softmax.wire import ReproducedArtifact, ReproducedPolicy
from softmax.wire.requests import EpisodeReproduction

__all__ = ["episode_reproduction"]


def episode_reproduction(
    session: Session, episode: EpisodeRequest, principal: Principal, *, store: Store, settings: Settings
) -> EpisodeReproduction:
    """Return an episode with the policies and files that the caller may have; 409 if it was not played to an end."""
    job = None if episode.job_id is None else session.get(Job, episode.job_id)
    if job is None or not job.digests:
        raise Conflict(f"The episode is {episode.status.value} and left no files that could be compared")
    wire = RequestWire(store, settings)
    runtime = job.runtime or {}
    names = [file.name for file in readable_files(episode, principal)]
    return EpisodeReproduction(
        id=public_id("ereq", episode.id),
        job_id=job.id,
        coworld_id=public_id("cow", episode.coworld_id),
        coworld_name=episode.coworld.name,
        coworld_version=episode.coworld.version,
        manifest_hash=episode.coworld.manifest_hash,
        variant_id=episode.variant_id,
        seed=episode.seed,
        status=episode.status,
        spec=job.stored_spec,
        policies=[_policy(session, seat, principal, wire) for seat in episode.seats],
        artifacts={
            name: ReproducedArtifact(url=_address(wire, job_key(job.id, name)), sha256=digest)
            for name, digest in job.digests.items()
            if name in names and store.size(job_key(job.id, name)) is not None
        },
        runnables=runtime.get("runnables", []),
        versions=runtime.get("versions", {}),
    )


def _policy(session: Session, seat: EpisodeSeat, principal: Principal, wire: RequestWire) -> ReproducedPolicy:
    version = seat.policy_version
    if version is None:
        return ReproducedPolicy(name=seat.game_player_id or "", why_not="it is a player of the game")
    reason = why_not(session, version, principal)
    key = None if reason is not None else archive_key(version)
    return ReproducedPolicy(
        name=f"{version.policy.name}:v{version.version}",
        policy_version_id=version.id,
        bundle_url=None if key is None else _address(wire, key),
        bundle_sha256=version.bundle_sha256,
        why_not=reason,
    )


def _address(wire: RequestWire, key: str) -> str:
    return wire.store.download_url(key, seconds=wire.settings.download_url_seconds)

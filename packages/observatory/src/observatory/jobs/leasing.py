"""Build a worker's lease: the job, its policies, and the URLs for its files."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory import games
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.images import ContainerImage
from observatory.database.tables.jobs import Job
from observatory.database.tables.policies import PolicyKind, PolicyVersion
from observatory.errors import NotFound
from observatory.games import GameMissing, OutputFile
from observatory.images.addresses import Registry
from observatory.job_states import EPISODE, JobStatus, Lane
from observatory.jobs import service, specs
from observatory.jobs.affinity import Affinity
from observatory.jobs.file_types import file_type
from observatory.jobs.files import output_files
from observatory.jobs.schemas import ErrorInfo, Lease, LeasedPolicy
from observatory.keys import Keys
from observatory.policies import grants, secrets
from observatory.policies.archives import archive_key
from observatory.public_ids import parse_public_id
from observatory.settings import Settings
from observatory.store import Store

__all__ = ["GRACE_SECONDS", "attempt_name", "lease_next", "secrets_of"]

# Files outlive the job's time limit a little: they are sent when the episode is over.
GRACE_SECONDS = 1800


def lease_next(
    session: Session,
    worker: str,
    *,
    live: Collection[str],
    settings: Settings,
    store: Store,
    now: datetime,
    lane: Lane = EPISODE,
    labels: Collection[str] = (),
    unpacked: Collection[str] = (),
    affinity: Affinity | None = None,
    token_id: uuid.UUID | None = None,
) -> tuple[Job, Lease] | None:
    """Return the next job that this worker can play. A job whose policies no longer exist fails here."""
    while True:
        leased = service.take_next(
            session,
            worker,
            live=live,
            now=now,
            lease_seconds=settings.lease_seconds,
            lane=lane,
            labels=labels,
            unpacked=unpacked,
            affinity=affinity,
            token_id=token_id,
        )
        if leased is None:
            return None
        job, token = leased
        policies: list[LeasedPolicy] = []
        spec = job.spec
        engine = games.engine_of(spec)
        spec = {**spec, **_shared_parts(session, spec)}
        try:
            for uri in spec.get("policy_uris", []):
                policies.append(_policy(session, uri, engine=engine, settings=settings, store=store))
        except NotFound as problem:
            error = ErrorInfo(error_type="policy_error", message=problem.message, failed_policy_index=len(policies))
            service.end(session, job, service.Ending(JobStatus.FAILED, error=error), now=now)
            continue
        except GameMissing as problem:
            error = ErrorInfo(error_type="internal_error", message=problem.message)
            service.end(session, job, service.Ending(JobStatus.FAILED, error=error), now=now)
            continue
        return job, Lease(
            job_id=job.id,
            job_token=token,
            attempt=job.attempts,
            lease_seconds=settings.lease_seconds,
            time_limit_seconds=settings.job_time_limit_seconds,
            spec=spec,
            policies=policies,
            outputs={file.name: _output_url(job, file, settings, store) for file in output_files(job)},
        )


def attempt_name(job: Job, name: str) -> str:
    """Return the key of a file of the current lease until the job is finished."""
    return f"jobs/{job.id}/attempt-{job.attempts}/{name}"


def secrets_of(session: Session, job: Job, *, keys: Keys, now: datetime) -> dict[int, dict[str, str]]:
    """Return the secrets of the job's policies, by position; each read is recorded."""
    by_policy: dict[int, dict[str, str]] = {}
    for index, uri in enumerate(job.spec.get("policy_uris", [])):
        version_id = specs.policy_version_id(uri)
        if version_id is not None and secrets.has_secrets(session, version_id):
            reader = job.worker or ""
            by_policy[index] = secrets.read_secrets(session, keys, version_id, reader=reader, job_id=job.id, now=now)
    return by_policy


def _shared_parts(session: Session, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest for an episode of a Coworld: all its episodes share it, and jobs only name it."""
    if "coworld_id" not in spec:
        return {}
    return {"manifest": session.get_one(Coworld, uuid.UUID(spec["coworld_id"])).manifest}


def _policy(session: Session, uri: str, *, engine: str, settings: Settings, store: Store) -> LeasedPolicy:
    version_id = specs.policy_version_id(uri)
    if version_id is None:
        name = specs.registered_policy(uri, games.find(engine))
        if name is None:
            raise NotFound(f"There is no policy {uri}")
        return LeasedPolicy(name=name, bundle_url=None, policy=uri, egress=[], has_secrets=False)
    version = session.get(PolicyVersion, version_id)
    key = None if version is None else archive_key(version)
    image = None if version is None else _image(session, version, settings)
    if version is None or (key is None and image is None):
        raise NotFound(f"The policy version {version_id} has neither a bundle nor an image")
    seconds = int(settings.job_time_limit_seconds) + GRACE_SECONDS
    return LeasedPolicy(
        name=f"{version.policy.name}:v{version.version}",
        version_id=version_id,
        bundle_url=None if key is None else settings.as_path(store.download_url(key, seconds=seconds)),
        policy=None,
        image=image,
        program={} if image is None else version.spec,
        egress=grants.allowed_hosts(session, version_id),
        package_index=grants.may_use_index(session, version_id),
        has_secrets=secrets.has_secrets(session, version_id),
    )


def _image(session: Session, version: PolicyVersion, settings: Settings) -> str | None:
    """Return the address from which a worker pulls the image of a version; None if it has no image."""
    if version.kind is not PolicyKind.IMAGE or version.container_image_id is None:
        return None
    image = session.get(ContainerImage, parse_public_id("img", version.container_image_id))
    return None if image is None else Registry(settings.base_url()).pull_uri(image)


def _output_url(job: Job, file: OutputFile, settings: Settings, store: Store) -> str:
    url = store.upload_url(
        attempt_name(job, file.name),
        content_type=file_type(file.name),
        max_bytes=min(settings.max_artifact_bytes, file.max_bytes),
        seconds=int(settings.job_time_limit_seconds) + GRACE_SECONDS,
        replace=True,
    )
    return settings.as_path(url)

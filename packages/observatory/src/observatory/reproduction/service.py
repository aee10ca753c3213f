"""Decide which files of a match a caller gets in order to reproduce it."""

from __future__ import annotations

import uuid

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.jobs import Job
from observatory.database.tables.matches import Match
from observatory.database.tables.policies import PolicyVersion
from observatory.errors import Conflict, Forbidden
from observatory.jobs.files import replay_files
from observatory.jobs.specs import policy_version_id
from observatory.matches import repository
from observatory.policies import grants, secrets
from observatory.policies.archives import archive_key
from observatory.secrecy import seeds_are_public
from observatory.settings import Settings
from observatory.store import Store, job_key
from softmax.wire import MatchReproduction, ReproducedArtifact, ReproducedPolicy

__all__ = ["reproduction", "why_not"]


class SeedsHidden(Forbidden):
    def __init__(self, season: str, version: int) -> None:
        super().__init__(
            f"Season {season!r}, version {version}, is still being played and its seeds are hidden; "
            "its matches can be played again when it has ended"
        )


def reproduction(
    session: Session, match_id: uuid.UUID, principal: Principal | None, *, store: Store, settings: Settings
) -> MatchReproduction:
    """Return a match with its seeds and the bundles the caller may have; before the season's end only to operators."""
    match = repository.match(session, match_id, principal)
    season = match.pool.season
    if not seeds_are_public(season) and (principal is None or not principal.is_admin):
        raise SeedsHidden(season.name, season.version)
    job = None if match.job_id is None else session.get(Job, match.job_id)
    if job is None or not job.digests:
        raise Conflict(f"Match {match.id} is {match.status.value} and left no results that could be compared")
    return MatchReproduction(
        match_id=match.id,
        job_id=job.id,
        season_name=season.name,
        season_version=season.version,
        pool_name=match.pool.name,
        status=match.status.value,
        spec=job.spec,
        policies=_policies(session, match, job, principal, store=store, settings=settings),
        artifacts={
            name: ReproducedArtifact(url=_address(store, settings, job_key(job.id, name)), sha256=digest)
            for name, digest in job.digests.items()
            if name not in replay_files(job) or job.replay_removed_at is None
        },
        versions=(job.runtime or {}).get("versions", {}),
    )


def _policies(
    session: Session, match: Match, job: Job, principal: Principal | None, *, store: Store, settings: Settings
) -> list[ReproducedPolicy]:
    names = job.spec.get("policy_names") or job.spec["policy_uris"]
    policies = []
    for name, uri in zip(names, job.spec["policy_uris"], strict=True):
        version_id = policy_version_id(uri)
        version = None if version_id is None else session.get(PolicyVersion, version_id)
        reason = why_not(session, version, principal)
        key = None if version is None or reason is not None else archive_key(version)
        policies.append(
            ReproducedPolicy(
                name=name,
                policy_version_id=version_id,
                bundle_url=None if key is None else _address(store, settings, key),
                bundle_sha256=None if version is None else version.bundle_sha256,
                why_not=reason,
            )
        )
    return policies


def why_not(session: Session, version: PolicyVersion | None, principal: Principal | None) -> str | None:
    """Return why the caller cannot run a policy; None if they can."""
    if version is None or archive_key(version) is None:
        return "its bundle is missing"
    if secrets.has_secrets(session, version.id) or grants.allowed_hosts(session, version.id):
        return "it used secrets or network hosts that others cannot use"
    is_owner = principal is not None and version.policy.user_id == principal.user_id
    if version.public_bundle or is_owner or (principal is not None and principal.is_admin):
        return None
    return "its bundle belongs to another user"


def _address(store: Store, settings: Settings, key: str) -> str:
    return store.download_url(key, seconds=settings.download_url_seconds)

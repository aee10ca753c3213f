"""Submit policies to seasons, with all checks."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import Season, SeasonStatus, TournamentType
from observatory.errors import BadRequest, Conflict
from observatory.policies.service import own_version
from observatory.seasons import repository
from observatory.seasons.memberships import add_member
from observatory.seasons.repository import SeasonReference
from observatory.seasons.withdrawals import withdrawn_versions

__all__ = ["AlreadySubmitted", "SubmissionsClosed", "check_open", "submit"]


class AlreadySubmitted(Conflict):
    def __init__(self, season: str) -> None:
        super().__init__(f"This policy version was submitted to season {season!r} already")


class WasWithdrawn(Conflict):
    def __init__(self, season: str) -> None:
        super().__init__(f"This policy version was withdrawn from season {season!r}; upload it again as a new version")


class SubmissionsClosed(Conflict):
    def __init__(self, season: str, why: str) -> None:
        super().__init__(f"Season {season!r} takes no more policies: {why}")


def submit(
    session: Session, principal: Principal, reference: str, policy_version_id: uuid.UUID, *, now: datetime
) -> list[str]:
    """Enter a version of the caller's in a season; the names of the pools it is in now."""
    season = repository.season(session, reference, principal)
    if SeasonReference.parse(reference).version is not None:
        raise BadRequest(f"Submit to {season.name!r} without naming a version")
    version = own_version(session, principal, policy_version_id)
    if repository.is_entered(session, season.id, version.id):
        was_withdrawn = version.id in withdrawn_versions(session, season.id)
        raise WasWithdrawn(season.name) if was_withdrawn else AlreadySubmitted(season.name)
    check_open(session, season)
    _check_compatible(season, version)
    if version.bundle_key is None:
        raise BadRequest("This policy version has no bundle that could be played; upload one")
    assert season.entry_pool is not None
    pool = repository.pool(season, season.entry_pool)
    add_member(session, pool, version, now=now, notes="Submitted")
    return [pool.name]


def _check_compatible(season: Season, version: PolicyVersion) -> None:
    """Check the game version for which a bundle was built; a bundle that names none is accepted."""
    season_version, bundle_version = season.compat_version, version.spec.get("compat_version")
    if season_version is None or not isinstance(bundle_version, str):
        return
    if bundle_version.removeprefix("v").split(".")[:2] != season_version.split(".")[:2]:
        raise BadRequest(
            f"Season {season.name!r} plays version {season_version} and this bundle was built for "
            f"{bundle_version[:32]}; build it again with cogames {season_version}"
        )


def check_open(session: Session, season: Season) -> None:
    """Raise `SubmissionsClosed` when a season accepts no policies."""
    if season.disabled_at is not None:
        raise SubmissionsClosed(season.name, "it was closed")
    if season.status is SeasonStatus.complete:
        raise SubmissionsClosed(season.name, "it is complete")
    if season.entry_pool is None:
        raise SubmissionsClosed(season.name, "it has no pool to enter")
    if season.tournament_type is TournamentType.team and repository.has_teams(session, season.id):
        raise SubmissionsClosed(season.name, "its teams are drawn")

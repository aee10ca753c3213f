"""Diagnoses: an assay on the missions of `cogames diagnose`, with findings for the author of the policy."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory import games
from observatory.accounts.principal import Principal
from observatory.assays import service
from observatory.assays.measuring import find_weaknesses
from observatory.assays.schemas import AssayCreate, AssayMission
from observatory.assays.service import PreparedJob
from observatory.database.tables.assays import AssayRun, AssayStatus
from observatory.errors import BadRequest, Conflict, TooManyRequests
from observatory.paging import count
from observatory.policies.service import own_version
from observatory.settings import Settings
from softmax.wire import AssayResultsResponse, DiagnosisFinding

__all__ = [
    "DIAGNOSIS",
    "check_may_diagnose",
    "create_diagnosis",
    "diagnosis_body",
    "diagnosis_results",
    "latest_diagnosis",
    "why_no_diagnosis",
]

DIAGNOSIS = "diagnosis"
"""the name of these runs; no two of one policy version run at the same time"""


def diagnosis_body(policy_version_id: uuid.UUID) -> AssayCreate:
    """Return the assay of a diagnosis. This is slow."""
    missions = [AssayMission(**mission.model_dump()) for mission in games.season_game().diagnosis_missions()]
    return AssayCreate(policy_version_id=policy_version_id, missions=missions, name=DIAGNOSIS)


def create_diagnosis(
    session: Session,
    principal: Principal,
    body: AssayCreate,
    jobs: list[PreparedJob],
    *,
    settings: Settings,
    now: datetime,
) -> AssayRun:
    """Queue a diagnosis, unless the caller has had as many as a day allows."""
    check_may_diagnose(session, principal, body.policy_version_id, settings=settings, now=now)
    return service.create_run(session, principal, body, jobs, settings=settings, now=now)


def check_may_diagnose(
    session: Session, principal: Principal, policy_version_id: uuid.UUID, *, settings: Settings, now: datetime
) -> None:
    """Raise an error if the caller cannot diagnose a version now: it is another's, one is running, or too many ran."""
    version = own_version(session, principal, policy_version_id)
    if version.bundle_key is None:
        raise BadRequest("This policy version has no bundle that could be played; upload one")
    latest = latest_diagnosis(session, principal, policy_version_id)
    if latest is not None and latest.status is AssayStatus.pending:
        raise Conflict("A diagnosis of this policy version is running already")
    if (reason := why_no_diagnosis(session, principal, settings=settings, now=now)) is not None:
        raise TooManyRequests(reason, retry_after=3600)


def why_no_diagnosis(session: Session, principal: Principal, *, settings: Settings, now: datetime) -> str | None:
    """Return why the caller cannot start another diagnosis now; None if that is possible."""
    recent = select(AssayRun.id).where(
        AssayRun.user_id == principal.user_id,
        AssayRun.name == DIAGNOSIS,
        AssayRun.created_at > now - timedelta(days=1),
    )
    most = settings.max_diagnoses_per_day
    return f"You may start {most} diagnoses a day; try again tomorrow" if count(session, recent) >= most else None


def latest_diagnosis(session: Session, principal: Principal, policy_version_id: uuid.UUID) -> AssayRun | None:
    """Return the caller's last diagnosis of a version."""
    runs = service.runs(session, principal, policy_version_id)
    return next((run for run in runs if run.name == DIAGNOSIS), None)


def diagnosis_results(session: Session, run: AssayRun) -> tuple[AssayResultsResponse | None, list[DiagnosisFinding]]:
    """Return scores and findings of a run that has ended; (None, []) before."""
    if run.status is AssayStatus.pending:
        return None, []
    return service.results(session, run), find_weaknesses(service.played_episodes(session, run))

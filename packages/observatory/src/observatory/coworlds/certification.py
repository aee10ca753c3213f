"""Certify Coworlds: a worker runs the transcript of the package `coworld`, and its report is stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.coworlds import Certification, CertificationState, Coworld
from observatory.database.tables.jobs import Job
from observatory.events import Change, ChangeKind
from observatory.games.coworlds import COWORLD_ENGINE
from observatory.job_states import JobStatus, Priority
from observatory.jobs.service import create_job
from observatory.jobs.shares import CHECKS
from softmax.wire.coworlds import CertificationFailure

__all__ = ["CERTIFICATION", "follow_job", "queue_certification"]

CERTIFICATION = "certification"
"""the type of the jobs"""
MAX_TRANSCRIPT_CHARACTERS = 200_000

_PLATFORM_REASONS = frozenset({"platform_error", "worker_error"})
"""reasons of a failed step that say nothing about the game"""


def queue_certification(session: Session, coworld: Coworld, *, now: datetime) -> None:
    """Queue a certification; an earlier result is dropped."""
    spec = {
        "game_engine": COWORLD_ENGINE,
        "kind": CERTIFICATION,
        "coworld_id": str(coworld.id),
        "policy_uris": [],
        "assignments": [],
    }
    job = create_job(
        session,
        spec,
        now=now,
        user_id=coworld.user_id,
        job_type=CERTIFICATION,
        priority=Priority.FIRST,
        queue_group=CHECKS,
    )
    row = coworld.certification
    if row is None:
        row = coworld.certification = Certification(coworld_id=coworld.id)
    row.state, row.job_id = CertificationState.QUEUED, job.id
    row.contract_version = row.failed_step = row.failure = row.transcript = row.completed_at = None
    row.transcript_summary = []
    session.flush()
    _note(session, coworld)


def follow_job(session: Session, row: Certification, job: Job, *, now: datetime) -> None:
    """Copy the state of a job to the certification that it runs."""
    match job.status:
        case JobStatus.PENDING:
            row.state = CertificationState.QUEUED
        case JobStatus.DISPATCHED | JobStatus.RUNNING:
            row.state = CertificationState.CERTIFYING
        case JobStatus.COMPLETED:
            _store_report(row, job.result or {})
            row.completed_at = now
        case JobStatus.FAILED:
            row.state, row.completed_at = CertificationState.FAILED, now
            row.failure = _failure(
                "platform",
                job.error or "No worker could run the certification.",
                "Try again with `coworld retry-certification`; if it fails again, ask the operator of the server.",
                retryable=True,
            )
    session.flush()
    _note(session, row.coworld)


def _store_report(row: Certification, report: Mapping[str, Any]) -> None:
    """Store the report of a worker, see `coworld.league.certifying`."""
    steps = report.get("steps") or []
    failed = next((step for step in steps if step["status"] == "fail"), None)
    row.state = CertificationState.CERTIFIED if report.get("certified") else CertificationState.FAILED
    row.contract_version = report.get("contract_version")
    row.transcript = str(report.get("transcript") or "")[:MAX_TRANSCRIPT_CHARACTERS]
    row.transcript_summary = [{"id": step["id"], "status": step["status"]} for step in steps]
    if row.state is CertificationState.CERTIFIED:
        return
    row.failed_step = None if failed is None else failed["id"]
    reason = "platform_error" if failed is None else failed.get("failure_reason") or "step_failed"
    is_platform = reason in _PLATFORM_REASONS
    row.failure = _failure(
        "platform" if is_platform else "author",
        (failed or {}).get("feedback") or "The certification did not end.",
        "Try again with `coworld retry-certification`."
        if is_platform
        else f"Correct what the step `{row.failed_step}` names, run `coworld certify`, and upload another version.",
        retryable=is_platform,
    )


def _failure(kind: str, detail: str, remediation: str, *, retryable: bool) -> dict[str, Any]:
    failure = CertificationFailure(kind=kind, detail=detail[:4000], remediation=remediation, retryable=retryable)
    return failure.model_dump()


def _note(session: Session, coworld: Coworld) -> None:
    events.note(session, Change(ChangeKind.COWORLD, ids=frozenset({coworld.id})))

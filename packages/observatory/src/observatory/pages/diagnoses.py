"""The diagnosis of one's own policy, for its page."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

import anyio.to_thread
from pydantic import BaseModel
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.assays import diagnosis, service
from observatory.clock import Now
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    NotFound,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    errors,
)
from observatory.http.callers import CurrentPrincipal, Writer
from observatory.http.deps import SettingsDep
from observatory.http.routing import Router
from observatory.policies.service import own_version
from observatory.settings import Settings
from softmax.wire import AssayRunResponse, AxisScore, DiagnosisFinding, MissionMetrics

__all__ = ["router"]

router = Router(prefix="/observatory/api", tags=["pages"])


class DiagnosisPage(BaseModel):
    """The last diagnosis of a policy version of the caller's."""

    run: AssayRunResponse | None
    axes: list[AxisScore]
    """scores from 0 to 100; empty until the run has ended"""
    missions: dict[str, MissionMetrics]
    findings: list[DiagnosisFinding]
    """weaknesses, the worst first"""
    why_not: str | None
    """why no other one can be started now, as a sentence"""


@router.get("/policies/{policy_version_id}/diagnosis", responses=errors(Unauthorized, Forbidden, NotFound))
def read_diagnosis(
    policy_version_id: uuid.UUID, session: SessionDep, principal: CurrentPrincipal, settings: SettingsDep, now: Now
) -> DiagnosisPage:
    """Return the last diagnosis of a policy version of the caller's."""
    own_version(session, principal, policy_version_id)
    return _page(session, principal, policy_version_id, settings, now)


@router.post(
    "/policies/{policy_version_id}/diagnosis",
    responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict, TooLarge, TooManyRequests),
)
@own_transactions
async def start_diagnosis(
    policy_version_id: uuid.UUID, database: DatabaseDep, principal: Writer, settings: SettingsDep, now: Now
) -> DiagnosisPage:
    """Play a policy version of the caller's on the missions of `cogames diagnose`."""
    limits: dict[str, Any] = {"settings": settings, "now": now}
    # Loading the missions takes seconds: refuse before it.
    await database.query(lambda session: diagnosis.check_may_diagnose(session, principal, policy_version_id, **limits))
    body = await anyio.to_thread.run_sync(diagnosis.diagnosis_body, policy_version_id)
    jobs = await anyio.to_thread.run_sync(service.prepare, body)

    def create(session: Session) -> DiagnosisPage:
        diagnosis.create_diagnosis(session, principal, body, jobs, **limits)
        return _page(session, principal, policy_version_id, settings, now)

    return await database.write(create)


def _page(
    session: Session, principal: Principal, policy_version_id: uuid.UUID, settings: Settings, now: datetime
) -> DiagnosisPage:
    run = diagnosis.latest_diagnosis(session, principal, policy_version_id)
    results, findings = (None, []) if run is None else diagnosis.diagnosis_results(session, run)
    return DiagnosisPage(
        run=None if run is None else service.run_response(session, run),
        axes=[] if results is None else results.axes,
        missions={} if results is None else results.missions,
        findings=findings,
        why_not=diagnosis.why_no_diagnosis(session, principal, settings=settings, now=now),
    )

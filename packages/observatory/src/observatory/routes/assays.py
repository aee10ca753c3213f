"""Assays over HTTP."""

from __future__ import annotations

import uuid

import anyio.to_thread
from sqlalchemy.orm import Session

from observatory.assays import service
from observatory.assays.schemas import AssayCreate
from observatory.clock import Now
from observatory.database import DatabaseDep, SessionDep, own_transactions
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, TooLarge, Unauthorized, errors
from observatory.http.callers import CurrentPrincipal, Writer
from observatory.http.deps import SettingsDep
from observatory.http.routing import Router, body_rule
from observatory.settings import MEGABYTE
from softmax.wire import AssayResultsResponse, AssayRunResponse

__all__ = ["router"]

router = Router(prefix="/assay", tags=["assays"])


@router.post("/runs", responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict, TooLarge))
@own_transactions
@body_rule(16 * MEGABYTE)
async def create_run(
    body: AssayCreate, database: DatabaseDep, principal: Writer, settings: SettingsDep, now: Now
) -> AssayRunResponse:
    """Play a policy version of the caller's on a list of missions."""
    jobs = await anyio.to_thread.run_sync(service.prepare, body)

    def create(session: Session) -> AssayRunResponse:
        run = service.create_run(session, principal, body, jobs, settings=settings, now=now)
        return service.run_response(session, run)

    return await database.write(create)


@router.get("/runs", responses=errors(Unauthorized))
def list_runs(
    session: SessionDep, principal: CurrentPrincipal, policy_version_id: uuid.UUID | None = None
) -> list[AssayRunResponse]:
    """Return the caller's assays, newest first."""
    return [service.run_response(session, run) for run in service.runs(session, principal, policy_version_id)]


@router.get("/runs/{run_id}", responses=errors(Unauthorized, NotFound))
def read_run(run_id: uuid.UUID, session: SessionDep, principal: CurrentPrincipal) -> AssayRunResponse:
    """Return one assay of the caller's."""
    return service.run_response(session, service.own_run(session, principal, run_id))


@router.get("/runs/{run_id}/results", responses=errors(Unauthorized, NotFound))
def read_results(run_id: uuid.UUID, session: SessionDep, principal: CurrentPrincipal) -> AssayResultsResponse:
    """Return the metrics of an assay, as far as it was played."""
    return service.results(session, service.own_run(session, principal, run_id))


@router.post("/runs/{run_id}/finalize", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
def finalize_run(run_id: uuid.UUID, session: SessionDep, principal: Writer, now: Now) -> AssayRunResponse:
    """End an assay whose episodes are played. It also ends automatically."""
    run = service.own_run(session, principal, run_id)
    service.finalize(session, run, now=now)
    return service.run_response(session, run)

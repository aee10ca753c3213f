"""HTTP endpoints for monitoring."""

from __future__ import annotations

from typing import Literal

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from observatory.accounts.startup import is_reachable_by_others
from observatory.clock import Now
from observatory.database import DatabaseDep, SessionDep
from observatory.errors import Forbidden, Unauthorized, Unavailable, errors
from observatory.http.callers import OptionalPrincipal
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.gauges import read_gauges
from observatory.http.routing import Router
from observatory.jobs import workers_seen

__all__ = ["router"]

router = Router(tags=["operations"])

_READY_PROBE = "operations/ready"


class Health(BaseModel):
    status: Literal["ok"] = "ok"


class Readiness(BaseModel):
    """Each part with `ok` or a sentence."""

    ready: bool
    database: str
    store: str
    workers: int
    leads: bool
    """whether this server schedules; one of several does"""


@router.get("/healthz", responses=errors())
async def healthz() -> Health:
    """Respond while the process is alive."""
    return Health()


@router.get("/readyz", responses={**errors(), 503: {"model": Readiness, "description": "Not ready"}})
async def readyz(request: Request, database: DatabaseDep, store: StoreDep, now: Now) -> Response:
    """Report whether the server is ready. It is ready without workers: jobs wait."""
    import anyio.to_thread

    problems = {"database": "ok", "store": "ok"}
    workers = 0
    try:
        workers = await database.query(lambda session: workers_seen.count(session, now))
    except (SQLAlchemyError, Unavailable):
        problems["database"] = "does not answer"
    try:
        await anyio.to_thread.run_sync(store.put, _READY_PROBE, b"ready")
    except Exception:
        problems["store"] = "cannot be written to"
    ready = all(state == "ok" for state in problems.values()) and not request.app.state.stopping
    body = Readiness(ready=ready, workers=workers, leads=database.is_leader, **problems)
    return JSONResponse(body.model_dump(), 200 if ready else 503)


@router.get(
    "/metrics",
    responses={200: {"content": {"text/plain": {}}}, **errors(Unauthorized, Forbidden)},
    response_class=Response,
)
def metrics(
    request: Request,
    principal: OptionalPrincipal,
    settings: SettingsDep,
    session: SessionDep,
    database: DatabaseDep,
    store: StoreDep,
    now: Now,
) -> Response:
    """For Prometheus. On a server that others reach, with the token of an administrator."""
    if is_reachable_by_others(settings):
        if principal is None:
            raise Unauthorized
        if not principal.is_admin:
            raise Forbidden(
                "Only administrators may read the metrics, with a token that may write and the header "
                "X-Use-Elevated-Privileges: true"
            )
    numbers = request.app.state.metrics
    read_gauges(numbers, session, database, store, request.app.state.stored_total, now=now)
    return Response(numbers.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

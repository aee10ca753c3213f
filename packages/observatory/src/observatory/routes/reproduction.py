"""Matches to be played again, over HTTP; `cogames reproduce` calls this."""

from __future__ import annotations

import uuid

from fastapi import Response

from observatory.database import SessionDep
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.http.callers import OptionalPrincipal
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router
from observatory.reproduction import service
from softmax.wire import MatchReproduction

__all__ = ["router"]

router = Router(prefix="/tournament", tags=["matches"])


@router.get("/matches/{match_id}/reproduction", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
def read_reproduction(
    match_id: uuid.UUID,
    session: SessionDep,
    principal: OptionalPrincipal,
    store: StoreDep,
    settings: SettingsDep,
    response: Response,
) -> MatchReproduction:
    """Return everything needed to reproduce a match; 403 while its season plays."""
    response.headers["Cache-Control"] = "no-store"
    return service.reproduction(session, match_id, principal, store=store, settings=settings)

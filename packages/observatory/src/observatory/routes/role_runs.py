"""What reporters, graders and diagnosers of a game write about an episode, over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from observatory.clock import Now
from observatory.coworlds import role_runs
from observatory.coworlds.role_runs import Role, RoleEntry
from observatory.coworlds.schemas import RoleRunRequest
from observatory.coworlds.wire import role_run_row
from observatory.database import SessionDep
from observatory.database.tables.requests import EpisodeRequest
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.experience import repository
from observatory.experience.access import may_read_results
from observatory.http.callers import OptionalPrincipal, Writer
from observatory.http.deps import SettingsDep, StoreDep
from observatory.http.routing import Router
from softmax.wire.coworlds import RoleRunRow

__all__ = ["router"]

router = Router(prefix="/v2/episode-requests/{request_id}", tags=["role-runs"])

Id = Annotated[str, Path(max_length=100, description="`ereq_...`")]


@router.get("/reports", responses=errors(Unauthorized, NotFound))
def list_reports(
    request_id: Id,
    session: SessionDep,
    principal: OptionalPrincipal,
    store: StoreDep,
    settings: SettingsDep,
) -> list[RoleRunRow]:
    """Return what roles of the game have written about an episode; for all who may see the episode."""
    episode = repository.episode(session, request_id, principal)
    return [role_run_row(run, store, settings) for run in role_runs.runs(session, episode)]


@router.post("/role-runs", responses=errors(BadRequest, Unauthorized, Forbidden, NotFound, Conflict))
def request_role_runs(
    request_id: Id,
    body: RoleRunRequest,
    session: SessionDep,
    principal: Writer,
    store: StoreDep,
    settings: SettingsDep,
    now: Now,
) -> list[RoleRunRow]:
    """Let roles of the game look at an episode that has ended; runs that exist are returned."""
    episode = repository.episode(session, request_id, principal)
    if not may_read_results(episode, principal) and episode.coworld.user_id != principal.user_id:
        raise Forbidden(
            "Only the requester, the owners of policies in this episode and of its game may ask for reports"
        )
    rows = [
        role_runs.request_run(session, episode, entry, target=body.target, user_id=principal.user_id, now=now)
        for entry in _entries(episode, body)
    ]
    return [role_run_row(row, store, settings) for row in rows]


def _entries(episode: EpisodeRequest, body: RoleRunRequest) -> list[RoleEntry]:
    wanted: list[Role] = ["reporter", "grader"] if body.role is None else [body.role]
    entries = [entry for entry in role_runs.roles(episode.coworld.manifest, wanted) if body.role_id in (None, entry.id)]
    if not entries:
        named = "" if body.role_id is None else f" {body.role_id!r}"
        raise BadRequest(f"{episode.coworld.name} has no {body.role or 'reporter or grader'}{named}")
    return entries

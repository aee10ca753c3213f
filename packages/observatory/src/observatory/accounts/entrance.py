"""A link that signs the person at this machine in as its administrator, for servers that nobody else reaches."""

from __future__ import annotations

import hmac

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from observatory.accounts import repository
from observatory.accounts.pages import page
from observatory.accounts.visitors import VisitorDep
from observatory.database import DatabaseDep
from observatory.routing import Router

__all__ = ["router"]

router = Router(tags=["pages"], include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/enter")
async def enter(request: Request, visitor: VisitorDep, database: DatabaseDep, key: str = "") -> Response:
    """Sign in with the key that `observatory demo` printed. It is worth something for as long as that server runs."""
    wanted: str | None = getattr(request.app.state, "entrance", None)
    if not wanted or not hmac.compare_digest(key.encode(), wanted.encode()):
        error = "This link is of a server that was stopped; use the one it printed last"
        return page("Sign in", error=error, status=404)
    user = await database.look(repository.first_admin)
    if user is None:
        return page("Sign in", error="This server has no administrator", status=404)
    return visitor.sign_in(RedirectResponse("/observatory", 303), user)

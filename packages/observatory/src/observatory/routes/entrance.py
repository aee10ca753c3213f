"""A link that signs the local user in as administrator, for servers that only this machine can reach."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from observatory.accounts import repository
from observatory.database import DatabaseDep
from observatory.http.plain_pages import page
from observatory.http.routing import Router
from observatory.http.visitors import VisitorDep

__all__ = ["router"]

router = Router(tags=["pages"], include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/enter")
async def enter(request: Request, visitor: VisitorDep, database: DatabaseDep, key: str = "") -> Response:
    """Sign in with the key that `observatory demo` printed. It works once, at the printed address.

    Under another host name of this machine the cookie would be sent to the owner of that name.
    """
    state = request.app.state
    expected: str | None = getattr(state, "entrance", None)
    own_host = urlsplit(state.settings.base_url()).netloc
    if request.headers.get("host") != own_host:
        error = f"This link works at {own_host} only; open it as the server printed it"
        return page("Sign in", error=error, status=403)
    if not expected or not hmac.compare_digest(key.encode(), expected.encode()):
        error = "This link was used already, or its server was stopped; start the server again for a new one"
        return page("Sign in", error=error, status=404)
    state.entrance = None  # before the first await: of two concurrent requests, one succeeds
    user = await database.query(repository.first_admin)
    if user is None:
        return page("Sign in", error="This server has no administrator", status=404)
    return visitor.sign_in(RedirectResponse("/observatory", 303), user)

"""Serve the report that a commissioner wrote about a round. It is a third-party page, and runs no scripts.

The address is the credential: it holds a signature that the server gives to callers who may see the round.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select

from observatory.database import SessionDep
from observatory.database.tables.leagues import Round
from observatory.errors import NotFound
from observatory.http.deps import KeysDep
from observatory.http.frames import check_frame_request, frame_headers
from observatory.http.routing import Router
from observatory.pages.rounds import render_of
from observatory.public_ids import parse_public_id
from observatory.signing import Signer

__all__ = ["report_path", "router"]

router = Router(tags=["pages"], include_in_schema=False)

FOLDER = "/observatory/round-reports"
_PURPOSE = "report of a round"


def report_path(secret: bytes, round_id: str) -> str:
    """Return the path of the report of a round."""
    return f"{FOLDER}/{round_id}/{Signer(secret, _PURPOSE).mac(round_id)}/"


@router.get(FOLDER + "/{round_id}/{mac}/")
def read_report(
    round_id: Annotated[str, Path(max_length=200)],
    mac: Annotated[str, Path(max_length=200)],
    request: Request,
    session: SessionDep,
    keys: KeysDep,
) -> Response:
    """Return the report as HTML, in a sandbox without scripts."""
    check_frame_request(request)
    if not Signer(keys.secret, _PURPOSE).verifies(round_id, mac):
        raise NotFound("There is no such report")
    row = session.scalar(select(Round).where(Round.id == parse_public_id("round", round_id)))
    html = None if row is None else render_of(row)
    if html is None:
        raise NotFound("There is no such report")
    return HTMLResponse(html, headers=frame_headers(request, f"{FOLDER}/{round_id}/{mac}/", scripts=False))

"""Preview images of policies, matches and seasons for sites that show links to them. They contain public facts only."""

from __future__ import annotations

import hashlib
import uuid
from typing import Annotated

from fastapi import Path, Request, Response

from observatory.database import SessionDep
from observatory.http.routing import Router
from observatory.pages.cards import card_of
from observatory.pages.match_cards import match_card, season_preview

__all__ = ["picture", "router"]

router = Router(prefix="/observatory/api", tags=["pages"], include_in_schema=False)

Reference = Annotated[str, Path(max_length=200)]


@router.get("/policies/{policy_version_id}/card.svg")
def read_card_svg(policy_version_id: uuid.UUID, request: Request, session: SessionDep) -> Response:
    """Return the card as SVG."""
    return picture(request, card_of(session, policy_version_id).svg().encode(), "image/svg+xml")


@router.get("/policies/{policy_version_id}/card.png")
def read_card_png(policy_version_id: uuid.UUID, request: Request, session: SessionDep) -> Response:
    """Return the card as PNG."""
    return picture(request, card_of(session, policy_version_id).png(), "image/png")


@router.get("/matches/{match_id}/card.svg")
def read_match_card_svg(match_id: uuid.UUID, request: Request, session: SessionDep) -> Response:
    """Return the card of a match of a public season as SVG."""
    return picture(request, match_card(session, match_id).svg().encode(), "image/svg+xml")


@router.get("/matches/{match_id}/card.png")
def read_match_card_png(match_id: uuid.UUID, request: Request, session: SessionDep) -> Response:
    """Return the card of a match of a public season as PNG."""
    return picture(request, match_card(session, match_id).png(), "image/png")


@router.get("/seasons/{season}/card.svg")
def read_season_card_svg(season: Reference, request: Request, session: SessionDep) -> Response:
    """Return the card of a public season as SVG."""
    return picture(request, season_preview(session, season).svg().encode(), "image/svg+xml")


@router.get("/seasons/{season}/card.png")
def read_season_card_png(season: Reference, request: Request, session: SessionDep) -> Response:
    """Return the card of a public season as PNG."""
    return picture(request, season_preview(session, season).png(), "image/png")


def picture(request: Request, data: bytes, kind: str) -> Response:
    """Return an image that browsers and sites cache for a minute and then revalidate."""
    stamp = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    headers = {
        "ETag": stamp,
        "Cache-Control": "public, max-age=60",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }
    if request.headers.get("if-none-match") == stamp:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=kind, headers=headers)

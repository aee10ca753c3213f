"""Preview images of policies for sites that show links to them. They contain public facts only."""

from __future__ import annotations

import hashlib
import uuid

from fastapi import Request, Response

from observatory.database import SessionDep
from observatory.http.routing import Router
from observatory.pages.cards import card_of

__all__ = ["router"]

router = Router(prefix="/observatory/api/policies", tags=["pages"], include_in_schema=False)


@router.get("/{policy_version_id}/card.svg")
def read_card_svg(policy_version_id: uuid.UUID, request: Request, session: SessionDep) -> Response:
    """Return the card as SVG."""
    return _picture(request, card_of(session, policy_version_id).svg().encode(), "image/svg+xml")


@router.get("/{policy_version_id}/card.png")
def read_card_png(policy_version_id: uuid.UUID, request: Request, session: SessionDep) -> Response:
    """Return the card as PNG."""
    return _picture(request, card_of(session, policy_version_id).png(), "image/png")


def _picture(request: Request, data: bytes, kind: str) -> Response:
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

"""Decide which page URLs exist; the router of the pages has the same rules (`web/src/league/router.ts`)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from fastapi import Request
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.errors import NotFound, Unauthorized
from observatory.http.callers import find_principal
from observatory.matches import repository as matches
from observatory.seasons import repository as seasons

__all__ = ["page_exists", "read_id"]

SEASON_TABS = ("table", "stages", "teams", "matches", "about")
MANAGE_SECTIONS = ("seasons", "users", "workers", "jobs", "failures")


def page_exists(words: Sequence[str], request: Request, session: Session) -> bool:
    """Return whether the caller has a page at the path with these segments."""
    match list(words):
        case [""] | ["seasons"] | ["queue"] | ["upload"] | ["me"] | ["manage"]:
            return True
        case ["manage", section] | ["manage", section, _]:
            return section in MANAGE_SECTIONS
        case ["seasons", season] if season:
            return _has_season(session, season, _caller_of(request, session))
        case ["seasons", season, tab] if season and tab in SEASON_TABS:
            return _has_season(session, season, _caller_of(request, session))
        case ["matches", text] if (match_id := read_id(text)) is not None:
            return _has_match(session, match_id, _caller_of(request, session))
    return False


def read_id(text: str) -> uuid.UUID | None:
    """Return the id in a URL segment; None if it is not a canonical UUID."""
    try:
        parsed = uuid.UUID(text)
    except ValueError:
        return None
    return parsed if str(parsed) == text.lower() else None


def _caller_of(request: Request, session: Session) -> Principal | None:
    """Return the caller; None for an expired token, because a page can offer to sign in."""
    try:
        return find_principal(request, session)[0]
    except Unauthorized:
        return None


def _has_season(session: Session, reference: str, principal: Principal | None) -> bool:
    try:
        seasons.season(session, reference, principal)
    except NotFound:
        return False
    return True


def _has_match(session: Session, match_id: uuid.UUID, principal: Principal | None) -> bool:
    try:
        matches.match(session, match_id, principal)
    except NotFound:
        return False
    return True

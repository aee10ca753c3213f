"""Decide which page URLs exist; the router of the pages has the same rules (`web/src/league/router.ts`)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from fastapi import Request
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.errors import NotFound, Unauthorized
from observatory.experience import repository as episodes
from observatory.friendlies import repository as friendlies
from observatory.http.callers import find_principal
from observatory.leagues import repository as leagues
from observatory.matches import repository as matches
from observatory.pages.catalogue import find_coworld
from observatory.pages.people import find_person
from observatory.pages.players import find_player
from observatory.public_ids import Prefix, parse_public_id
from observatory.seasons import repository as seasons

__all__ = ["page_exists", "read_id"]

TABS = {
    "seasons": ("table", "stages", "teams", "matches", "about"),
    "leagues": ("divisions", "rounds", "events", "rules", "manage"),
    "divisions": ("table", "rounds", "members", "rules"),
    "coworlds": ("docs", "versions", "episodes"),
}
MANAGE_SECTIONS = ("seasons", "users", "invitations", "workers", "jobs", "failures", "audit")


def page_exists(words: Sequence[str], request: Request, session: Session) -> bool:
    """Return whether the caller has a page at the path with these segments."""
    match list(words):
        case (
            [""] | ["seasons"] | ["leagues"] | ["coworlds"] | ["queue"] | ["search"] | ["upload"] | ["me"] | ["manage"]
        ):
            return True
        case ["me", "notices"]:
            return True
        case ["manage", section] | ["manage", section, _]:
            return section in MANAGE_SECTIONS
        case ["play", text]:
            return _is_id("ps", text)
        case ["lobbies", text]:
            return _is_id("lby", text)
        case [kind, item, *tabs] if item and len(tabs) <= 1 and all(tab in TABS.get(kind, ()) for tab in tabs):
            return _has_item(kind, item, session, _caller_of(request, session))
        case ["matches", item, "compare", *others] if len(others) <= 1:
            principal = _caller_of(request, session)
            return all(_has_item("matches", each, session, principal) for each in (item, *others))
        case ["coworlds", item, "docs", _]:
            return _has_item("coworlds", item, session, _caller_of(request, session))
    return False


def _is_id(prefix: Prefix, text: str) -> bool:
    """Return whether a segment is a public id; the page finds out whether its object exists."""
    try:
        parse_public_id(prefix, text)
    except NotFound:
        return False
    return True


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


def _has_item(kind: str, item: str, session: Session, principal: Principal | None) -> bool:
    """Return whether the caller may see a season, league, division, round, player, person, game, episode or match."""
    try:
        match kind:
            case "seasons":
                seasons.season(session, item, principal)
            case "leagues":
                leagues.league(session, parse_public_id("league", item), principal)
            case "divisions":
                leagues.division(session, parse_public_id("div", item), principal)
            case "rounds":
                leagues.round_(session, parse_public_id("round", item), principal)
            case "players":
                find_player(session, item, principal)
            case "people":
                find_person(session, item, principal)
            case "coworlds":
                find_coworld(session, item, principal)
            case "episodes":
                episodes.episode(session, item, principal)
            case "friendlies" if (friendly_id := read_id(item)) is not None:
                friendlies.friendly(session, friendly_id, principal)
            case "matches" if (match_id := read_id(item)) is not None:
                matches.match(session, match_id, principal)
            case _:
                return False
    except NotFound:
        return False
    return True

"""Games of guests: visitors without an account play what the operator lists, one game at a time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.coworlds import repository as coworlds
from observatory.database import new_id
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.hosted import HostedGame, HostedKind, HostedStatus
from observatory.errors import NotFound
from observatory.hosting import games, sessions
from observatory.hosting.limits import check_guest_limits
from observatory.hosting.places import Guest, take_place
from observatory.hosting.schemas import GuestGame
from observatory.keys import Keys
from observatory.public_ids import parse_public_id, public_id
from observatory.settings import Settings

__all__ = ["end", "find", "listed", "start"]

REPLACED = "The guest started another game"
ENDED = "The guest ended the game"
MAX_TITLE_CHARACTERS = 40


def listed(session: Session, settings: Settings) -> list[GuestGame]:
    """Return the games that guests may play, in the operator's order; those that are not published are left out."""
    found = []
    for entry in settings.guest_games:
        try:
            row, variant_id = _game(session, entry)
        except NotFound:
            continue
        game, variant = row.manifest["game"], _variant(row, variant_id)
        found.append(
            GuestGame(
                game=entry,
                coworld_id=public_id("cow", row.id),
                coworld_name=row.name,
                title=_title(game) or row.name,
                description=game.get("description", ""),
                variant_id=variant_id,
                variant_name=variant.get("name") or variant_id,
                variant_description=variant.get("description", ""),
            )
        )
    return found


def _title(game: Mapping[str, Any]) -> str | None:
    """Return the heading of a game's readme: manifests have names for commands, and no titles."""
    readme = game.get("docs", {}).get("readme") or {}
    first, _, _ = readme.get("value", "").lstrip().partition("\n")
    is_heading = readme.get("type") == "text" and first.startswith("# ") and len(first) <= MAX_TITLE_CHARACTERS
    return first.removeprefix("# ").strip() if is_heading else None


def start(session: Session, guest: Guest, entry: str, *, settings: Settings, keys: Keys, now: datetime) -> HostedGame:
    """Start a listed game with the guest in its first seat; the guest's game before it ends."""
    if entry not in settings.guest_games:
        raise NotFound(f"Guests cannot play {entry[:80]!r} on this server")
    coworld, variant_id = _game(session, entry)
    games.check_hosting(coworld)
    is_active = HostedGame.status != HostedStatus.ENDED
    for before in session.scalars(select(HostedGame).where(HostedGame.guest_hash == guest.session_hash, is_active)):
        games.end_game(session, before, REPLACED, now=now)
    check_guest_limits(session, guest, settings=settings, now=now)
    game = HostedGame(
        id=new_id(),
        kind=HostedKind.PLAY,
        status=HostedStatus.OPEN,
        user_id=None,
        guest_hash=guest.session_hash,
        guest_address=guest.address_hash,
        coworld_id=coworld.id,
        allow_spectators=False,
        seats=sessions.own_players(coworld, variant_id),
        variant_id=variant_id,
        created_at=now,
    )
    game.coworld = coworld
    session.add(game)
    session.flush()
    take_place(session, game, None, None, keys=keys, now=now)
    take_place(session, game, None, 0, keys=keys, now=now)
    sessions.start(session, game, now=now)
    return game


def find(session: Session, session_id: str, guest: Guest) -> HostedGame:
    """Return a game of this guest."""
    row_id = parse_public_id("ps", session_id)
    game = session.scalar(sessions.with_all().where(HostedGame.id == row_id))
    if game is None or not guest.owns(game):
        raise NotFound(f"There is no play session {session_id}")
    return game


def end(session: Session, game: HostedGame, *, now: datetime) -> None:
    games.end_game(session, game, ENDED, now=now)


def _game(session: Session, entry: str) -> tuple[Coworld, str | None]:
    """Return the public Coworld of an entry and its variant: the named one, else the first."""
    name, _, variant_id = entry.partition(":")
    row = coworlds.named(session, name, None)
    variants = [variant["id"] for variant in row.manifest.get("variants") or []]
    if variant_id and variant_id not in variants:
        raise NotFound(f"{name} has no variant {variant_id!r}")
    return row, variant_id or (variants[0] if variants else None)


def _variant(row: Coworld, variant_id: str | None) -> dict[str, str]:
    return next((entry for entry in row.manifest.get("variants") or [] if entry["id"] == variant_id), {})

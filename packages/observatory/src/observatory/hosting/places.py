"""Places in hosted games: the token of each, and the addresses that it opens."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from observatory.accounts.principal import Principal
from observatory.database import new_id
from observatory.database.tables.hosted import HostedGame, HostedKind, HostedPlace
from observatory.errors import NotFound
from observatory.keys import Keys
from observatory.signing import Signer
from observatory.tokens import hash_token

__all__ = ["Guest", "PlaceView", "find_place", "folder_of", "label_of", "place_of", "take_place", "token_of"]

FOLDER = "/observatory/games/"
UNKNOWN = "There is no game at this address"
GUEST = "Guest"


@dataclass(frozen=True)
class Guest:
    """A visitor without an account, known by a browser session and a network address; both are hashed."""

    session_hash: str
    address_hash: str

    def owns(self, game: HostedGame) -> bool:
        """Return whether this guest started a game."""
        return game.user_id is None and game.guest_hash == self.session_hash


@dataclass(frozen=True)
class PlaceView:
    """The facts about a place that the proxy needs."""

    place_id: uuid.UUID
    game_id: uuid.UUID
    job_id: uuid.UUID | None
    kind: HostedKind
    slot: int | None
    status: str
    error: str | None
    allow_spectators: bool
    seats: int
    taken: int

    @property
    def page(self) -> str:
        """Return the name of the game's page for this place, which is also that of its socket."""
        if self.kind is HostedKind.REPLAY:
            return "replay"
        return "global" if self.slot is None else "player"

    @property
    def is_closed(self) -> bool:
        """Return whether it is the place of spectators in a game that allows none."""
        return self.page == "global" and not self.allow_spectators


def token_of(keys: Keys, place: HostedPlace) -> str:
    """Return the token of a place, which is part of all its addresses."""
    return _token(keys, place.id)


def folder_of(token: str) -> str:
    """Return the path below which everything of a place is."""
    return f"{FOLDER}{token}/"


def _token(keys: Keys, place_id: uuid.UUID) -> str:
    return Signer(keys.secret, "place in a hosted game").mac(str(place_id))


def take_place(
    session: Session, game: HostedGame, principal: Principal | None, slot: int | None, *, keys: Keys, now: datetime
) -> HostedPlace:
    """Give a seat to a caller; without a slot, open the place of spectators or viewers."""
    place_id = new_id()
    place = HostedPlace(
        id=place_id,
        game_id=game.id,
        slot=slot,
        user_id=None if principal is None else principal.user_id,
        player_id=None if principal is None else principal.player_id,
        token_hash=hash_token(_token(keys, place_id)),
        joined_at=now,
    )
    game.places.append(place)
    session.flush()
    return place


def place_of(game: HostedGame, caller: Principal | Guest) -> HostedPlace | None:
    """Return the seat of a caller; a user's players have seats of their own. A guest has the only taken seat."""
    if isinstance(caller, Guest):
        return next((place for place in game.places if place.slot is not None), None) if caller.owns(game) else None
    own = (caller.user_id, caller.player_id)
    return next((place for place in game.places if (place.user_id, place.player_id) == own), None)


def find_place(session: Session, token: str) -> PlaceView:
    """Return the place of a token; `NotFound` if there is none."""
    statement = select(HostedPlace).where(HostedPlace.token_hash == hash_token(token))
    place = session.scalar(statement.options(joinedload(HostedPlace.game).selectinload(HostedGame.places)))
    if place is None:
        raise NotFound(UNKNOWN)
    return view_of(place)


def view_of(place: HostedPlace) -> PlaceView:
    game = place.game
    taken = sum(other.slot is not None for other in game.places)
    return PlaceView(
        place.id,
        game.id,
        game.job_id,
        game.kind,
        place.slot,
        game.status.value,
        game.error,
        game.allow_spectators,
        len(game.seats),
        taken,
    )


def label_of(place: HostedPlace) -> str:
    """Return the name of the person or agent in a seat."""
    if place.player is not None:
        return place.player.name
    if place.user is None:
        return "Spectators" if place.slot is None else GUEST
    return place.user.shown_name

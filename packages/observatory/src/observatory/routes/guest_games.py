"""Games of guests: visitors without an account, known by the cookie that every browser gets."""

from __future__ import annotations

import ipaddress
from functools import partial
from typing import Annotated

from fastapi import Depends, Path, Request

from observatory.clock import Now
from observatory.database import SessionDep
from observatory.database.tables.hosted import HostedGame
from observatory.errors import Conflict, Forbidden, NotFound, TooManyRequests, errors
from observatory.events import ChangeKind
from observatory.hosting import guests, sessions
from observatory.hosting.places import Guest
from observatory.hosting.schemas import GuestGames, GuestGameStart, PlaySession
from observatory.http.cached import cached
from observatory.http.callers import SAFE_METHODS
from observatory.http.deps import KeysDep, SettingsDep
from observatory.http.rate_limits import address_of
from observatory.http.routing import Router
from observatory.http.visitors import VisitorDep
from observatory.keys import Keys
from observatory.routes.games import game_address, own_address
from observatory.settings import Settings
from observatory.signing import Signer
from observatory.tokens import hash_token

__all__ = ["router"]

router = Router(prefix="/observatory/api/guest", tags=["hosted-play"])

_Id = Annotated[str, Path(max_length=200)]


def _guest(request: Request, visitor: VisitorDep, keys: KeysDep) -> Guest:
    """Return the guest behind a browser session without a user; a form of another site is refused.

    A forged or expired cookie is replaced by a new session, whose CSRF token its sender does not know.
    """
    if visitor.user is not None:
        raise Forbidden("You are signed in; start a play session instead")
    if request.method not in SAFE_METHODS:
        visitor.check(request.headers.get("x-csrf-token", ""))
    address = Signer(keys.secret, "address of a guest").mac(_network(address_of(request)))
    return Guest(hash_token(f"guest {visitor.nonce}"), address)


GuestDep = Annotated[Guest, Depends(_guest)]


def _network(address: str) -> str:
    """Return the network that counts as one address: 64 bits of IPv6, one address of IPv4."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network(f"{parsed}/64", strict=False)) if parsed.version == 6 else address


@router.get("/games")
@cached(ChangeKind.COWORLD)
def list_guest_games(session: SessionDep, settings: SettingsDep) -> GuestGames:
    """Return the games that visitors without an account may play."""
    return GuestGames(games=guests.listed(session, settings))


@router.post("/games", responses=errors(Forbidden, NotFound, Conflict, TooManyRequests))
def start_guest_game(
    body: GuestGameStart,
    guest: GuestDep,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> PlaySession:
    """Start a listed game for a guest. The guest's game before it ends."""
    game = guests.start(session, guest, body.game, settings=settings, keys=keys, now=now)
    return _wire(request, game, guest, keys, settings)


@router.get("/games/{session_id}", responses=errors(Forbidden, NotFound))
def read_guest_game(
    session_id: _Id, guest: GuestDep, request: Request, session: SessionDep, settings: SettingsDep, keys: KeysDep
) -> PlaySession:
    """Return a game of this guest."""
    return _wire(request, guests.find(session, session_id, guest), guest, keys, settings)


@router.post("/games/{session_id}/end", responses=errors(Forbidden, NotFound))
def end_guest_game(
    session_id: _Id,
    guest: GuestDep,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> PlaySession:
    """End a game of this guest."""
    game = guests.find(session, session_id, guest)
    guests.end(session, game, now=now)
    return _wire(request, game, guest, keys, settings)


def _wire(request: Request, game: HostedGame, guest: Guest, keys: Keys, settings: Settings) -> PlaySession:
    page, frame = partial(own_address, request), partial(game_address, request)
    return sessions.wire(game, guest, page, frame, keys=keys, settings=settings)

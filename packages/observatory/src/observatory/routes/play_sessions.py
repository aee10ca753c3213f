"""Play sessions: games that the server runs for people and agents."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import Path, Request

from observatory.clock import Now
from observatory.coworlds import repository as coworlds
from observatory.database import SessionDep
from observatory.errors import BadRequest, Conflict, Forbidden, Gone, NotFound, Unauthorized, errors
from observatory.hosting import sessions
from observatory.hosting.places import folder_of, label_of, token_of
from observatory.hosting.schemas import (
    JoinedPlayer,
    JoinedSession,
    JoinedSpectator,
    PlaySession,
    PlaySessionConfig,
    PlaySessionCreate,
    VariantConfig,
)
from observatory.http.callers import CurrentPrincipal, Principal, Writer
from observatory.http.deps import KeysDep, SettingsDep
from observatory.http.routing import Router
from observatory.keys import Keys
from observatory.routes.games import game_address, own_address
from observatory.settings import Settings

__all__ = ["router"]

router = Router(prefix="/v2/coworlds/play/session", tags=["hosted-play"])

_Id = Annotated[str, Path(max_length=200)]
_SEEN = (Unauthorized, NotFound)
_CHANGED = (*_SEEN, Forbidden, Conflict, Gone)


@router.post("", responses=errors(*_CHANGED, BadRequest))
def create_play_session(
    body: PlaySessionCreate,
    principal: Writer,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> PlaySession:
    """Create a session that people join."""
    coworld = coworlds.coworld(session, body.coworld_id, principal)
    game = sessions.create(
        session,
        principal,
        coworld,
        variant_id=body.variant_id,
        allow_spectators=body.allow_spectators,
        settings=settings,
        keys=keys,
        now=now,
    )
    return _wire(request, game, principal, keys, settings)


@router.get("/{session_id}", responses=errors(*_SEEN))
def read_play_session(
    session_id: _Id,
    principal: CurrentPrincipal,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    keys: KeysDep,
) -> PlaySession:
    """Return a session: who sits where, and what the caller may do."""
    return _wire(request, sessions.find(session, session_id, principal), principal, keys, settings)


@router.put("/{session_id}/config", responses=errors(*_CHANGED, BadRequest))
def configure_play_session(
    session_id: _Id,
    body: PlaySessionConfig,
    principal: Writer,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    keys: KeysDep,
) -> PlaySession:
    """Choose the variant before the game starts, or whether there are spectators."""
    game = sessions.find(session, session_id, principal)
    if isinstance(body, VariantConfig):
        sessions.set_variant(session, principal, game, body.variant_id)
    else:
        sessions.set_spectators(session, principal, game, body.allow_spectators)
    return _wire(request, game, principal, keys, settings)


@router.post("/{session_id}/join", responses=errors(*_CHANGED))
def join_play_session(
    session_id: _Id,
    principal: Writer,
    request: Request,
    session: SessionDep,
    keys: KeysDep,
    now: Now,
) -> JoinedSession:
    """Take a free seat, or the place of a spectator. The same caller gets the same seat again."""
    game = sessions.find(session, session_id, principal)
    place = sessions.join(session, principal, game, keys=keys, now=now)
    folder = folder_of(token_of(keys, place))
    address = game_address(request, folder)
    slot = place.slot
    socket = "ws" + game_address(request, f"{folder}{'global' if slot is None else 'player'}").removeprefix("http")
    player = spectator = None
    if slot is None:
        spectator = JoinedSpectator(label=principal.user.shown_name, player_id=principal.player_id, joined_at=now)
    else:
        player = JoinedPlayer(
            slot=slot,
            label=label_of(place),
            user_id=place.user_id,
            player_id=place.player_id,
            player_name=None if place.player is None else place.player.name,
            joined_at=place.joined_at,
        )
    return JoinedSession(
        entrant_kind="spectator" if slot is None else "player",
        target_url=address,
        player_url=address,
        socket_url=socket,
        slot=slot,
        player=player,
        spectator=spectator,
    )


@router.post("/{session_id}/start", responses=errors(*_CHANGED))
def start_play_session(
    session_id: _Id,
    principal: Writer,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> PlaySession:
    """Start the game now; the game's own players take the free seats. Only its owner may."""
    game = sessions.find(session, session_id, principal)
    sessions.start_now(session, principal, game, now=now)
    return _wire(request, game, principal, keys, settings)


@router.post("/{session_id}/end", responses=errors(*_CHANGED))
def end_play_session(
    session_id: _Id,
    principal: Writer,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> PlaySession:
    """End the session and its game. Only its owner may."""
    game = sessions.find(session, session_id, principal)
    sessions.end(session, principal, game, now=now)
    return _wire(request, game, principal, keys, settings)


def _wire(request: Request, game: Any, principal: Principal, keys: Keys, settings: Settings) -> PlaySession:
    page, frame = partial(own_address, request), partial(game_address, request)
    return sessions.wire(game, principal, page, frame, keys=keys, settings=settings)

"""Lobbies of leagues."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

import anyio.to_thread
from fastapi import Path, Request
from sqlalchemy.orm import Session

from observatory.clock import Now
from observatory.coworlds.inspection import inspect_config, inspectors
from observatory.database import Database, DatabaseDep, SessionDep, own_transactions
from observatory.errors import BadRequest, Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.experience.wire import RequestWire
from observatory.hosting import lobbies, lobby_start
from observatory.hosting.lobbies import PlannedConfig
from observatory.hosting.lobby_wire import LobbyWire
from observatory.hosting.schemas import LobbyCreate, LobbyEdit, LobbySeatChoice, LobbySeatEdit, LobbyStart
from observatory.http.callers import CurrentPrincipal, Principal, Writer
from observatory.http.deps import KeysDep, SettingsDep
from observatory.http.routing import Router
from observatory.leagues import repository as leagues
from observatory.public_ids import parse_public_id
from observatory.routes.games import game_address, own_address
from softmax.wire.leagues import LobbyAccess
from softmax.wire.lobbies import CompetitionLobby

__all__ = ["router"]

router = Router(prefix="/v2", tags=["lobbies"])

_Id = Annotated[str, Path(max_length=200)]
_Position = Annotated[int, Path(ge=0, le=1000)]
_SEEN = errors(Unauthorized, NotFound)
_CHANGED = errors(Unauthorized, Forbidden, NotFound, Conflict, BadRequest)


@router.get("/leagues/{league_id}/lobby-access", responses=_SEEN)
def read_lobby_access(league_id: _Id, session: SessionDep, principal: CurrentPrincipal) -> LobbyAccess:
    """Return whether the caller may create a lobby now, and why not."""
    league = leagues.league(session, parse_public_id("league", league_id), principal)
    problem = lobbies.access_problem(session, principal, league)
    return LobbyAccess(allowed=problem is None, reason=problem)


@router.post("/leagues/{league_id}/lobbies", responses=_CHANGED)
@own_transactions
async def create_lobby(
    league_id: _Id, body: LobbyCreate, principal: Writer, request: Request, database: DatabaseDep
) -> CompetitionLobby:
    """Create a lobby; the caller hosts it and has its first seat. The same key returns the same lobby."""
    state = request.app.state
    row_id = parse_public_id("league", league_id)

    def plan(session: Session) -> PlannedConfig | None:
        return lobbies.planned_config(session, leagues.league(session, row_id, principal), body, None)

    await _check_config(database, plan)

    def create(session: Session) -> CompetitionLobby:
        league = leagues.league(session, row_id, principal)
        lobby = lobbies.create(session, principal, league, body, settings=state.settings, now=state.clock())
        return _wire(request, principal).row(lobby)

    return await database.write(create)


@router.get("/lobbies/{lobby_id}", responses=_SEEN)
def read_lobby(lobby_id: _Id, principal: CurrentPrincipal, request: Request, session: SessionDep) -> CompetitionLobby:
    """Return a lobby as the caller sees it."""
    return _wire(request, principal).row(lobbies.find(session, lobby_id, principal))


@router.patch("/lobbies/{lobby_id}", responses=_CHANGED)
@own_transactions
async def update_lobby(
    lobby_id: _Id, body: LobbyEdit, principal: Writer, request: Request, database: DatabaseDep
) -> CompetitionLobby:
    """Change the variant, the settings of the game or the number of seats; for the host."""

    def plan(session: Session) -> PlannedConfig | None:
        lobby = lobbies.find(session, lobby_id, principal)
        lobbies.check_host(lobby, principal)
        return lobbies.planned_config(session, lobby.league, body, lobby)

    await _check_config(database, plan)

    def change(session: Session) -> CompetitionLobby:
        lobby = lobbies.find(session, lobby_id, principal)
        lobbies.edit(session, principal, lobby, body)
        return _wire(request, principal).row(lobby)

    return await database.write(change)


@router.put("/lobbies/{lobby_id}/seats/{position}", responses=_CHANGED)
def set_lobby_seat(
    lobby_id: _Id, position: _Position, body: LobbySeatEdit, principal: Writer, request: Request, session: SessionDep
) -> CompetitionLobby:
    """Choose the occupant of a seat; for the host."""
    lobby = lobbies.find(session, lobby_id, principal)
    choice = LobbySeatChoice(position=position, kind=body.kind, player_id=body.player_id)
    lobbies.set_seat(session, principal, lobby, choice, expected_revision=body.expected_revision)
    return _wire(request, principal).row(lobby)


@router.post("/lobbies/{lobby_id}/seats/{position}/claim", responses=_CHANGED)
def claim_lobby_seat(
    lobby_id: _Id,
    position: _Position,
    principal: Writer,
    request: Request,
    session: SessionDep,
    keys: KeysDep,
    now: Now,
) -> CompetitionLobby:
    """Take a seat."""
    lobby = lobbies.find(session, lobby_id, principal)
    lobby_start.claim(session, principal, lobby, position, keys=keys, now=now)
    return _wire(request, principal).row(lobby)


@router.delete("/lobbies/{lobby_id}/seats/{position}/player", responses=_CHANGED)
def clear_lobby_seat(
    lobby_id: _Id, position: _Position, principal: Writer, request: Request, session: SessionDep
) -> CompetitionLobby:
    """Remove the person or the champion from a seat; for the host."""
    lobby = lobbies.find(session, lobby_id, principal)
    lobbies.remove_player(session, principal, lobby, position)
    return _wire(request, principal).row(lobby)


@router.post("/lobbies/{lobby_id}/leave", responses=_CHANGED)
def leave_lobby(lobby_id: _Id, principal: Writer, request: Request, session: SessionDep) -> CompetitionLobby:
    """Give the caller's seat back."""
    lobby = lobbies.find(session, lobby_id, principal)
    lobbies.leave(session, principal, lobby)
    return _wire(request, principal).row(lobby)


@router.post("/lobbies/{lobby_id}/start", responses=_CHANGED)
def start_lobby(
    lobby_id: _Id,
    body: LobbyStart,
    principal: Writer,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> CompetitionLobby:
    """Start the game at a revision of the lobby; for the host. The same key again changes nothing."""
    lobby = lobbies.find(session, lobby_id, principal)
    lobby_start.start(
        session,
        principal,
        lobby,
        key=body.idempotency_key,
        expected_revision=body.expected_revision,
        settings=settings,
        keys=keys,
        now=now,
    )
    return _wire(request, principal).row(lobby)


@router.post("/lobbies/{lobby_id}/launch", responses=_CHANGED)
def launch_lobby(
    lobby_id: _Id,
    principal: Writer,
    request: Request,
    session: SessionDep,
    settings: SettingsDep,
    keys: KeysDep,
    now: Now,
) -> CompetitionLobby:
    """Start the game as the lobby is now; for the host. A lobby that has started stays as it is."""
    lobby = lobbies.find(session, lobby_id, principal)
    lobby_start.start(
        session, principal, lobby, key=None, expected_revision=None, settings=settings, keys=keys, now=now
    )
    return _wire(request, principal).row(lobby)


@router.post("/lobbies/{lobby_id}/cancel", responses=_CHANGED)
def cancel_lobby(lobby_id: _Id, principal: Writer, request: Request, session: SessionDep, now: Now) -> CompetitionLobby:
    """Cancel a lobby before its game runs; for the host."""
    lobby = lobbies.find(session, lobby_id, principal)
    lobbies.cancel(session, principal, lobby, now=now)
    return _wire(request, principal).row(lobby)


@router.post("/lobbies/{lobby_id}/end", responses=_CHANGED)
def end_lobby(lobby_id: _Id, principal: Writer, request: Request, session: SessionDep, now: Now) -> CompetitionLobby:
    """End the game of a lobby; for the host."""
    lobby = lobbies.find(session, lobby_id, principal)
    lobbies.end(session, principal, lobby, now=now)
    return _wire(request, principal).row(lobby)


def _wire(request: Request, principal: Principal) -> LobbyWire:
    state = request.app.state
    requests = RequestWire(state.store, state.settings)
    return LobbyWire(principal, state.keys, requests, partial(own_address, request), partial(game_address, request))


async def _check_config(database: Database, plan: Callable[[Session], PlannedConfig | None]) -> None:
    """Apply the game's schema to a configuration that a host has changed, in a sandbox."""
    planned = await database.query(plan)
    if planned is None:
        return
    problem = await anyio.to_thread.run_sync(inspect_config, *planned, limiter=inspectors)
    if problem is not None:
        raise BadRequest(f"The game cannot be played like that: {problem}")

"""Hosted play, lobbies and counterfactual evaluations, which this server does not offer yet: they answer 409 or 404.

The paths exist so that a client gets one clear sentence.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path

from observatory.database import SessionDep
from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.http.callers import CurrentPrincipal, Writer
from observatory.http.routing import Router
from observatory.leagues import repository
from observatory.public_ids import parse_public_id
from softmax.wire.leagues import LobbyAccess

__all__ = ["router"]

router = Router(prefix="/v2", tags=["hosted-play"])

NO_SESSIONS = "This server hosts no play sessions yet; play on your machine with `coworld play`"
NO_LOBBIES = "This server hosts no lobbies yet; request episodes with `coworld xp-request create`"
NO_EVALUATIONS = "This server runs no counterfactual evaluations yet; compare policies with `coworld xp-request create`"

_Id = Annotated[str, Path(max_length=200)]
_Position = Annotated[int, Path(ge=0, le=1000)]
_REFUSALS = errors(Unauthorized, Forbidden, NotFound, Conflict)


@router.post("/coworlds/play/session", responses=_REFUSALS)
def create_play_session(body: dict[str, Any], principal: Writer) -> dict[str, Any]:
    """Start a game that people join; not offered yet."""
    raise Conflict(NO_SESSIONS)


@router.put("/coworlds/play/session/{session_id}/config", responses=_REFUSALS)
def configure_play_session(session_id: _Id, body: dict[str, Any], principal: Writer) -> dict[str, Any]:
    """Change a play session; none exists yet."""
    raise Conflict(NO_SESSIONS)


@router.post("/coworlds/play/session/{session_id}/join", responses=_REFUSALS)
def join_play_session(session_id: _Id, principal: Writer) -> dict[str, Any]:
    """Join a play session; none exists yet."""
    raise Conflict(NO_SESSIONS)


@router.get("/leagues/{league_id}/lobby-access", responses=errors(Unauthorized, NotFound))
def read_lobby_access(league_id: _Id, session: SessionDep, principal: CurrentPrincipal) -> LobbyAccess:
    """Return whether the caller may create a lobby: no, until lobbies are offered."""
    repository.league(session, parse_public_id("league", league_id), principal)
    return LobbyAccess(allowed=False, reason=NO_LOBBIES)


@router.post("/leagues/{league_id}/lobbies", responses=_REFUSALS)
def create_lobby(league_id: _Id, body: dict[str, Any], session: SessionDep, principal: Writer) -> dict[str, Any]:
    """Create a lobby; not offered yet."""
    repository.league(session, parse_public_id("league", league_id), principal)
    raise Conflict(NO_LOBBIES)


@router.get("/lobbies/{lobby_id}", responses=errors(Unauthorized, NotFound))
def read_lobby(lobby_id: _Id, principal: CurrentPrincipal) -> dict[str, Any]:
    """Return a lobby; none exists yet."""
    raise NotFound(NO_LOBBIES)


@router.patch("/lobbies/{lobby_id}", responses=_REFUSALS)
def update_lobby(lobby_id: _Id, body: dict[str, Any], principal: Writer) -> dict[str, Any]:
    """Change a lobby; none exists yet."""
    raise NotFound(NO_LOBBIES)


@router.put("/lobbies/{lobby_id}/seats/{position}", responses=_REFUSALS)
def set_lobby_seat(lobby_id: _Id, position: _Position, body: dict[str, Any], principal: Writer) -> dict[str, Any]:
    """Choose who sits in a seat of a lobby; none exists yet."""
    raise NotFound(NO_LOBBIES)


@router.post("/lobbies/{lobby_id}/seats/{position}/claim", responses=_REFUSALS)
def claim_lobby_seat(lobby_id: _Id, position: _Position, principal: Writer) -> dict[str, Any]:
    """Sit down in a lobby; none exists yet."""
    raise NotFound(NO_LOBBIES)


@router.delete("/lobbies/{lobby_id}/seats/{position}/player", responses=_REFUSALS)
def clear_lobby_seat(lobby_id: _Id, position: _Position, principal: Writer) -> dict[str, Any]:
    """Remove a player from a lobby; none exists yet."""
    raise NotFound(NO_LOBBIES)


@router.post("/lobbies/{lobby_id}/{action}", responses=_REFUSALS)
def act_in_lobby(
    lobby_id: _Id, action: Literal["leave", "start", "launch", "cancel", "end"], principal: Writer
) -> dict[str, Any]:
    """Leave, start or end a lobby; none exists yet."""
    raise NotFound(NO_LOBBIES)


@router.post("/counterfactual-evals", responses=_REFUSALS)
def create_counterfactual_evaluation(body: dict[str, Any], principal: Writer) -> dict[str, Any]:
    """Compare two policy versions on the same episodes; not offered yet."""
    raise Conflict(NO_EVALUATIONS)


@router.get("/counterfactual-evals/{evaluation_id}", responses=errors(Unauthorized, NotFound))
def read_counterfactual_evaluation(evaluation_id: _Id, principal: CurrentPrincipal) -> dict[str, Any]:
    """Return a counterfactual evaluation; none exists yet."""
    raise NotFound(NO_EVALUATIONS)

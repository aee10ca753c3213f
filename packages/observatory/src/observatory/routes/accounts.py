"""Endpoints for the caller's identity and their players."""

from __future__ import annotations

import uuid
from datetime import timedelta

from observatory.accounts import repository, service
from observatory.accounts.schemas import CodeExchange, CredentialCreate, ExchangedToken, PlayerCreate, ValidateResponse
from observatory.clock import Now
from observatory.database import SessionDep
from observatory.database.tables.accounts import Player, Token
from observatory.errors import BadRequest, Conflict, Forbidden, Gone, NotFound, Unauthorized, errors
from observatory.http.callers import CurrentPrincipal, CurrentUser, Principal
from observatory.http.routing import Router
from observatory.routes.admin_accounts import router as admin_router
from observatory.routes.entrance import router as entrance_router
from observatory.routes.sign_in import router as page_router
from softmax.wire import (
    PlayerCredential,
    PlayerCredentialCreateResponse,
    PlayerCredentialDeleteResponse,
    PlayerLoginResponse,
    PlayerResponse,
    WhoAmIResponse,
)
from softmax.wire.leagues import FeatureFlags

__all__ = ["router"]

router = Router()
calls = Router(tags=["accounts"])


@calls.get("/whoami", responses=errors(Unauthorized))
def whoami(principal: CurrentPrincipal) -> WhoAmIResponse:
    """Return the owner of the token. Administrators count as such only if the request asks for elevated privileges."""
    return WhoAmIResponse(
        user_email=principal.user_email,
        name=principal.user.name,
        is_softmax_team_member=principal.is_admin,
        is_softmax_admin=principal.is_admin,
        subject_type="player" if principal.is_player else "user",
        subject_id=principal.player_id or principal.user_id,
        owner_user_id=principal.user_id,
        scopes=list(principal.scopes),
    )


@calls.get("/validate", responses=errors(Unauthorized))
def validate(principal: CurrentPrincipal) -> ValidateResponse:
    """Return 200 for a valid token, 401 otherwise."""
    return ValidateResponse.model_validate({"user": {"id": principal.user_id}})


@calls.post("/credentials/auth-codes/exchange", responses=errors(BadRequest, Gone))
def exchange_code(body: CodeExchange, session: SessionDep, now: Now) -> ExchangedToken:
    """Exchange a code of the sign-in page for a token. A code works once, for a few minutes."""
    return ExchangedToken(token=service.exchange_code(session, body.code, now=now))


@calls.get("/flags/me")
def my_flags() -> FeatureFlags:
    """Return the optional features of this server that newer clients ask about."""
    return FeatureFlags(flags={"feed-v1": False})


@calls.get("/players", responses=errors(Unauthorized, Forbidden))
def list_players(user: CurrentUser, session: SessionDep) -> list[PlayerResponse]:
    """Return your players: the default one, then the newest first."""
    return [_player(player) for player in repository.players(session, user.user_id)]


@calls.post("/players", responses=errors(Unauthorized, Forbidden, Conflict))
def create_player(body: PlayerCreate, user: CurrentUser, session: SessionDep, now: Now) -> PlayerResponse:
    """Make a player."""
    return _player(service.create_player(session, user.user, name=body.name, now=now))


@calls.post("/players/{player_id}/login", responses=errors(Unauthorized, Forbidden, NotFound))
def log_in_player(player_id: str, user: CurrentUser, session: SessionDep, now: Now) -> PlayerLoginResponse:
    """Create a token that acts as the player, for a day."""
    player = _own_player(session, player_id, user)
    token = service.log_in_player(session, player, now=now)
    assert token.row.expires_at is not None
    return PlayerLoginResponse(player_id=player.id, token=token.text, expires_at=token.row.expires_at)


@calls.get("/players/{player_id}/credentials", responses=errors(Unauthorized, Forbidden, NotFound))
def list_credentials(player_id: str, user: CurrentUser, session: SessionDep) -> list[PlayerCredential]:
    """Return a player's named tokens."""
    player = _own_player(session, player_id, user)
    return [PlayerCredential(**_credential(row)) for row in repository.credentials(session, player.id)]


@calls.post("/players/{player_id}/credentials", responses=errors(Unauthorized, Forbidden, NotFound, Conflict))
def create_credential(
    player_id: str, body: CredentialCreate, user: CurrentUser, session: SessionDep, now: Now
) -> PlayerCredentialCreateResponse:
    """Create a named token of a player. Without the scope `write` it may only read. Only this response shows it."""
    player = _own_player(session, player_id, user)
    expires_in = None if body.expires_in_days is None else timedelta(days=body.expires_in_days)
    token = service.mint_credential(session, player, name=body.name, scopes=body.scopes, now=now, expires_in=expires_in)
    return PlayerCredentialCreateResponse(**_credential(token.row), token=token.text)


@calls.delete("/players/{player_id}/credentials/{credential_id}", responses=errors(Unauthorized, Forbidden, NotFound))
def revoke_credential(
    player_id: str, credential_id: uuid.UUID, user: CurrentUser, session: SessionDep, now: Now
) -> PlayerCredentialDeleteResponse:
    """Revoke a named token."""
    player = _own_player(session, player_id, user)
    credential = next((row for row in repository.credentials(session, player.id) if row.id == credential_id), None)
    if credential is None:
        raise NotFound("The player has no such credential")
    service.revoke(session, credential, now=now)
    return PlayerCredentialDeleteResponse(id=credential.id)


def _own_player(session: SessionDep, player_id: str, user: Principal) -> Player:
    player = repository.player(session, player_id, user_id=user.user_id)
    if player is None:
        raise NotFound("You have no such player")
    return player


def _player(player: Player) -> PlayerResponse:
    return PlayerResponse(
        user_id=player.user_id,
        user=service.user_row(player.user, with_email=True),
        id=player.id,
        name=player.name,
        is_default=player.is_default,
        created_at=player.created_at,
        disabled_at=player.disabled_at,
    )


def _credential(row: Token) -> dict[str, object]:
    return {
        "id": row.id,
        "player_id": row.player_id,
        "name": row.name,
        "token_preview": row.token_preview,
        "created_at": row.created_at,
        "expires_at": row.expires_at,
        "scopes": row.scopes,
    }


router.include_router(calls)
router.include_router(admin_router)
router.include_router(page_router)
router.include_router(entrance_router)

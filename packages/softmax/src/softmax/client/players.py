"""Calls about a user's players and their credentials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from softmax.client.api import ApiClient, path_part
from softmax.client.transport import parse
from softmax.wire import (
    PlayerCredential,
    PlayerCredentialCreateResponse,
    PlayerCredentialDeleteResponse,
    PlayerLoginResponse,
    PlayerResponse,
)

__all__ = ["PlayersClient"]


class PlayersClient(ApiClient):
    """A client with the calls about players."""

    def list_players(self) -> list[PlayerResponse]:
        return self._get("/players", list[PlayerResponse], "Players")

    def create_player(self, name: str) -> PlayerResponse:
        return self._post("/players", PlayerResponse, "Players", json={"name": name})

    def login_player(self, player_id: str) -> PlayerLoginResponse:
        return self._post(f"/players/{path_part(player_id)}/login", PlayerLoginResponse, f"Player {player_id}")

    def list_player_credentials(self, player_id: str) -> list[PlayerCredential]:
        return self._get(f"/players/{path_part(player_id)}/credentials", list[PlayerCredential], f"Player {player_id}")

    def create_player_credential(
        self, player_id: str, name: str, scopes: Sequence[str] | None = None
    ) -> PlayerCredentialCreateResponse:
        body: dict[str, Any] = {"name": name}
        if scopes:
            body["scopes"] = list(scopes)
        path = f"/players/{path_part(player_id)}/credentials"
        return self._post(path, PlayerCredentialCreateResponse, f"Player {player_id}", json=body)

    def revoke_player_credential(self, player_id: str, credential_id: UUID | str) -> PlayerCredentialDeleteResponse:
        path = f"/players/{path_part(player_id)}/credentials/{path_part(credential_id)}"
        response = self._call("DELETE", path, f"Credential {credential_id}")
        return parse(response, PlayerCredentialDeleteResponse)

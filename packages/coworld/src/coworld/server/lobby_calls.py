"""Typed calls about lobbies: create one, choose its seats, join, start and end its game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coworld.server.connection import SLOW_SECONDS, LeagueConnection
from softmax.client.api import path_part
from softmax.client.transport import parse
from softmax.wire.lobbies import CompetitionLobby

__all__ = ["LobbyCalls"]


class LobbyCalls(LeagueConnection):
    """Play a game of a league with people and champions."""

    def create_lobby(
        self,
        league_id: str,
        *,
        idempotency_key: str,
        variant_id: str | None = None,
        game_config_overrides: Mapping[str, object] | None = None,
        num_players: int | None = None,
        seats: list[dict[str, object]] | None = None,
    ) -> CompetitionLobby:
        body = {
            "idempotency_key": idempotency_key,
            "variant_id": variant_id,
            "game_config_overrides": game_config_overrides and dict(game_config_overrides),
            "num_players": num_players,
            "seats": seats,
        }
        return self._lobby(
            "POST", f"/v2/leagues/{path_part(league_id)}/lobbies", f"League {league_id}", json=_given(body)
        )

    def get_lobby(self, lobby_id: str) -> CompetitionLobby:
        return self._change("GET", lobby_id, "")

    def update_lobby_seat(
        self, lobby_id: str, position: int, *, expected_revision: int, kind: str, player_id: str | None = None
    ) -> CompetitionLobby:
        body = {"expected_revision": expected_revision, "kind": kind, "player_id": player_id}
        return self._change("PUT", lobby_id, f"/seats/{position}", json=_given(body))

    def claim_lobby_seat(self, lobby_id: str, position: int) -> CompetitionLobby:
        return self._change("POST", lobby_id, f"/seats/{position}/claim")

    def remove_lobby_player(self, lobby_id: str, position: int) -> CompetitionLobby:
        return self._change("DELETE", lobby_id, f"/seats/{position}/player")

    def start_lobby(self, lobby_id: str, *, idempotency_key: str, expected_revision: int) -> CompetitionLobby:
        body = {"idempotency_key": idempotency_key, "expected_revision": expected_revision}
        return self._change("POST", lobby_id, "/start", json=body)

    def leave_lobby(self, lobby_id: str) -> CompetitionLobby:
        return self._change("POST", lobby_id, "/leave")

    def cancel_lobby(self, lobby_id: str) -> CompetitionLobby:
        return self._change("POST", lobby_id, "/cancel")

    def end_lobby(self, lobby_id: str) -> CompetitionLobby:
        return self._change("POST", lobby_id, "/end")

    def _change(self, method: str, lobby_id: str, action: str, **content: Any) -> CompetitionLobby:
        return self._lobby(method, f"/v2/lobbies/{path_part(lobby_id)}{action}", f"Lobby {lobby_id}", **content)

    def _lobby(self, method: str, path: str, resource: str, **content: Any) -> CompetitionLobby:
        return parse(self._call(method, path, resource, timeout=SLOW_SECONDS, **content), CompetitionLobby)


def _given(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: value for name, value in body.items() if value is not None}

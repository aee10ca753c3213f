"""List, create and sign in as a user's players, with the user's token."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from softmax.client.players import PlayersClient
    from softmax.wire import PlayerLoginResponse, PlayerResponse

__all__ = ["login", "login_response", "player"]


class Players:
    """`player.list(token)` and `player.create(token, name)`."""

    def list(self, token: str, *, server: str | None = None) -> list[PlayerResponse]:
        """Return the players of the token's owner."""
        return _client(token, server).list_players()

    def create(self, token: str, name: str, *, server: str | None = None) -> PlayerResponse:
        """Create a player."""
        return _client(token, server).create_player(name)


player = Players()


def login_response(token: str, player_id: str, *, server: str | None = None) -> PlayerLoginResponse:
    """Start a short-lived session as a player, without saving it."""
    return _client(token, server).login_player(player_id)


def login(token: str, player_id: str, *, server: str | None = None) -> str:
    """Start a short-lived session as a player, without saving it, and return its token."""
    return login_response(token, player_id, server=server).token


def _client(token: str, server: str | None) -> PlayersClient:
    from softmax.client import resolve_addresses
    from softmax.client.players import PlayersClient

    return PlayersClient(resolve_addresses(server).api, token)

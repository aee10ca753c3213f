"""Lobbies: a game of a league that people and champions join before it starts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from softmax.wire.base import SENT, Nullable, ResponseModel

__all__ = ["CompetitionLobby", "CompetitionLobbySeat", "LobbyPermissions"]


class CompetitionLobbySeat(ResponseModel):
    """A seat; `kind` is `human`, `human_open`, `league_player`, `random` or `closed`."""

    position: int
    kind: str
    player_id: Nullable[str] = None
    player_name: Nullable[str] = None
    is_me: bool = False
    claimant_label: Nullable[str] = None
    can_claim: bool = False
    can_remove: bool = False


class LobbyPermissions(ResponseModel):
    """What the caller may do."""

    can_start: bool = False
    can_edit: bool = False
    can_remove_player: bool = False
    can_end_game: bool = False


class CompetitionLobby(ResponseModel):
    """A lobby. Each change raises `revision`; a change names the revision that it was made from.

    `play_url` is the game's page for the caller's seat and `watch_url` the one for spectators, while there is a game.
    """

    id: str
    league_id: str
    coworld_id: str
    coworld_name: str
    coworld_version: str
    coworld_manifest_hash: str
    host_user_id: Nullable[str] = None
    variant_id: Nullable[str] = None
    min_players: int
    max_players: int
    status: str
    revision: int
    episode_request_id: Nullable[str] = None
    episode_id: Nullable[UUID] = None
    replay_url: Nullable[str] = None
    created_at: datetime
    started_at: Nullable[datetime] = None
    ended_at: Nullable[datetime] = None
    expires_at: datetime
    seats: list[CompetitionLobbySeat]
    can_manage: bool = False
    permissions: LobbyPermissions
    league_name: Nullable[str] = None
    host_name: Nullable[str] = None
    variants: Annotated[list[dict[str, str]], SENT] = Field(default=[])
    error: Nullable[str] = None
    lobby_url: Nullable[str] = None
    play_url: Nullable[str] = None
    watch_url: Nullable[str] = None

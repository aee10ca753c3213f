"""Request and response schemas of play sessions and lobbies."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from observatory.wire import Body
from softmax.wire.base import Nullable, ResponseModel

__all__ = [
    "GuestGame",
    "GuestGameStart",
    "GuestGames",
    "JoinedPlayer",
    "JoinedSession",
    "JoinedSpectator",
    "LobbyCreate",
    "LobbyEdit",
    "LobbySeatChoice",
    "LobbySeatEdit",
    "LobbyStart",
    "PlaySession",
    "PlaySessionConfig",
    "PlaySessionCreate",
    "PlaySessionSeat",
    "SpectatorsConfig",
    "VariantConfig",
]

_Key = Annotated[str, Field(min_length=1, max_length=200)]
_Variant = Annotated[str | None, Field(max_length=200)]
_Kind = Literal["human", "human_open", "league_player", "random", "closed"]


class GuestGame(ResponseModel):
    """A game that guests may play."""

    game: str = Field(description="the operator's name for it, which starts it")
    coworld_id: str
    coworld_name: str
    title: str
    description: str
    variant_id: Nullable[str] = None
    variant_name: Nullable[str] = None
    variant_description: str = ""


class GuestGames(ResponseModel):
    """The games that guests may play, in the operator's order."""

    games: list[GuestGame]


class GuestGameStart(Body):
    """The choice of a guest."""

    game: str = Field(max_length=400)


class PlaySessionCreate(Body):
    """A game that people join."""

    coworld_id: str = Field(max_length=200)
    variant_id: _Variant = None
    allow_spectators: bool = True


class VariantConfig(Body):
    kind: Literal["variant"]
    variant_id: str = Field(max_length=200)


class SpectatorsConfig(Body):
    kind: Literal["spectators"]
    allow_spectators: bool


PlaySessionConfig = Annotated[VariantConfig | SpectatorsConfig, Field(discriminator="kind")]


class PlaySessionSeat(ResponseModel):
    """A seat: free, taken by a person or an agent, or played by the game's own player."""

    slot: int
    label: Nullable[str] = None
    kind: Literal["free", "person", "program"]
    is_me: bool = False


class PlaySession(ResponseModel):
    """A game that people join, as the caller sees it."""

    session_id: str
    lobby_url: str = Field(description="the page of the session")
    join_url: str = Field(description="the same page, as older clients call it")
    global_url: Nullable[str] = Field(default=None, description="the game's page for spectators, if there may be any")
    player_url: Nullable[str] = Field(default=None, description="the game's page for the caller's seat, if it has one")
    player_count: int
    coworld_id: str
    coworld_name: str
    coworld_version: str
    description: str = Field(default="", description="what the game is about, in the words of its author")
    variant_id: Nullable[str] = None
    variant_description: str = ""
    variants: list[dict[str, str]]
    allow_spectators: bool
    status: Literal["open", "starting", "running", "ended"]
    error: Nullable[str] = Field(default=None, description="why it ended, if not by itself")
    seats: list[PlaySessionSeat]
    can_manage: bool
    can_join: bool
    starts_at: Nullable[datetime] = Field(default=None, description="when the game starts unless another person joins")
    created_at: datetime
    started_at: Nullable[datetime] = None
    ended_at: Nullable[datetime] = None


class JoinedPlayer(ResponseModel):
    slot: int
    label: str
    user_id: Nullable[str] = None
    player_id: Nullable[str] = None
    player_name: Nullable[str] = None
    joined_at: Nullable[datetime] = None


class JoinedSpectator(ResponseModel):
    label: str
    player_id: Nullable[str] = None
    player_name: Nullable[str] = None
    joined_at: datetime


class JoinedSession(ResponseModel):
    """The caller's place in a game. Its addresses hold a token: they are for the caller only."""

    entrant_kind: Literal["player", "spectator"]
    target_url: str = Field(description="the game's page for this place")
    player_url: str = Field(description="the same page, as older clients call it")
    socket_url: str = Field(description="the game's socket for this place, for programs")
    slot: Nullable[int] = None
    player: Nullable[JoinedPlayer] = None
    spectator: Nullable[JoinedSpectator] = None


class LobbySeatChoice(Body):
    position: int = Field(ge=0, le=1000)
    kind: _Kind
    player_id: str | None = Field(default=None, max_length=200)


class LobbyCreate(Body):
    """A game of a league to be joined."""

    idempotency_key: _Key
    variant_id: _Variant = None
    game_config_overrides: dict[str, Any] | None = None
    num_players: int | None = Field(default=None, ge=1, le=1000)
    seats: list[LobbySeatChoice] | None = Field(default=None, max_length=1000)


class LobbyEdit(Body):
    """Changes of a lobby; a field that is left out stays as it is."""

    expected_revision: int
    variant_id: _Variant = None
    game_config_overrides: dict[str, Any] | None = None
    num_players: int | None = Field(default=None, ge=1, le=1000)


class LobbySeatEdit(Body):
    expected_revision: int
    kind: _Kind
    player_id: str | None = Field(default=None, max_length=200)


class LobbyStart(Body):
    idempotency_key: _Key
    expected_revision: int

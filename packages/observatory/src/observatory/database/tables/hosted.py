"""Games that the server hosts, the places in them, and lobbies of leagues."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from observatory.database.base import Base, Json, enum_type, new_id
from observatory.database.tables.accounts import Player, User
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.jobs import Job
from observatory.database.tables.leagues import League
from observatory.database.tables.requests import EpisodeRequest

__all__ = [
    "HostedGame",
    "HostedKind",
    "HostedPlace",
    "HostedStatus",
    "Lobby",
    "LobbySeat",
    "LobbyStatus",
    "SeatKind",
]


class HostedKind(StrEnum):
    """Why a game is hosted."""

    PLAY = "play"
    """a casual session; it leaves no episode"""
    LOBBY = "lobby"
    """the game of a lobby; it is an episode"""
    REPLAY = "replay"
    """the game shows a stored replay"""


class HostedStatus(StrEnum):
    """The state of a hosted game."""

    OPEN = "open"
    """people join; no game runs yet"""
    STARTING = "starting"
    """a worker starts the game"""
    RUNNING = "running"
    """pages and sockets of the game can be reached"""
    ENDED = "ended"
    """final; `error` says why if the game did not end by itself"""


class HostedGame(Base):
    """A game that runs on a worker for people and agents."""

    __tablename__ = "hosted_games"
    __table_args__ = (
        Index("ix_hosted_games_user_id_created_at", "user_id", "created_at"),
        Index("ix_hosted_games_guest_address_created_at", "guest_address", "created_at"),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    kind: Mapped[HostedKind] = mapped_column(enum_type(HostedKind))
    status: Mapped[HostedStatus] = mapped_column(enum_type(HostedStatus), index=True)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    """the user who created it, and may end it; None for the game of a guest"""
    guest_hash: Mapped[str | None] = mapped_column(String(64))
    """hash of the browser session of the guest who created it"""
    guest_address: Mapped[str | None] = mapped_column(String(64))
    """keyed hash of the network address of that guest, for limits"""
    coworld_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("coworlds.id"))
    variant_id: Mapped[str | None] = mapped_column(String(200))
    seats: Mapped[list[Any]] = mapped_column(Json, default=list)
    """one for each seat: the id of the game's own player while the game is open, the name of its occupant later"""
    allow_spectators: Mapped[bool] = mapped_column(default=True)
    episode_request_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("episode_requests.id"), index=True)
    """of a lobby the episode that it plays, of a replay the episode that it shows"""
    job_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("jobs.id"), unique=True)
    server_id: Mapped[uuid.UUID | None]
    """the server process that holds the tunnel to the game"""
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]
    joined_at: Mapped[datetime | None]
    """when the last person took a seat while it was open"""
    started_at: Mapped[datetime | None]
    running_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]

    coworld: Mapped[Coworld] = relationship()
    user: Mapped[User | None] = relationship()
    job: Mapped[Job | None] = relationship()
    episode: Mapped[EpisodeRequest | None] = relationship()
    places: Mapped[list[HostedPlace]] = relationship(
        order_by="HostedPlace.slot", back_populates="game", cascade="all, delete-orphan"
    )


class HostedPlace(Base):
    """A seat that a person has taken; without a slot, the place of all spectators, or of a replay's viewers.

    The token of a place is made from its id, so that a place that is taken again has another token.
    """

    __tablename__ = "hosted_places"
    __table_args__ = (UniqueConstraint("game_id", "slot"),)

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    game_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("hosted_games.id"))
    slot: Mapped[int | None]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    """of an agent that joined with a player's token"""
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    joined_at: Mapped[datetime]

    game: Mapped[HostedGame] = relationship(back_populates="places")
    user: Mapped[User | None] = relationship()
    player: Mapped[Player | None] = relationship()


class SeatKind(StrEnum):
    """The occupant of a seat of a lobby."""

    HUMAN = "human"
    """a person, who has to claim it before the start"""
    HUMAN_OPEN = "human_open"
    """a person, who may also claim it after the start"""
    LEAGUE_PLAYER = "league_player"
    """the champion of a player"""
    RANDOM = "random"
    """a champion that is drawn at the start"""
    CLOSED = "closed"
    """not part of the game"""


class LobbyStatus(StrEnum):
    """The state of a lobby."""

    DRAFT = "draft"
    """seats are chosen"""
    PENDING = "pending"
    """a worker starts the game"""
    RUNNING = "running"
    ENDED = "ended"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    """was not started in time"""


_ACTIVE = text("status IN ('draft', 'pending', 'running')")


class Lobby(Base):
    """A game of a league that people and champions join before it starts."""

    __tablename__ = "lobbies"
    __table_args__ = (
        UniqueConstraint("host_user_id", "idempotency_key"),
        Index(
            "uq_lobbies_active_host_user_id",
            "host_user_id",
            unique=True,
            sqlite_where=_ACTIVE,
            postgresql_where=_ACTIVE,
        ),
    )

    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=new_id)
    league_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("leagues.id"), index=True)
    coworld_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("coworlds.id"))
    host_user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    idempotency_key: Mapped[str] = mapped_column(String(200))
    start_key: Mapped[str | None] = mapped_column(String(200))
    """idempotency key of the call that started it"""
    variant_id: Mapped[str | None] = mapped_column(String(200))
    game_config_overrides: Mapped[dict[str, Any]]
    min_players: Mapped[int]
    max_players: Mapped[int]
    status: Mapped[LobbyStatus] = mapped_column(enum_type(LobbyStatus), index=True)
    revision: Mapped[int] = mapped_column(default=1)
    """rises with every change"""
    hosted_game_id: Mapped[uuid.UUID | None] = mapped_column(ForeignKey("hosted_games.id"), unique=True)
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    expires_at: Mapped[datetime]

    league: Mapped[League] = relationship()
    coworld: Mapped[Coworld] = relationship()
    host: Mapped[User] = relationship()
    hosted_game: Mapped[HostedGame | None] = relationship()
    seats: Mapped[list[LobbySeat]] = relationship(
        order_by="LobbySeat.position", back_populates="lobby", cascade="all, delete-orphan"
    )


class LobbySeat(Base):
    """A seat of a lobby."""

    __tablename__ = "lobby_seats"

    lobby_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("lobbies.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[SeatKind] = mapped_column(enum_type(SeatKind))
    player_id: Mapped[str | None] = mapped_column(ForeignKey("players.id"))
    """of a champion"""
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    """the person who claimed it"""
    slot: Mapped[int | None]
    """in the game, once it has started"""

    lobby: Mapped[Lobby] = relationship(back_populates="seats")
    player: Mapped[Player | None] = relationship()
    user: Mapped[User | None] = relationship()

"""Remove hosted games and lobbies that ended long ago. The episodes that lobbies played stay."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, func, select

from observatory import events
from observatory.database import Database
from observatory.database.tables.hosted import HostedGame, HostedPlace, HostedStatus, Lobby, LobbySeat, LobbyStatus
from observatory.events import Change, ChangeKind

__all__ = ["expire_hosted"]

AT_ONCE = 200
"""rows of one transaction: other writers wait for it"""
_ENDED = (LobbyStatus.ENDED, LobbyStatus.CANCELLED, LobbyStatus.EXPIRED)


def expire_hosted(database: Database, *, now: datetime, days: float) -> int:
    """Remove games that ended more than this many days ago, with their places and lobbies; return how many."""
    before = now - timedelta(days=days)
    _expire_lobbies(database, before)
    in_lobby = select(Lobby.id).where(Lobby.hosted_game_id == HostedGame.id).exists()
    old = select(HostedGame.id).where(HostedGame.status == HostedStatus.ENDED, HostedGame.ended_at < before, ~in_lobby)
    removed = 0
    while True:
        with database.transaction() as session:
            games = session.scalars(old.limit(AT_ONCE)).all()
            if games:
                session.execute(delete(HostedPlace).where(HostedPlace.game_id.in_(games)))
                session.execute(delete(HostedGame).where(HostedGame.id.in_(games)))
                events.note(session, Change(ChangeKind.HOSTED))
        removed += len(games)
        if len(games) < AT_ONCE:
            return removed


def _expire_lobbies(database: Database, before: datetime) -> None:
    ended_at = func.coalesce(Lobby.ended_at, Lobby.expires_at)
    old = select(Lobby.id).where(Lobby.status.in_(_ENDED), ended_at < before)
    while True:
        with database.transaction() as session:
            lobbies = session.scalars(old.limit(AT_ONCE)).all()
            if lobbies:
                session.execute(delete(LobbySeat).where(LobbySeat.lobby_id.in_(lobbies)))
                session.execute(delete(Lobby).where(Lobby.id.in_(lobbies)))
                events.note(session, Change(ChangeKind.HOSTED))
        if len(lobbies) < AT_ONCE:
            return

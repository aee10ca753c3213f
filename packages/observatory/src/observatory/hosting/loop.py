"""The task that starts play sessions in time and ends hosted games that are idle, too old, or were lost.

Each server ends the idle games whose tunnels it holds; the leader does the rest.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta

import anyio
import anyio.to_thread
from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory.clock import Clock
from observatory.database import Database
from observatory.database.presence import running_servers
from observatory.database.tables.hosted import HostedGame, HostedKind, HostedStatus, Lobby, LobbyStatus
from observatory.errors import ObservatoryError
from observatory.events import ChangeKind, Versions
from observatory.hosting import games, sessions
from observatory.hosting.transitions import move_lobby
from observatory.hosting.tunnels import Tunnels
from observatory.settings import Settings

__all__ = ["HostedLoop"]

logger = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
LOST_SECONDS = 15.0
"""how long a server may be away from the database before its games count as lost; on SQLite there is one server"""
RESTARTED = "The server was restarted while the game ran"
IDLE = "The game was ended because no page and no program used it"
TOO_LONG = "The game was ended because it ran for as long as this server allows"
NOT_STARTED = "The session was ended because its game was not started in time"


class HostedLoop:
    """Looks at the hosted games that are not over."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        clock: Clock,
        tunnels: Tunnels,
        *,
        lost_seconds: float = LOST_SECONDS,
    ) -> None:
        self._database, self._settings, self._clock, self._tunnels = database, settings, clock, tunnels
        self._lost_seconds = 0.0 if database.is_sqlite else lost_seconds
        self._missing: dict[uuid.UUID | None, float] = {}
        """since when servers with games are away"""
        self._has_work = True
        self._versions: Versions = ()

    async def run(self) -> None:
        """Run until cancelled. A failed pass is logged, and the next one tries again."""
        while True:
            if self._has_work and self._database.is_leader:
                await self._try(self._end_lost)
            versions = self._database.changes.versions([ChangeKind.HOSTED])
            if self._has_work or versions != self._versions:
                self._versions = versions
                await self._try(self._check)
            await anyio.sleep(CHECK_SECONDS)

    async def _try(self, step: Callable[[Mapping[uuid.UUID, float]], None]) -> None:
        idle = {tunnel.job_id: tunnel.idle_seconds for tunnel in self._tunnels.all()}
        try:
            await anyio.to_thread.run_sync(step, idle)
        except (ObservatoryError, OSError) as problem:
            logger.warning("Hosted games could not be checked: %s", problem)
        except Exception:
            logger.exception("Hosted games could not be checked")

    def _end_lost(self, idle: Mapping[uuid.UUID, float]) -> None:
        """End the games of servers that do not run any more: their tunnels ended with them."""
        with self._database.read() as session:
            lost = {game.id for game in self._lost(session, idle)}
        if lost:
            with self._database.transaction() as session:
                for game in self._lost(session, idle):
                    if game.id in lost:
                        games.end_game(session, game, RESTARTED, now=self._clock())

    def _lost(self, session: Session, idle: Mapping[uuid.UUID, float]) -> list[HostedGame]:
        """Return the games whose server has been away for too long."""
        tunnelled = [game for game in _active(session) if _has_tunnel(game) and game.job_id not in idle]
        away = {game.server_id for game in tunnelled} - {self._database.server_id}
        if away:
            away -= {server.id for server in running_servers(session)}
        now = time.monotonic()
        self._missing = {server: self._missing.get(server, now) for server in away}
        lost = {server for server, since in self._missing.items() if now - since >= self._lost_seconds}
        return [game for game in tunnelled if game.server_id in lost]

    def _check(self, idle: Mapping[uuid.UUID, float]) -> None:
        with self._database.read() as session:
            found = _active(session)
            drafts = _drafts(session)
            self._has_work = bool(found or drafts)
            due = [game.id for game in found if self._is_due(game, idle)]
            is_leader, now = self._database.is_leader, self._clock()
            late = [lobby.id for lobby in drafts if is_leader and lobby.expires_at <= now]
        for game_id in due:
            with self._database.transaction() as session:
                game = session.get_one(HostedGame, game_id)
                if self._is_due(game, idle):
                    self._act(session, game, idle)
        if late:
            with self._database.transaction() as session:
                for lobby in _drafts(session):
                    if lobby.id in late:
                        move_lobby(session, lobby, LobbyStatus.EXPIRED, now=self._clock())

    def _is_due(self, game: HostedGame, idle: Mapping[uuid.UUID, float]) -> bool:
        if not self._database.is_leader and game.job_id not in idle:
            return False
        return self._should_start(game) or self._ending(game, idle) is not None

    def _act(self, session: Session, game: HostedGame, idle: Mapping[uuid.UUID, float]) -> None:
        now = self._clock()
        reason = self._ending(game, idle)
        if reason is not None:
            games.end_game(session, game, reason, now=now)
            return
        try:
            sessions.start(session, game, now=now)
        except ObservatoryError as problem:
            games.end_game(session, game, problem.message, now=now)

    def _should_start(self, game: HostedGame) -> bool:
        if game.status is not HostedStatus.OPEN or game.kind is not HostedKind.PLAY or game.joined_at is None:
            return False
        return self._clock() - game.joined_at >= timedelta(seconds=self._settings.hosted_start_seconds)

    def _ending(self, game: HostedGame, idle: Mapping[uuid.UUID, float]) -> str | None:
        """Return why a game has to end now, if it has to."""
        settings, now = self._settings, self._clock()
        if game.status is HostedStatus.OPEN:
            waited = (now - (game.joined_at or game.created_at)).total_seconds()
            return NOT_STARTED if waited >= settings.hosted_open_seconds else None
        if game.started_at is not None:
            ran = (now - game.started_at).total_seconds()
            is_of_guest = game.user_id is None
            if ran >= (settings.guest_lifetime_seconds if is_of_guest else settings.hosted_lifetime_seconds):
                return TOO_LONG
        idle_seconds = 0.0 if game.job_id is None else idle.get(game.job_id, 0.0)
        return IDLE if idle_seconds >= settings.hosted_idle_seconds else None


def _active(session: Session) -> list[HostedGame]:
    return list(session.scalars(select(HostedGame).where(HostedGame.status != HostedStatus.ENDED)))


def _drafts(session: Session) -> list[Lobby]:
    return list(session.scalars(select(Lobby).where(Lobby.status == LobbyStatus.DRAFT)))


def _has_tunnel(game: HostedGame) -> bool:
    return game.status is HostedStatus.RUNNING

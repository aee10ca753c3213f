"""Move hosted games and lobbies from state to state. Every change of their states goes through these functions."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.hosted import HostedGame, HostedStatus, Lobby, LobbyStatus
from observatory.events import Change, ChangeKind

__all__ = ["IllegalMove", "move_game", "move_lobby", "note_change"]

GAME_MOVES: dict[HostedStatus, frozenset[HostedStatus]] = {
    HostedStatus.OPEN: frozenset({HostedStatus.STARTING, HostedStatus.ENDED}),
    HostedStatus.STARTING: frozenset({HostedStatus.RUNNING, HostedStatus.ENDED}),
    HostedStatus.RUNNING: frozenset({HostedStatus.ENDED}),
    HostedStatus.ENDED: frozenset(),
}
LOBBY_MOVES: dict[LobbyStatus, frozenset[LobbyStatus]] = {
    LobbyStatus.DRAFT: frozenset({LobbyStatus.PENDING, LobbyStatus.CANCELLED, LobbyStatus.EXPIRED}),
    LobbyStatus.PENDING: frozenset({LobbyStatus.RUNNING, LobbyStatus.CANCELLED, LobbyStatus.ENDED}),
    LobbyStatus.RUNNING: frozenset({LobbyStatus.ENDED}),
    LobbyStatus.ENDED: frozenset(),
    LobbyStatus.CANCELLED: frozenset(),
    LobbyStatus.EXPIRED: frozenset(),
}


class IllegalMove(RuntimeError):
    """The table of legal moves does not have this one; the caller should have checked the state first."""

    def __init__(self, row: HostedGame | Lobby, to: HostedStatus | LobbyStatus) -> None:
        kind = "Lobby" if isinstance(row, Lobby) else "Hosted game"
        super().__init__(f"{kind} {row.id} is {row.status.value} and cannot become {to.value}")


def move_game(session: Session, game: HostedGame, to: HostedStatus, *, now: datetime, error: str | None = None) -> None:
    """Set the state of a hosted game and its time; `error` says why a game was ended."""
    if to not in GAME_MOVES[game.status]:
        raise IllegalMove(game, to)
    game.status = to
    if to is HostedStatus.STARTING:
        game.started_at = now
    elif to is HostedStatus.RUNNING:
        game.running_at = now
    else:
        game.ended_at, game.error = now, error
    note_change(session)
    session.flush()


def move_lobby(session: Session, lobby: Lobby, to: LobbyStatus, *, now: datetime, error: str | None = None) -> None:
    """Set the state of a lobby, its time and its next revision; `error` says why its game was ended."""
    if to not in LOBBY_MOVES[lobby.status]:
        raise IllegalMove(lobby, to)
    lobby.status = to
    lobby.revision += 1
    if to is LobbyStatus.PENDING:
        lobby.started_at = now
    elif not LOBBY_MOVES[to]:
        lobby.ended_at, lobby.error = now, error
    note_change(session)
    session.flush()


def note_change(session: Session) -> None:
    """Record that a hosted game or a lobby changed. Streams of events do not say which: an id lets others join."""
    events.note(session, Change(ChangeKind.HOSTED))

"""Move a match from state to state. Every change of a match's state goes through `move`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.matches import Match, MatchStatus, may_move
from observatory.events import Change, ChangeKind
from observatory.matches import repository

__all__ = ["IllegalMove", "move"]


class IllegalMove(RuntimeError):
    """The table of legal moves does not have this one; the caller should have checked the state first."""

    def __init__(self, match: Match, to: MatchStatus) -> None:
        super().__init__(f"Match {match.id} is {match.status.value} and cannot become {to.value}; see `may_move`")


def move(session: Session, match: Match, to: MatchStatus, *, now: datetime) -> None:
    """Set the state of a match and, at its end, the time and its place in the order of ended matches.

    Raise `IllegalMove` for a move that the table does not have.
    """
    if not may_move(match.status, to):
        raise IllegalMove(match, to)
    match.status = to
    match.completed_at = now if to is MatchStatus.CANCELLED else None
    has_ended = to in (MatchStatus.COMPLETED, MatchStatus.FAILED)
    if has_ended:
        match.completed_at = now
        match.completed_order = repository.next_completed_order(session)
    session.flush()
    season_id = match.pool.season_id
    events.note(session, Change(ChangeKind.MATCH, season_id, frozenset({match.id})))
    if has_ended:  # a table counts failed matches too
        events.note(session, Change(ChangeKind.TABLE, season_id, frozenset({match.pool_id})))

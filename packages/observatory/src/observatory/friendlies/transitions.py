"""Move a friendly match from state to state. Every change of its state goes through `move`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.friendlies import ENDED_FRIENDLY, Friendly, FriendlyStatus
from observatory.events import Change, ChangeKind

__all__ = ["IllegalMove", "may_move", "move"]

# A worker may be lost: the match waits again.
_MOVES = {
    FriendlyStatus.ASKED: {FriendlyStatus.DECLINED, FriendlyStatus.WITHDRAWN, FriendlyStatus.WAITING},
    FriendlyStatus.DECLINED: set[FriendlyStatus](),
    FriendlyStatus.WITHDRAWN: set[FriendlyStatus](),
    FriendlyStatus.WAITING: {FriendlyStatus.RUNNING, FriendlyStatus.COMPLETED, FriendlyStatus.FAILED},
    FriendlyStatus.RUNNING: {FriendlyStatus.WAITING, FriendlyStatus.COMPLETED, FriendlyStatus.FAILED},
    FriendlyStatus.COMPLETED: set[FriendlyStatus](),
    FriendlyStatus.FAILED: set[FriendlyStatus](),
}


class IllegalMove(RuntimeError):
    """The table of legal moves does not have this one; the caller should have checked the state first."""

    def __init__(self, friendly: Friendly, to: FriendlyStatus) -> None:
        super().__init__(f"Friendly match {friendly.id} is {friendly.status.value} and cannot become {to.value}")


def may_move(current: FriendlyStatus, target: FriendlyStatus) -> bool:
    return target in _MOVES[current]


def move(session: Session, friendly: Friendly, to: FriendlyStatus, *, now: datetime) -> None:
    """Set the state of a friendly match and the times that go with it; raise `IllegalMove` for an illegal one."""
    if not may_move(friendly.status, to):
        raise IllegalMove(friendly, to)
    if friendly.status is FriendlyStatus.ASKED:
        friendly.answered_at = now
    if to in ENDED_FRIENDLY:
        friendly.completed_at = now
    friendly.status = to
    session.flush()
    events.note(session, Change(ChangeKind.FRIENDLY, ids=frozenset({friendly.id})))

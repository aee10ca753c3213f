"""The states of a job and the moves between them."""

from enum import StrEnum

__all__ = ["IN_WORK", "TERMINAL", "JobStatus", "may_move"]


class JobStatus(StrEnum):
    """The state of a job."""

    PENDING = "pending"
    """waits for a worker"""
    DISPATCHED = "dispatched"
    """leased to a worker that has not begun to play"""
    RUNNING = "running"
    """being played"""
    COMPLETED = "completed"
    """played, with results; final"""
    FAILED = "failed"
    """ended without results, or with a policy that did not play to the end; final"""


IN_WORK = frozenset({JobStatus.DISPATCHED, JobStatus.RUNNING})
TERMINAL = frozenset({JobStatus.COMPLETED, JobStatus.FAILED})

_MOVES = {
    JobStatus.PENDING: {JobStatus.DISPATCHED},
    JobStatus.DISPATCHED: {JobStatus.RUNNING, JobStatus.FAILED},
    JobStatus.RUNNING: {JobStatus.COMPLETED, JobStatus.FAILED},
    JobStatus.COMPLETED: set(),
    JobStatus.FAILED: set(),
}


def may_move(current: JobStatus, target: JobStatus) -> bool:
    """Return whether a caller may make this transition. A lost or returned lease also resets a job to pending."""
    return target in _MOVES[current]

"""The states of a job and the moves between them."""

from enum import StrEnum
from typing import Final, Literal

__all__ = [
    "CANCELLED",
    "COMMISSIONER",
    "EPISODE",
    "HOSTED",
    "IN_WORK",
    "TERMINAL",
    "JobStatus",
    "Lane",
    "Priority",
    "may_move",
    "may_move_by_hand",
]

EPISODE: Final = "episode"
"""the type of a job that plays an episode; the results of other jobs are documents of their own"""
COMMISSIONER: Final = "commissioner"
"""the type of a job that runs a commissioner; workers take these beside the other jobs, because they mostly wait"""
HOSTED: Final = "hosted"
"""the type of a job that runs a game for people; workers take these beside the other jobs too"""
Lane = Literal["episode", "commissioner", "hosted"]
"""jobs that a worker takes one after the other, and two kinds of jobs that it runs beside them"""


CANCELLED: Final = "cancelled"
"""the error type of a job that was not played because its season or request was closed"""


class Priority:
    """The priority of jobs; a greater value comes first."""

    ENTRY = 20
    """matches of the pool that policies enter, qualifications in leagues"""
    FIRST = 10
    """the first matches of a version, the first round of a division, the certification of a game"""
    REST = 0
    FRIENDLY = -10
    """friendly matches, which also have the least weight in the queue"""


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

# A lease that is lost or given back makes a job pending again; the end of its season fails a job that waits.
_MOVES = {
    JobStatus.PENDING: {JobStatus.DISPATCHED, JobStatus.FAILED},
    JobStatus.DISPATCHED: {JobStatus.PENDING, JobStatus.RUNNING, JobStatus.FAILED},
    JobStatus.RUNNING: {JobStatus.PENDING, JobStatus.COMPLETED, JobStatus.FAILED},
    JobStatus.COMPLETED: set[JobStatus](),
    JobStatus.FAILED: set[JobStatus](),
}


def may_move(current: JobStatus, target: JobStatus) -> bool:
    """Return whether the table of legal moves has this one; `transitions.move` asks it."""
    return target in _MOVES[current]


def may_move_by_hand(current: JobStatus, target: JobStatus) -> bool:
    """Return whether an operator may make this move: by hand, a lease is not taken away and a waiting job not ended."""
    if target is JobStatus.PENDING or (current, target) == (JobStatus.PENDING, JobStatus.FAILED):
        return False
    return may_move(current, target)

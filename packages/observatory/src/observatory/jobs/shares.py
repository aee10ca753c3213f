"""The groups of the queue, and the accounts of the time that workers spend on them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Final

from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.jobs import Job
from observatory.database.tables.queue import QueueShare
from observatory.events import Change, ChangeKind
from observatory.job_states import COMMISSIONER, EPISODE, HOSTED, Lane

__all__ = [
    "ASSAYS",
    "CHECKS",
    "EXPECTED_SECONDS",
    "FRIENDLY",
    "OTHER",
    "REQUESTS",
    "charge",
    "default_weight",
    "lane_of",
    "league_group",
    "person_key",
    "season_group",
    "season_of_group",
    "set_group",
    "share",
]

ASSAYS: Final = "assays"
REQUESTS: Final = "requests"
"""experience requests"""
CHECKS: Final = "checks"
"""certifications of games, and the episodes and reports that check them"""
FRIENDLY: Final = "friendly"
"""friendly matches"""
OTHER: Final = "other"
"""jobs of administrators"""

_WEIGHTS = {CHECKS: 4.0, FRIENDLY: 0.25}
"""of groups other than seasons: a game cannot be played before its checks, and friendly matches count for nothing"""
EXPECTED_SECONDS = 60.0
"""the expected length of a job in a group of which none has ended"""
_MIN_SECONDS = 1.0
"""charged at least: every job costs some time to start"""
_NEW_PART = 0.2
"""how much the mean length of jobs follows the last job"""


def season_group(season_id: uuid.UUID) -> str:
    return f"season:{season_id}"


def league_group(league_id: uuid.UUID) -> str:
    return f"league:{league_id}"


def season_of_group(group: str) -> uuid.UUID | None:
    """Return the season of a group; None for another kind of group."""
    kind, _, text = group.partition(":")
    return uuid.UUID(text) if kind == "season" else None


def lane_of(group: str) -> Lane:
    """Return the lane of a group; a group never has jobs of two lanes."""
    if group == HOSTED or group.startswith(COMMISSIONER):
        return HOSTED if group == HOSTED else COMMISSIONER
    return EPISODE


def person_key(group: str, person: str) -> str:
    return f"{group}/{person}"


def default_weight(key: str) -> float:
    """Return the weight of a share that has none of its own yet."""
    return _WEIGHTS.get(key, 1.0)


def share(session: Session, key: str, parent: str | None) -> QueueShare:
    """Return a share, created if needed."""
    row = session.get(QueueShare, key)
    if row is None:
        row = QueueShare(key=key, parent=parent, weight=default_weight(key), used=0.0, clock=0.0, waits=False)
        session.add(row)
        session.flush()
    return row


def set_group(session: Session, group: str, *, weight: float | None = None, worker_labels: Sequence[str] = ()) -> None:
    """Set the weight of a group, if given, and the labels that its jobs require of a worker.

    A group with twice the weight gets twice the time of workers.
    """
    row = share(session, group, lane_of(group))
    row.worker_labels = sorted(set(worker_labels)) or None
    if weight is not None:
        row.weight = weight
    session.flush()
    events.note(session, Change(ChangeKind.QUEUE))


def charge(session: Session, job: Job, seconds: float, *, is_complete: bool) -> None:
    """Add the time that a worker spent on a job to the accounts of its group and its person."""
    seconds = max(seconds, _MIN_SECONDS)
    group = share(session, job.queue_group, lane_of(job.queue_group))
    person = share(session, person_key(job.queue_group, job.queue_person), job.queue_group)
    for row in (group, person):
        row.used += seconds / row.weight
    if is_complete:
        mean = group.job_seconds
        group.job_seconds = seconds if mean is None else mean + _NEW_PART * (seconds - mean)

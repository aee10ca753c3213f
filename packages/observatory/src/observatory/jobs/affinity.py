"""Prefer a job whose policies a worker already has, without changing anything that others notice.

The choice is among the first jobs of the person whose turn it is, so that the shares of groups and persons stay
exactly those of the fair queue. The job at the head is passed over for at most `MAX_SECONDS`.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

__all__ = ["MAX_SECONDS", "WINDOW", "Affinity"]

WINDOW = 4
"""jobs to choose from"""
MAX_SECONDS = 5.0
_MAX_JOBS = 1000


@dataclass
class Affinity:
    """Chooses among jobs, and remembers since when a job has been passed over. Each server process has one."""

    _since: dict[uuid.UUID, datetime] = field(default_factory=dict)

    def choose(
        self,
        first: Sequence[uuid.UUID],
        versions: Mapping[uuid.UUID, Collection[str]],
        unpacked: Collection[str],
        now: datetime,
    ) -> uuid.UUID:
        """Return one of the `first` jobs: the head of the queue, or one with more of its `versions` unpacked."""
        head = first[0]
        since = self._since.get(head)
        if since is not None and (now - since).total_seconds() >= MAX_SECONDS:
            del self._since[head]
            return head
        missing = {job: len(set(versions.get(job, ())) - set(unpacked)) for job in first}
        chosen = min(first, key=lambda job: (missing[job], first.index(job)))
        if chosen == head:
            self._since.pop(head, None)
        elif since is None:
            if len(self._since) >= _MAX_JOBS:
                self._since.clear()
            self._since[head] = now
        return chosen

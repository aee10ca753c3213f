"""A lane for jobs that mostly wait, and run beside the episodes: commissioners and hosted games."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from observatory.job_states import Lane
from observatory.jobs.schemas import Lease
from observatory.worker.backoff import Backoff
from observatory.worker.client import Call, JobClient, ServerAway, WrongServer

__all__ = ["SideLane"]

logger = logging.getLogger(__name__)

MAX_JOBS = 4
"""of one lane of a worker at the same time"""
_WAIT_SECONDS = 2.0
_POLL_SECONDS = 0.1


class SideLane:
    """Leases the jobs of a lane in a thread and runs each in another one. To be used in a `with` block."""

    def __init__(
        self, client: JobClient, name: str, work: Callable[[Lease], bool], lane: Lane, *, stopping: Callable[[], bool]
    ) -> None:
        self._client, self._name, self._work, self._lane = client, name, work, lane
        self._stopping, self._left = stopping, threading.Event()
        self._running: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._lease, name=f"{lane} jobs", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        """Wait until the jobs have ended or have been given back; the worker ends them when it stops."""
        self._left.set()
        self._thread.join()
        for thread in self._running:
            thread.join()

    def _is_over(self) -> bool:
        return self._left.is_set() or self._stopping()

    def _lease(self) -> None:
        away = Backoff()
        while not self._is_over():
            self._running = [thread for thread in self._running if thread.is_alive()]
            if len(self._running) >= MAX_JOBS:
                time.sleep(_POLL_SECONDS)
                continue
            try:
                lease = self._client.lease(self._name, wait_seconds=_WAIT_SECONDS, call=Call(lane=self._lane))
            except (ServerAway, WrongServer, PermissionError) as problem:
                pause = away.pause()
                logger.warning("%s; trying again in %.1f seconds", problem, pause)
                self._sleep(pause)
                continue
            away.reset()
            if lease is None:
                self._sleep(self._client.pause_seconds)
            else:
                thread = threading.Thread(target=self._work, args=(lease,), name=self._lane, daemon=True)
                thread.start()
                self._running.append(thread)

    def _sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self._is_over() and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)

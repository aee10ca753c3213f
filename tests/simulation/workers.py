"""Workers: the real loop and the real client; only the process that plays an episode is a formula."""

from __future__ import annotations

import asyncio
import functools
import json
import ssl
from pathlib import Path
from typing import Any
from unittest import mock

from observatory.games import ERROR_INFO
from observatory.jobs.schemas import ErrorInfo, Lease
from observatory.worker import client as client_module
from observatory.worker.client import HttpJobClient
from observatory.worker.loop import Worker
from packages.observatory.tests.commissioner.scripted import play_coworld, play_match
from tests.simulation.network import Network, Transport
from tests.simulation.scheduler import Process, Scheduler, await_here

__all__ = ["SimulatedWorker", "WorkerLog"]


class WorkerLog:
    """Answers of servers to workers."""

    def __init__(self) -> None:
        self.finished: list[tuple[str, int]] = []
        """(job, attempt) for each end of a job that a server has accepted"""


class _Client(HttpJobClient):
    """The real client, which notes what was accepted."""

    log: WorkerLog

    def finish(self, lease: Lease, status: str, error: ErrorInfo | None) -> None:
        super().finish(lease, status, error)
        self.log.finished.append((str(lease.job_id), lease.attempt))


@functools.cache
def _certificates(ca_file: Path | None) -> ssl.SSLContext:
    """Return what no simulated connection uses; reading the certificates of the system takes long."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class SimulatedWorker:
    """A place for a worker; `start` and `kill` make processes in it."""

    def __init__(self, name: str, scheduler: Scheduler, network: Network, token: str, log: WorkerLog) -> None:
        self.name, self._scheduler, self._network, self._token, self._log = name, scheduler, network, token, log
        self.process: Process | None = None
        self.failures = 0.0
        """the part of episodes in which its machine fails"""
        self.seconds = 1.0
        """how long an episode takes, at most"""

    def start(self) -> None:
        self._scheduler.note("start", self.name)
        self.process = Process(self.name, self._scheduler)
        with mock.patch.object(client_module, "trusted_certificates", _certificates):
            client = _Client("http://league", self._token, transport=Transport(self._network, self.name))
        client.log = self._log
        worker = Worker(client, self.name)
        worker._context = _Context(self)  # type: ignore[assignment]
        self.process.spawn_thread(worker.run)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()

    def play(self, folder: Path, spec: dict[str, Any]) -> None:
        """Write the files of an episode; the same spec gives the same files."""
        files, error = play_coworld(spec) if spec.get("game_engine") == "coworld" else play_match(spec)
        for name, document in files.items():
            (folder / name).write_text(json.dumps(document))
        if error is not None:
            (folder / ERROR_INFO).write_text(error.model_dump_json())

    def length(self) -> float:
        """Return how long the next episode takes."""
        return self._scheduler.chance.random() * self.seconds

    def breaks(self) -> bool:
        return self.failures > 0 and self._scheduler.chance.random() < self.failures


class _Context:
    """Makes episodes in place of processes."""

    def __init__(self, worker: SimulatedWorker) -> None:
        self._worker = worker

    def Pipe(self) -> tuple[_End, _End]:
        return _End(), _End()

    def Process(self, target: object, args: tuple[Any, ...], daemon: bool) -> _Episode:
        return _Episode(self._worker, args[1], args[2])


class _End:
    def close(self) -> None:
        pass


class _Episode:
    """Stands for the child process of a worker."""

    pid = None

    def __init__(self, worker: SimulatedWorker, folder: Path, spec: dict[str, Any]) -> None:
        self._worker, self._folder, self._spec = worker, folder, spec
        self._left = worker.length()
        self.exitcode: int | None = None

    def start(self) -> None:
        pass

    def join(self, seconds: float = 1e9) -> None:
        """Wait for the end of the episode."""
        if self.exitcode is not None:
            return
        waited = min(seconds, self._left)
        await_here(asyncio.sleep(waited))
        self._left -= waited
        if self._left <= 0:
            self.exitcode = 1 if self._worker.breaks() else 0
            if self.exitcode == 0:
                self._worker.play(self._folder, self._spec)

    def is_alive(self) -> bool:
        return self.exitcode is None

    def kill(self) -> None:
        self.exitcode = -9

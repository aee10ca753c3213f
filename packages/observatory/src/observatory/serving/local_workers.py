"""Workers as child processes of the server."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["LocalWorkers", "default_count"]

logger = logging.getLogger(__name__)

_CHECK_SECONDS = 0.5
_STOP_SECONDS = 20.0
_LONGEST_PAUSE = 60.0
_HEALTHY_SECONDS = 10.0


def default_count() -> int:
    """Return the default number of workers: one core is left to the server."""
    return max(1, (os.cpu_count() or 2) - 1)


@dataclass
class _Slot:
    """One worker, and when to start its replacement."""

    name: str
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    pause: float = 0.5
    not_before: float = field(default=0.0)


class LocalWorkers:
    """Keeps a number of workers alive; a worker that exits immediately is restarted with growing delays."""

    def __init__(
        self,
        server: str,
        token_file: Path,
        count: int,
        *,
        sandbox: str,
        names: Sequence[str] | None = None,
        words: Sequence[str] = (),
        program: Sequence[str] = ("-m", "observatory", "worker"),
    ) -> None:
        """Prepare `count` workers; `words` are further options of the `program`, a Python program."""
        self._command = [sys.executable, *program, "--server", server]
        self._command += ["--token-file", str(token_file), "--sandbox", sandbox, "--parent", str(os.getpid())]
        self._command += words
        names = names or [f"local-{number + 1}" for number in range(count)]
        self._slots = [_Slot(name) for name in names]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="local-workers", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop all workers, so that they give their jobs back; kill those that do not exit."""
        self._stop.set()
        self._thread.join()
        alive = [slot.process for slot in self._slots if slot.process is not None]
        for process in alive:
            process.send_signal(signal.SIGINT)  # SIGTERM would let it finish its episode first
        deadline = time.monotonic() + _STOP_SECONDS
        for process in alive:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def drain(self) -> None:
        """Let all workers finish their jobs and end, and start no others; return at once."""
        self._stop.set()
        self._thread.join()
        for slot in self._slots:
            if slot.process is not None:
                slot.process.terminate()

    @property
    def pids(self) -> list[int]:
        return [slot.process.pid for slot in self._slots if slot.process is not None and slot.process.poll() is None]

    def _watch(self) -> None:
        while not self._stop.is_set():
            for slot in self._slots:
                self._supervise(slot)
            self._stop.wait(_CHECK_SECONDS)

    def _supervise(self, slot: _Slot) -> None:
        now = time.monotonic()
        if slot.process is not None:
            status = slot.process.poll()
            if status is None:
                return
            slot.pause = 0.5 if now - slot.started_at > _HEALTHY_SECONDS else min(2 * slot.pause, _LONGEST_PAUSE)
            slot.not_before = now + slot.pause
            slot.process = None
            logger.warning(
                "Worker %s ended with status %s; another one starts in %.1f seconds", slot.name, status, slot.pause
            )
        if now >= slot.not_before:
            slot.process = subprocess.Popen([*self._command, "--name", slot.name])
            slot.started_at = now

"""The program of one Ray actor: a worker process on the actor's node, started again when it ends."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SlotOptions", "WorkerSlot"]


@dataclass(frozen=True)
class SlotOptions:
    """How the workers of a fleet are started, on any node."""

    server: str
    token: str
    labels: Sequence[str] = ()
    sandbox: str = "landlock"
    certificates: str | None = None
    """the text of the file of `--ca-file`, which nodes need not have"""
    program: Sequence[str] = ("-m", "observatory", "worker")
    """the Python program of a worker"""

    def __repr__(self) -> str:
        return f"SlotOptions({self.server!r})"  # the token must not appear in logs


class WorkerSlot:
    """One place for a worker. Ray restarts the actor on another node when its node is lost."""

    def __init__(self, name: str, options: SlotOptions) -> None:
        from observatory.serving.local_workers import LocalWorkers

        self._folder = tempfile.TemporaryDirectory(prefix="observatory-slot-")  # readable for this user only
        words = [word for label in options.labels for word in ("--label", label)]
        if options.certificates is not None:
            words += ["--ca-file", str(self._write("ca.pem", options.certificates))]
        # Each start of the slot is a worker of its own for the server: the last one may have been lost with a job.
        self._name = f"{name}-{os.getpid()}"
        self._workers = LocalWorkers(
            options.server,
            self._write("token", options.token),
            1,
            sandbox=options.sandbox,
            names=[self._name],
            words=words,
            program=options.program,
        )
        self._workers.start()

    def node(self) -> str:
        """Return the id of the node on which the slot runs."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    def drain(self) -> None:
        """Let the worker finish its jobs, lease no more, and end."""
        self._workers.drain()

    def is_running(self) -> bool:
        """Return whether the worker process runs; after `drain`, False means that the slot can be removed."""
        return bool(self._workers.pids)

    def _write(self, name: str, text: str) -> Path:
        path = Path(self._folder.name) / name
        path.write_text(text)
        path.chmod(0o600)
        return path

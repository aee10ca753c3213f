"""Child processes of the workbench: a run, and a replay that is being watched. They stop with the workbench."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from coworld.optimize.errors import OptimizeError
from coworld.optimize.run_settings import RunSettings

STOP_SECONDS = 30.0
"""after which a child that does not stop is killed"""
LAST_LINES = 5


class Child:
    """A worker process; closing its input stops it."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "coworld.commands.optimize_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,  # only the workbench receives Ctrl-C
        )
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    @property
    def error(self) -> str | None:
        """Return the end of its error output if it failed."""
        if self.process.poll() in (None, 0, 130):
            return None
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return " / ".join(lines[-LAST_LINES:]) or f"ended with exit code {self.process.returncode}"

    def stop(self) -> None:
        """Stop it and wait for its end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def close(self) -> None:
        self.stop()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


def start_run(manifest: str, settings: RunSettings, state: Path) -> Child:
    """Start a run in a state folder."""
    return Child({"manifest": manifest, "state": str(state), "settings": settings.document()})


def start_replay(manifest: str, replay: Path, *, unsafe: bool) -> tuple[Child, str]:
    """Start `coworld replay`; returns the child and the link under which it shows the replay.

    Raises:
        OptimizeError: the game cannot show it.
    """
    words = ["replay", manifest, str(replay), "--no-open-browser", *["--unsafe-local"] * unsafe]
    child = Child({"command": words})
    assert child.process.stdout is not None
    for line in child.process.stdout:
        label, _, link = line.decode(errors="replace").partition(": ")
        if label == "Replay":
            return child, link.strip()
    child.stop()
    reason = child.error or "the game ended"
    child.close()
    raise OptimizeError(f"The replay cannot be shown: {reason}")

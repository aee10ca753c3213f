"""Find the runs in a folder and read what they say about themselves."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from cogames_training.reports.epoch import EpochReport
from cogames_training.runs.checkpoint import latest_epoch
from cogames_training.runs.errors import RunFolderError
from cogames_training.runs.layout import RunPaths
from cogames_training.runs.lines import read_evaluations, read_metrics
from cogames_training.runs.lock import is_locked
from cogames_training.runs.record import FILE, read_record

__all__ = ["Run", "find_run", "find_runs", "read_run"]


@dataclass(frozen=True)
class Run:
    """A run on disk, read without locking it. `record` is the content of `run.json`, empty if there is none."""

    path: Path
    record: dict[str, Any]

    @property
    def name(self) -> str:
        return self.path.name

    @cached_property
    def epochs(self) -> list[EpochReport]:
        return read_metrics(self.path)

    @cached_property
    def evaluations(self) -> list[dict[str, Any]]:
        return read_evaluations(self.path)

    @property
    def paths(self) -> RunPaths:
        layout = self.record.get("layout")
        return RunPaths(self.path, layout) if layout in ("tutorial", "recipe") else RunPaths.of(self.path)

    @property
    def missions(self) -> list[str]:
        return [str(name) for name in self._setting("missions") or ()]

    @property
    def policy(self) -> str:
        return str(self._setting("policy") or "")

    @property
    def steps(self) -> int | None:
        """Agent steps so far."""
        return self.epochs[-1].agent_steps if self.epochs else None

    @property
    def score(self) -> float | None:
        """Score of the newest evaluation, else the mean reward of the newest epoch in which episodes ended."""
        for evaluation in reversed(self.evaluations):
            if isinstance(evaluation.get("score"), int | float):
                return float(evaluation["score"])
        return next((report.score for report in reversed(self.epochs) if report.score is not None), None)

    @property
    def status(self) -> str:
        """The status in `run.json`; a run that claims to be running without a process is `interrupted`."""
        status = str(self.record.get("status") or "unknown")
        return "interrupted" if status == "running" and not is_locked(self.path) else status

    @property
    def started(self) -> datetime:
        """Start of the run; for a folder without `run.json`, the time of its newest file."""
        try:
            return datetime.fromisoformat(str(self.record.get("started")))
        except ValueError:
            times = [file.stat().st_mtime for file in self.path.iterdir()]
            return datetime.fromtimestamp(max(times, default=self.path.stat().st_mtime), UTC)

    def summary(self) -> dict[str, Any]:
        """Return what `cogames runs --json` prints about the run."""
        return {
            "run": self.name,
            "path": str(self.path),
            "missions": self.missions,
            "policy": self.policy,
            "steps": self.steps,
            "total_steps": self.epochs[-1].total_steps if self.epochs else None,
            "epoch": self.epochs[-1].epoch if self.epochs else None,
            "checkpoint": latest_epoch(self.paths),
            "score": self.score,
            "status": self.status,
            "reason": self.record.get("reason"),
            "started": self.started.isoformat(),
            "finished": self.record.get("finished"),
            "repeat": self.record.get("repeat"),
        }

    def _setting(self, name: str) -> Any:
        args = self.record.get("args")
        return self.record.get(name) or (args.get(name) if isinstance(args, dict) else None)


def read_run(path: Path) -> Run:
    """Read a run; raise `RunFolderError` if the folder has none."""
    if not _is_run(path):
        raise RunFolderError(f"{path} is not a training run", ["`cogames runs` lists the runs"])
    return Run(path, read_record(path) or {})


def find_runs(folder: Path) -> list[Run]:
    """Return the runs in a folder, newest first."""
    children = folder.iterdir() if folder.is_dir() else ()
    runs = [read_run(child) for child in children if _is_run(child)]
    return sorted(runs, key=lambda run: (run.started, run.name), reverse=True)


def find_run(name: str, folder: Path) -> Run:
    """Return the run that a name in `folder` or a path means; `latest` is the newest one."""
    candidates = find_runs(folder)
    if name == "latest" and candidates:
        return candidates[0]
    for path in (folder / name, Path(name)):
        if _is_run(path):
            return read_run(path.resolve())
    names = [run.name for run in candidates]
    close = difflib.get_close_matches(name, names, n=1)
    hints = [f"did you mean {close[0]}?"] if close else []
    where = f"{folder} has {', '.join(names[:5])}" if names else f"{folder} has no runs; see --checkpoints"
    raise RunFolderError(f"Run {name!r} not found; {where}", hints)


def _is_run(path: Path) -> bool:
    if not path.is_dir():
        return False
    states = (RunPaths(path, "tutorial").state, RunPaths(path, "recipe").state)
    return (path / FILE).is_file() or any(state.is_file() for state in states)

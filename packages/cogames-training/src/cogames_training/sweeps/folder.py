"""The folder of a sweep: its plan, Optuna's study, the runs of the trials, and the report."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cogames_training.runs.atomic import write_file
from cogames_training.sweeps.errors import SweepError

__all__ = ["SweepFolder"]

PLAN, LOCK, STUDY, RUNS, RESULTS, REPORT = "sweep.json", ".lock", "study.db", "runs", "results.json", "report.html"


class SweepFolder:
    """A sweep on disk; use `opened` to get it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    @contextmanager
    def opened(cls, path: Path, plan: Mapping[str, Any]) -> Iterator[SweepFolder]:
        """Lock the folder, check that it is empty or has the same plan, and write the plan.

        Raises `SweepError` for a folder with another plan or with other files, and while another process uses it.
        """
        if path.exists() and not path.is_dir():
            raise SweepError(f"{path} is a file; a sweep needs a folder", ["choose another name"])
        has_plan = (path / PLAN).exists()
        if (
            path.is_dir()
            and not has_plan
            and any(child.name not in (LOCK, f".{PLAN}.part") for child in path.iterdir())
        ):
            raise SweepError(f"{path} has files that belong to no sweep", ["choose another name"])
        path.mkdir(parents=True, exist_ok=True)
        with (path / LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise SweepError(
                    f"Another process runs the sweep in {path}", ["wait for it, or choose another name"]
                ) from None
            folder = cls(path)
            folder._check_plan(json.loads(json.dumps(plan)))
            yield folder

    @property
    def runs(self) -> Path:
        """Folder of the trials' runs."""
        return self.path / RUNS

    @property
    def report(self) -> Path:
        return self.path / REPORT

    @property
    def study(self) -> str:
        """Address of Optuna's storage."""
        return f"sqlite:///{(self.path / STUDY).resolve()}"

    def write_outputs(self, results: Mapping[str, Any], report: str) -> None:
        write_file(self.path / RESULTS, (json.dumps(results, indent=2) + "\n").encode())
        write_file(self.report, report.encode())

    def _check_plan(self, plan: dict[str, Any]) -> None:
        path = self.path / PLAN
        if not path.exists():
            write_file(path, (json.dumps(plan, indent=2) + "\n").encode())
            return
        try:
            stored = json.loads(path.read_bytes())
        except ValueError:
            raise SweepError(f"{path} is damaged", ["delete the folder, or choose another name"]) from None
        for key, value in plan.items():
            old = stored.get(key)
            if old != value:
                raise SweepError(
                    f"{self.path} has another sweep: its {key} differ ({_short(old)}, not {_short(value)})",
                    ["choose another name, or delete the folder to start again"],
                )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."

"""The folder of a training run.

with RunFolder.create(Path("train_dir"), run_id=None, layout="tutorial", describe={"args": {}}) as run:
    run.save_checkpoint(1, weights, spec, state)
    run.append_metrics(report)
    run.finish("finished")
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from cogames_training.reports.epoch import EpochReport
from cogames_training.runs import record
from cogames_training.runs.atomic import write_file
from cogames_training.runs.checkpoint import Checkpoint, latest_epoch, load_checkpoint, save_checkpoint
from cogames_training.runs.errors import RunFolderError, explained
from cogames_training.runs.layout import Layout, RunPaths
from cogames_training.runs.lines import EVALUATIONS, METRICS, EpochLines
from cogames_training.runs.lock import RunLock
from cogames_training.runs.record import Status
from cogames_training.runs.state_file import StateDamaged

if TYPE_CHECKING:
    import torch

__all__ = ["RunFolder"]

_FORBIDDEN = set('/\\:*?"<>|,=\0')


class RunFolder:
    """A run that this process writes; `create` or `open` it. All methods raise `RunFolderError`."""

    def __init__(self, paths: RunPaths, lock: RunLock, document: dict[str, Any]) -> None:
        self.paths = paths
        self._lock = lock
        self._record = document
        self._metrics = EpochLines(paths.root / METRICS)
        self._evaluations = EpochLines(paths.root / EVALUATIONS)

    @classmethod
    def create(cls, checkpoints: Path, *, run_id: str | None, layout: Layout, describe: Mapping[str, Any]) -> RunFolder:
        """Start a run in `checkpoints`, or continue the run of that name.

        The default `run_id` is the time in hundredths of a second, like the published trainer's. `describe` is for
        `run.json`; see `record.describe_run`. A run that continues keeps its layout and its description.
        """
        with explained("create the run", checkpoints):
            checkpoints.mkdir(parents=True, exist_ok=True)
            root = _new_folder(checkpoints) if run_id is None else checkpoints / _checked(run_id)
            if record.read_record(root) is not None:
                return cls.open(root)
            root.mkdir(exist_ok=True)
            paths = RunPaths.of(root) if _has_checkpoints(root) else RunPaths(root, layout)
            lock = RunLock(root)
            return cls(paths, lock, record.describe_run(root.name, paths.layout, describe))._started()

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Continue a run. Raise `RunFolderError` if the folder is not a run, or if another process writes it."""
        root = path.resolve()
        if not root.is_dir() or not (_has_checkpoints(root) or (root / record.FILE).exists()):
            raise RunFolderError(f"{path} is not a training run", ["`cogames runs` lists the runs"])
        with explained("open the run", root):
            lock = RunLock(root)
            paths = RunPaths.of(root)
            document = record.read_record(root) or record.describe_run(root.name, paths.layout, {})
            if document.get("layout") in ("tutorial", "recipe"):
                paths = RunPaths(root, document["layout"])
            document["resumed"] = [*(document.get("resumed") or []), record.now()]
            document.update(status="running", finished=None, reason=None)
            return cls(paths, lock, document)._started()

    @property
    def path(self) -> Path:
        return self.paths.root

    @property
    def name(self) -> str:
        return self.paths.name

    @property
    def record(self) -> dict[str, Any]:
        """The content of `run.json`."""
        return self._record

    def save_checkpoint(
        self, epoch: int, weights: Mapping[str, torch.Tensor], spec: Mapping[str, Any], state: Mapping[str, Any]
    ) -> Path:
        """Write a checkpoint and return the bundle that `-p` accepts.

        `spec` is the content of `policy_spec.json`; this method sets its `data_path`. `state` holds tensors and plain
        values; this method adds `run_id`, `epoch`, `model_name` and `model_sha256`. After an error the checkpoint
        before it is intact.
        """
        before = latest_epoch(self.paths)
        kept = "" if before is None else f"the checkpoint of epoch {before} is intact"
        with explained(f"save the checkpoint of epoch {epoch}", self.path, kept):
            return save_checkpoint(self.paths, epoch, weights, spec, state)

    def load_checkpoint(self) -> Checkpoint | None:
        """Return the newest intact checkpoint, on the CPU; None for a run without checkpoints.

        A damaged checkpoint is skipped with a sentence in `warnings`.
        """
        with explained("load the checkpoint", self.path):
            try:
                return load_checkpoint(self.paths)
            except StateDamaged as error:
                raise RunFolderError(
                    f"No checkpoint of {self.path} is intact: {error}",
                    [f"start a new run from older weights: -p class=POLICY,data={self.path}/FILE"],
                ) from error

    def checkpoints(self) -> list[tuple[int, Path]]:
        """Return (epoch, file of the weights) of all checkpoints, oldest first."""
        return self.paths.all_weights()

    def append_metrics(self, report: EpochReport) -> None:
        """Append an epoch to `metrics.jsonl`, and its evaluation to `evaluations.jsonl`.

        The first call removes the lines of that epoch and of all later ones, which a resumed run repeats.
        """
        with explained("write the metrics", self.path):
            self._metrics.append(report.epoch, report.to_json())
            if report.evaluation is not None:
                line = json.loads(report.to_json())["evaluation"]
                place = {"epoch": report.epoch, "agent_steps": report.agent_steps}
                self._evaluations.append(report.epoch, json.dumps({**place, **line}))

    def finish(self, status: Status, reason: str | None = None) -> None:
        """Write into `run.json` how the run ended."""
        self._record.update(status=status, reason=reason, finished=record.now())
        self._write_record()

    def close(self) -> None:
        """Close the files and release the run for other processes."""
        self._metrics.close()
        self._evaluations.close()
        self._lock.release()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the run. If it is still marked as running, mark how it ended."""
        try:
            if self._record["status"] == "running":
                if error is None or isinstance(error, KeyboardInterrupt):
                    self.finish("finished" if error is None else "interrupted")
                else:
                    self.finish("failed", f"{type(error).__name__}: {error}")
        except RunFolderError:
            if error is None:
                raise
        finally:
            self.close()

    def _started(self) -> RunFolder:
        try:
            self._write_record()
        except BaseException:
            self.close()
            raise
        return self

    def _write_record(self) -> None:
        with explained(f"write {record.FILE}", self.path):
            text = json.dumps(self._record, indent=2, default=str)
            write_file(self.path / record.FILE, text.encode() + b"\n")


def _new_folder(checkpoints: Path) -> Path:
    """Create the folder of a run without name."""
    number = int(100 * time.time())
    while True:
        try:
            (checkpoints / str(number)).mkdir()
            return checkpoints / str(number)
        except FileExistsError:
            number += 1


def _checked(run_id: str) -> str:
    if not run_id.strip() or run_id.startswith((".", "-")) or set(run_id) & _FORBIDDEN or run_id == "checkpoints":
        raise RunFolderError(
            f"{run_id!r} cannot be the name of a run", ["use letters, digits, dots, dashes and underscores"]
        )
    return run_id


def _has_checkpoints(root: Path) -> bool:
    return RunPaths(root, "tutorial").state.exists() or RunPaths(root, "recipe").state.exists()

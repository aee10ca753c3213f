"""Write the reports of a run everywhere: `metrics.jsonl`, event files, Weights & Biases.

A file that cannot be written costs one warning, not the run: only checkpoints must be saved.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cogames_training.reports.epoch import EpochReport
from cogames_training.reports.names import RecipeMetrics, tutorial_metrics
from cogames_training.reports.tensorboard import EventWriter
from cogames_training.reports.wandb import WandbLogger
from cogames_training.runs import RunFolder, RunFolderError
from cogames_training.runs.lines import read_metrics

__all__ = ["RunLog"]


class RunLog:
    """The reports of one run; `tell` shows warnings."""

    def __init__(
        self, folder: RunFolder, tell: Callable[[str], None], *, epoch: int = 0, agent_steps: int | None = None
    ) -> None:
        """`epoch` and `agent_steps` are the last ones before a run that continues."""
        self._folder, self._tell = folder, tell
        self._failed: set[str] = set()
        self._metrics = RecipeMetrics() if folder.paths.layout == "recipe" else None
        if self._metrics is not None:  # rolling means and totals continue
            for report in read_metrics(folder.path):
                if report.epoch <= epoch:
                    self._metrics(report)
        self._events: EventWriter | None = None
        self._try(
            "event file",
            lambda: self._open_events(None if agent_steps is None else agent_steps + 1),
        )
        self._wandb = WandbLogger.start(name=folder.name, folder=folder.path, config=folder.record, tell=tell)

    def add(self, report: EpochReport) -> None:
        """Write the report of an epoch."""
        named: dict[str, float] = tutorial_metrics(report) if self._metrics is None else self._metrics(report)
        texts: dict[str, str] = {} if self._metrics is None else self._metrics.texts()
        self._try("metrics.jsonl", lambda: self._folder.append_metrics(report))
        events = self._events
        if events is not None:
            self._try("event file", lambda: events.add(report.agent_steps, named))
        if self._wandb is not None:
            self._wandb.log({**named, **texts}, step=report.agent_steps)

    def set_checkpoint(self, epoch: int, bundle: Path) -> None:
        """Name the newest checkpoint in all later reports."""
        if self._metrics is not None:
            self._metrics.set_checkpoint(epoch, str(bundle))

    def close(self, *, failed: bool) -> None:
        """Close everything; `failed` marks the run at Weights & Biases."""
        if self._events is not None:
            self._events.close()
        if self._wandb is not None:
            self._wandb.finish(1 if failed else 0)

    def _open_events(self, purge_step: int | None) -> None:
        self._events = EventWriter(self._folder.path, purge_step=purge_step)

    def _try(self, what: str, write: Callable[[], object]) -> None:
        try:
            write()
        except (OSError, RunFolderError) as error:
            if what not in self._failed:
                self._failed.add(what)
                self._tell(f"Training continues without some lines of {what}: {error}")

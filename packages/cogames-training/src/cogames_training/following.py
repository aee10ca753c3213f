"""The loop of all processes but the first: train, and take part in what the first one saves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cogames_training.args import TrainArgs
from cogames_training.interrupts import Interrupts
from cogames_training.reports.epoch import EpochReport
from cogames_training.trainer import Trainer

if TYPE_CHECKING:
    from cogames_training.runs import Checkpoint

__all__ = ["follow"]


def follow(args: TrainArgs, trainer: Trainer, stop: Callable[[EpochReport], bool]) -> Any:
    """Train with the first process, which runs `training._run`; return its result. Raises `NotFinite`."""
    processes, saved_epoch = trainer.processes, 0
    with Interrupts() as interrupts:
        checkpoint: Checkpoint | None = processes.from_first(None)
        if checkpoint is not None:
            trainer.load_state(checkpoint.state, checkpoint.weights)
            saved_epoch = trainer.epoch
        for report in trainer.train():
            if report.epoch % args.checkpoint_every == 0:
                trainer.state()
                saved_epoch = report.epoch
            if processes.any(interrupts.requested or stop(report)):
                break
        if trainer.epoch > saved_epoch:
            trainer.state()
    return processes.from_first(None)

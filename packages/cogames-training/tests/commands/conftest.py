"""The command line in an empty folder, and runs of a few steps."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cogames_training.training
from cogames_training.args import TrainArgs
from cogames_training.training import Result
from packages.cogames.tests.cli.conftest import cogames

__all__ = ["cogames", "tiny"]


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> list[TrainArgs]:
    """Make every training run take five epochs of a few steps. The list has the settings that were asked for."""
    train: Callable[..., Result] = cogames_training.training.train
    asked: list[TrainArgs] = []

    def train_little(args: TrainArgs, *, stop: Callable[[Any], bool] = lambda report: False, **more: Any) -> Result:
        args.check()
        asked.append(args)
        sizes = {"parallel_envs": len(args.missions), "batch_size": None, "horizon": 2, "minibatch_size": 10_000}
        little = replace(args, **sizes, maps=1, threads=1, device="cpu", evaluate_every=0)
        return train(little, stop=lambda report: stop(report) or report.epoch >= 5, **more)

    monkeypatch.setattr(cogames_training.training, "train", train_little)
    monkeypatch.delenv("DATA_DIR", raising=False)
    return asked


def only_run(folder: Path) -> Path:
    """Return the run in a folder of runs."""
    (run,) = [path for path in folder.iterdir() if path.is_dir()]
    return run

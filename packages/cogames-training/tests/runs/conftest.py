"""Runs on disk with small networks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cogames_training.reports.epoch import EpochReport
from cogames_training.runs import RunFolder
from cogames_training.runs.layout import Layout

SPEC: dict[str, Any] = {"class_path": "mettagrid.policy.noop.NoopPolicy", "init_kwargs": {}}


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)


def report(epoch: int, **changes: Any) -> EpochReport:
    """An epoch of 1,000 agent steps that takes 2 seconds."""
    values: dict[str, Any] = {
        "epoch": epoch,
        "agent_steps": 1000 * epoch,
        "total_steps": 100_000,
        "seconds": 2.0,
        "uptime": 2.0 * epoch,
        "phases": {"env": 0.5, "teacher": 0.1, "copy": 0.1, "forward": 0.3, "advantage": 0.1, "learn": 0.9},
        "losses": {"policy_loss": -0.01 * epoch, "value_loss": 1 / epoch, "entropy": 1.5, "approx_kl": 0.01},
        "episode": {"reward": 0.1 * epoch, "length": 100.0, "env_agent/heart.gained": float(epoch)},
        "episodes": 4,
        "learning_rate": 0.001,
        "epoch_steps": 1000,
    }
    return EpochReport(**{**values, **changes})


def weights_of(number: float) -> dict[str, Any]:
    import torch

    return {"layer.weight": torch.full((2, 3), float(number)), "layer.bias": torch.arange(3)}


def save(run: RunFolder, epoch: int, number: float | None = None) -> Path:
    """Save weights that are all `number`, by default the epoch."""
    number = epoch if number is None else number
    return run.save_checkpoint(epoch, weights_of(number), SPEC, {"agent_step": epoch * 1000, "number": float(number)})


def number_of(run: RunFolder) -> float:
    """Return the number in the newest checkpoint, after checking that its parts belong together."""
    checkpoint = run.load_checkpoint()
    assert checkpoint is not None
    number = checkpoint.state["number"]
    assert math.isfinite(number) and checkpoint.weights["layer.weight"].tolist() == [[number] * 3] * 2
    return float(number)


MakeRun = Callable[..., RunFolder]


@pytest.fixture
def make_run(tmp_path: Path) -> Iterator[MakeRun]:
    """Create runs in `tmp_path/train_dir`; they are closed at the end."""
    opened: list[RunFolder] = []

    def make(name: str | None = "my_run", layout: Layout = "tutorial", **description: Any) -> RunFolder:
        folder = RunFolder.create(tmp_path / "train_dir", run_id=name, layout=layout, describe=description)
        opened.append(folder)
        return folder

    yield make
    for folder in opened:
        folder.close()

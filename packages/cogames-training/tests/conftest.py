"""Small runs on one thread."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from cogames_training.args import TrainArgs
from cogames_training.training import Result, train


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def small_run(tmp_path: Path) -> Callable[..., Result]:
    """Train for at most `epochs` epochs, in 2 worlds for 8 steps each; keyword arguments are settings."""

    def small_run(
        run: str = "run", *, folder: Path = tmp_path, layout: str = "tutorial", epochs: int = 999, **settings
    ) -> Result:
        chosen = {
            "missions": ["tutorial.miner"],
            "cogs": 2,
            "policy": "class=lstm",
            "parallel_envs": 2,
            "horizon": 8,
            "minibatch_size": 16,
            "maps": 2,
            "device": "cpu",
            "threads": 1,
            "seed": 5,
            "total_steps": 96,
        } | settings
        return train(
            TrainArgs(**chosen),
            run=run,
            layout=layout,
            checkpoints=folder,
            tell=lambda text: None,
            stop=lambda report: report.epoch >= epochs,
        )

    return small_run

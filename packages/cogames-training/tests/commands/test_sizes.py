"""How many worlds and minibatches a run has."""

import pytest
import torch

from cogames_training.args import TrainArgs
from cogames_training.sizes import choose_sizes


def sizes(**settings):
    return choose_sizes(TrainArgs(**settings), rows_per_world=8, device=torch.device("cpu"))


@pytest.mark.parametrize(
    ("settings", "worlds", "horizon", "segments", "minibatches"),
    [
        ({"parallel_envs": 4}, 4, 64, 32, 1),  # a minibatch is at most the batch
        ({"parallel_envs": 16}, 16, 64, 64, 2),
        ({"parallel_envs": 4, "minibatch_size": 100}, 4, 64, 2, 16),  # rounded up to whole segments
        ({"parallel_envs": 4, "minibatch_size": 1}, 4, 64, 1, 32),
        ({"parallel_envs": 4, "minibatch_size": 2047}, 4, 64, 32, 1),
        ({"batch_size": 4096}, 8, 64, 64, 1),  # sets the number of worlds
        ({"batch_size": 2097152}, 4096, 64, 64, 512),
        ({"batch_size": 256}, 1, 32, 8, 1),  # less than one world: shorter segments
        ({"batch_size": 1, "minibatch_size": 1}, 1, 1, 1, 8),
        ({"batch_size": 4096, "parallel_envs": 16}, 16, 32, 128, 1),
    ],
)
def test_sizes_follow_from_the_settings(settings, worlds, horizon, segments, minibatches):
    chosen = sizes(**settings)
    assert (chosen.worlds, chosen.horizon, chosen.segments) == (worlds, horizon, segments)
    assert chosen.minibatches == minibatches
    assert chosen.batch == worlds * 8 * horizon


def test_a_run_plays_at_least_one_batch(small_run):
    result = small_run(total_steps=1)
    assert (result.is_finished, result.epochs, result.agent_steps) == (True, 1, 2 * 2 * 8)

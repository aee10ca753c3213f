"""PPO from pictures learns, repeats with its seed, and counts only the steps that an action decided."""

from typing import Any

import numpy as np
import pytest
import torch

from cogames_training.pictures import PictureArgs, PictureNetwork, Scores, learn, play

ACTIONS, LENGTH = 4, 5


class ColourGame:
    """The picture has one colour; the action with the number of that colour earns 1. An episode has five steps."""

    def __init__(self, num_envs: int = 16) -> None:
        self.num_envs = num_envs
        self.ignored = 0

    def reset(self, *, seed: int | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        self._draws = np.random.default_rng(seed)
        self._time = np.zeros(self.num_envs, np.int64)
        return self._show(), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        restarts = self._time == LENGTH
        self.ignored += int(restarts.sum())
        rewards = np.where(restarts, 0, actions == self._colours).astype(np.float32)
        self._time = np.where(restarts, 0, self._time + 1)
        return self._show(), rewards, np.zeros(self.num_envs, np.bool_), self._time == LENGTH, {}

    def _show(self) -> np.ndarray:
        self._colours = self._draws.integers(0, ACTIONS, self.num_envs)
        return np.broadcast_to(self._colours[:, None, None, None], (self.num_envs, 1, 16, 16)).astype(np.uint8)


def network() -> PictureNetwork:
    torch.manual_seed(3)
    return PictureNetwork(1, ACTIONS, side=16, channels=4, hidden=16)


ARGS = PictureArgs(total_steps=5000, horizon=12, gamma=0.5)


def test_it_learns_what_the_picture_shows_and_scores_unseen_episodes() -> None:
    own = network()
    epochs = list(learn(ColourGame(), own, ARGS))
    assert epochs[-1].steps >= ARGS.total_steps
    assert epochs[-1].entropy < epochs[0].entropy
    random, trained = (play(ColourGame(), policy, seed=99, num_actions=ACTIONS, steps=9) for policy in (None, own))
    assert trained.low > random.high
    assert trained.rewards.max() <= LENGTH


def test_the_same_seed_gives_the_same_network() -> None:
    def weights() -> torch.Tensor:
        own = network()
        list(learn(ColourGame(), own, PictureArgs(total_steps=400, horizon=8)))
        return torch.cat([weight.flatten() for weight in own.parameters()])

    assert torch.equal(weights(), weights())


def test_an_episode_that_does_not_end_is_an_error() -> None:
    with pytest.raises(ValueError, match="16 of 16 episodes did not end in 3 actions"):
        play(ColourGame(), None, seed=1, num_actions=ACTIONS, steps=3)


def test_the_interval_of_a_mean_shrinks_with_the_number_of_games() -> None:
    few, many = (Scores(np.tile([0.0, 2.0], number)) for number in (5, 50))
    assert few.mean == many.mean == 1
    assert few.low < many.low < 1 < many.high < few.high

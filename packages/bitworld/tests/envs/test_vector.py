"""Many games step as one vector environment, and play exactly as the environment for one player does."""

import gc
import tracemalloc

import numpy as np
import pytest

from bitworld.envs import BitWorldGymEnv, BitWorldVectorEnv
from bitworld.registry import game_names


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("ticks_per_action", [1, 3])
def test_every_game_of_the_vector_equals_a_single_one(game: str, ticks_per_action: int) -> None:
    settings = {"max_ticks": 30, "stack": 2, "ticks_per_action": ticks_per_action, "taps": ticks_per_action > 1}
    vector = BitWorldVectorEnv(game, games=3, threads=2, seed=4, **settings)
    singles = [BitWorldGymEnv(game, **settings) for _ in range(3)]
    seeds = np.arange(4, 7)
    observations, _ = vector.reset()
    expected = [env.reset(seed=int(seed))[0] for env, seed in zip(singles, seeds, strict=True)]
    draw = np.random.default_rng(1)
    are_over = False
    for _ in range(45):
        assert np.array_equal(observations, expected)
        actions = draw.integers(0, 27, 3)
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        if are_over:
            seeds += 3
            expected = [env.reset(seed=int(seed))[0] for env, seed in zip(singles, seeds, strict=True)]
            assert not rewards.any() and not terminated.any() and not truncated.any()
            are_over = False
            continue
        steps = [env.step(action) for env, action in zip(singles, actions, strict=True)]
        expected = [step[0] for step in steps]
        assert rewards.tolist() == [step[1] for step in steps]
        assert terminated.tolist() == [step[2] for step in steps] and truncated.tolist() == [step[3] for step in steps]
        are_over = bool(truncated.any())
        assert ("episode_reward" in infos) == are_over


def test_players_of_one_game_are_environments() -> None:
    vector = BitWorldVectorEnv("infinite_blocks", games=2, players=3, stack=1)
    observations, _ = vector.reset(seed=1)
    assert observations.shape == (6, 1, 128, 128) and vector.num_envs == 6
    assert not np.array_equal(observations[0], observations[1])


def test_the_rules_end_a_game_and_the_next_step_starts_another() -> None:
    vector = BitWorldVectorEnv("ice_brawl", {"rounds": 1, "roundTicks": 24, "penguins": 0}, games=2, stack=1)
    vector.reset(seed=1)
    for _ in range(300):
        _, _, terminated, truncated, infos = vector.step(np.zeros(2, np.int64))
        assert not truncated.any()
        if terminated.any():
            break
    assert terminated.all() and infos["episode_reward"].tolist() == [3, 3]
    _, rewards, terminated, *_ = vector.step(np.zeros(2, np.int64))
    assert not rewards.any() and not terminated.any()


def test_a_step_of_a_native_batch_writes_the_same_arrays() -> None:
    vector = BitWorldVectorEnv("infinite_blocks", games=8, stack=1, max_ticks=10**6)
    first, _ = vector.reset(seed=1)
    actions = np.zeros(8, np.int64)
    for _ in range(50):
        observations, *_ = vector.step(actions)
        assert np.shares_memory(observations, first)
    gc.collect()
    tracemalloc.start()
    for _ in range(50):
        vector.step(actions)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 20_000, "a step keeps no memory"


def test_copies_survive_the_next_step() -> None:
    vector = BitWorldVectorEnv("infinite_blocks", games=2, stack=1, copy=True)
    first, _ = vector.reset(seed=1)
    before = first.copy()
    for _ in range(30):
        vector.step(np.full(2, 12))
    assert np.array_equal(first, before)


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        (np.zeros(3, np.int64), r"Actions must have shape \[2\], not \[3\]"),
        (np.array([0, 27]), "Actions must be from 0 to 26; these are from 0 to 27"),
        (np.zeros(2), "Actions must be integers, not float64"),
    ],
)
def test_invalid_actions_are_refused(actions: np.ndarray, sentence: str) -> None:
    vector = BitWorldVectorEnv("infinite_blocks", games=2)
    vector.reset(seed=1)
    with pytest.raises((ValueError, TypeError), match=sentence):
        vector.step(actions)

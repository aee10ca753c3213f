"""Gymnasium's own checks of the environment for one player, and what it promises beyond them."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import bitworld.envs.gym_env  # noqa: F401  registers it
from bitworld.envs import ACTION_MASKS, BitWorldGymEnv
from bitworld.registry import game_names
from mettagrid.bitworld import BITWORLD_ACTION_MASKS

B = 2


@pytest.mark.parametrize("game", game_names())
def test_gymnasium_finds_nothing_wrong(game: str) -> None:
    made = gymnasium.make("BitWorld-v0", game=game, max_ticks=40, render_mode="rgb_array")
    check_env(made.unwrapped)


def test_the_actions_are_the_published_ones() -> None:
    assert ACTION_MASKS.tolist() == list(BITWORLD_ACTION_MASKS)


def test_rewards_are_what_an_action_adds_to_the_account() -> None:
    env = BitWorldGymEnv("infinite_blocks", max_ticks=4000, stack=1, ticks_per_action=4, taps=True)
    env.reset(seed=3)
    right_then_drop = [12, 12, 12, B]
    rewards = [env.step(right_then_drop[number % 4])[1] for number in range(900)]
    assert sum(rewards) == env._episode.game.accounts()[0].reward > 0
    assert min(rewards) == 0


def test_an_episode_of_the_same_seed_is_the_same() -> None:
    def play(seed: int | None) -> list[int]:
        env = BitWorldGymEnv("stag_hunt", max_ticks=100)
        first, _ = env.reset(seed=7)
        if seed is None:
            first, _ = env.reset()
        return [int(first.sum()), *(int(env.step(3 * (number % 9) + 1)[0].sum()) for number in range(20))]

    assert play(7) == play(7) != play(None)


def test_the_limit_of_ticks_truncates_and_the_rules_terminate() -> None:
    env = BitWorldGymEnv("stag_hunt", max_ticks=10, ticks_per_action=4)
    env.reset(seed=1)
    assert [env.step(0)[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]
    brawl = BitWorldGymEnv("ice_brawl", {"rounds": 1, "roundTicks": 24, "penguins": 0}, max_ticks=1000)
    brawl.reset(seed=1)
    ends = []
    while not any(ends[-1:]):
        ends.append(brawl.step(0)[2])
    assert ends[-1] is True and len(ends) < 300


def test_the_newest_picture_is_the_last_of_the_stack() -> None:
    env = BitWorldGymEnv("infinite_blocks", max_ticks=100, stack=3)
    before, _ = env.reset(seed=1)
    assert (before[0] == before[2]).all()
    for _ in range(10):
        after, *_ = env.step(12)
        assert np.array_equal(after[:2], before[1:])
        before = after


@pytest.mark.parametrize(
    ("action", "error"), [(27, ValueError), (-1, ValueError), ("left", TypeError), (1.0, TypeError)]
)
def test_invalid_actions_are_refused(action: object, error: type[Exception]) -> None:
    env = BitWorldGymEnv("stag_hunt")
    env.reset(seed=1)
    with pytest.raises(error, match="action"):
        env.step(action)


def test_options_that_cannot_work_are_refused() -> None:
    with pytest.raises(ValueError, match="stack must be at least 1, not 0"):
        BitWorldGymEnv("stag_hunt", stack=0)
    with pytest.raises(ValueError, match="taps needs ticks_per_action of at least 2"):
        BitWorldGymEnv("stag_hunt", taps=True)

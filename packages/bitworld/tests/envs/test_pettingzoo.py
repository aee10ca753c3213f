"""PettingZoo's own checks of the environment with all players, for every game."""

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from bitworld.envs import BitWorldParallelEnv
from bitworld.registry import game_names


@pytest.mark.parametrize("game", game_names())
def test_pettingzoo_finds_nothing_wrong(game: str) -> None:
    parallel_api_test(BitWorldParallelEnv(game, players=3, max_ticks=60, stack=2), num_cycles=70)


@pytest.mark.parametrize("game", ["stag_hunt", "infinite_blocks"])
def test_a_seed_decides_an_episode(game: str) -> None:
    parallel_seed_test(lambda: BitWorldParallelEnv(game, players=2, max_ticks=40, stack=1), num_cycles=30)


def test_players_see_different_pictures_and_end_together() -> None:
    env = BitWorldParallelEnv("fancy_cookout", players=2, max_ticks=5, stack=1, render_mode="rgb_array")
    observations, _ = env.reset(seed=1)
    assert not np.array_equal(observations["player_0"], observations["player_1"])
    ends = []
    while env.agents:
        _, _, terminated, truncated, _ = env.step({"player_0": 3})
        ends.append((terminated["player_0"], truncated["player_1"]))
    assert ends == [(False, False)] * 3 + [(False, True)]
    picture = env.render()
    assert picture is not None and picture.shape == (128, 256, 3)


def test_an_unknown_agent_is_refused() -> None:
    env = BitWorldParallelEnv("stag_hunt", players=2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="There is no agent 'player_2'; the agents are player_0, player_1"):
        env.step({"player_2": 0})

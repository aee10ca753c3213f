"""Each diagnostic policy solves its missions."""

from typing import Any

import pytest

LEVELS = ("easy", "medium", "hard")
MISSIONS = {
    "memory_mystery_path": "substrate_memory",
    "exploration_sparse_search": "substrate_exploration",
    "planning_unlock_chain": "substrate_planning",
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("mission", MISSIONS)
def test_the_goal_is_reached_on_every_map(plays: Any, mission: str, level: str) -> None:
    for seed in range(4):
        assert plays(MISSIONS[mission], f"{mission}_{level}", seed=seed).reward == 1.0


def test_the_right_goal_is_the_first_one_tried(plays: Any) -> None:
    """From the start up the corridor of 40, to one of the goals beside it, and into it."""
    for seed in range(6):
        episode = plays("substrate_memory", "memory_mystery_path_hard", seed=seed)
        assert episode.simulation.episode_stats["agent"][0]["goal.steps_to_goal"] <= 44


def test_steps_are_few_where_the_way_is_known(plays: Any) -> None:
    """Key, switch, door and goal are 6 cells from the middle: there and back three times, and there once more."""
    episode = plays("substrate_planning", "planning_unlock_chain_easy", seed=1)
    assert episode.simulation.episode_stats["agent"][0]["goal.steps_to_goal"] < 60

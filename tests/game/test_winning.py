"""Every mission can be won: a script that sees everything gets a positive reward."""

import warnings

import pytest

from cogames import missions
from mettagrid.compiler.errors import ConfigWarning
from tests.game import omniscient

WITHOUT_REWARDS = ("empty", "tutorial")  # walls and cogs only; the rules without a score, which its sub-missions have
HUGE = ("easy_large_hearts",)

ERRANDS: dict[str, omniscient.Errand] = {
    "miner_tutorial": omniscient.mine,
    "scrambler_tutorial": omniscient.scramble_junctions,
    **dict.fromkeys(missions.list("planning_unlock_chain_*"), omniscient.unlock),
    **dict.fromkeys(missions.list("memory_mystery_path_*"), omniscient.reach_goal),
    **dict.fromkeys(missions.list("exploration_sparse_search_*"), omniscient.reach_goal),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in HUGE else ())
        for name in missions.list()
        if name not in WITHOUT_REWARDS
    ],
)
def test_a_mission_can_be_won(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConfigWarning)  # move costs are not enforced, as published
        env = missions.load(name, seed=1)
        assert omniscient.play(env, ERRANDS.get(name, omniscient.hold_junctions), steps=400) > 0

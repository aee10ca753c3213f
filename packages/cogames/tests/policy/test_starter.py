"""The starter policy and its roles: how well they play, and that they play the same every time."""

from typing import Any

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_env_interface import PolicyEnvInterface

ROLES = ["starter", "miner", "aligner", "scrambler", "scout"]


@pytest.mark.parametrize("seed", [42, 43])
def test_the_starter_holds_junctions_on_the_arena(plays: Any, seed: int) -> None:
    """The published starter holds 3 at its best, at step 100, and none at the end; see `benchmarks/policies.py`."""
    episode = plays("starter", "arena", seed=seed, steps=400)
    assert episode.stat("cogs/aligned.junction.held") > 400 * 12
    assert episode.stat("cogs/aligned.junction.gained") > 20


def test_the_starter_takes_junctions_from_the_clips_and_keeps_them(plays: Any) -> None:
    episode = plays("starter", "arena", steps=600)
    tags = episode.simulation.config.game.id_map().tag_names()
    both = [
        thing
        for thing in episode.simulation.grid_objects().values()
        if thing["type_name"] == "junction"
        and thing["has_tag"](tags.index("team:cogs"))
        and thing["has_tag"](tags.index("team:clips"))
    ]
    assert len(both) > 5


def test_the_starter_plays_a_large_map(plays: Any) -> None:
    episode = plays("starter", "machina_1", steps=400)
    assert episode.stat("cogs/aligned.junction.held") > 4000


def test_every_team_of_four_score_gets_junctions(plays: Any) -> None:
    episode = plays("starter", "four_score", steps=150)
    for team in ("red", "blue", "green", "yellow"):
        assert episode.stat(f"cogs_{team}/aligned.junction.held") > 150


@pytest.mark.parametrize(
    ("role", "floor"),
    # Half an episode; what published policies get from a whole one is beside it.
    [
        ("miner", 17.0),  # 16.5
        ("aligner", 6.0),  # 6.0
        ("scrambler", 6.0),  # 4.1
        ("scout", 2.4),  # 3.9 for a whole episode: it pays for the time since something was last seen
    ],
)
def test_a_role_is_good_at_its_tutorial(plays: Any, role: str, floor: float) -> None:
    rewards = [plays(role, f"tutorial.{role}", seed=seed, steps=500).reward for seed in (42, 43)]
    assert sum(rewards) / 2 > floor


def test_aligners_alone_gather_what_they_need(plays: Any) -> None:
    """The hub has hearts and elements for six captures; for more they have to mine with bare hands."""
    assert plays("aligner", "arena", steps=600).stat("cogs/aligned.junction.gained") > 10


def test_scramblers_hold_the_clips_down(plays: Any) -> None:
    unopposed = plays("noop", "arena", steps=600).stat("clips/aligned.junction.held")
    assert plays("scrambler", "arena", steps=600).stat("clips/aligned.junction.held") < 0.7 * unopposed


@pytest.mark.parametrize("role", ROLES)
def test_a_batch_gets_the_same_actions_as_its_agents(plays: Any, role: str) -> None:
    played = []
    for way in (plays.agents, plays.batch):
        simulation = plays.new_simulation("arena", steps=120)
        played.append(way(plays.new_policy(role, simulation), simulation))
    assert played[0].actions == played[1].actions


def test_the_same_seed_gives_the_same_game(plays: Any) -> None:
    first, second = (plays("starter", "arena", seed=7, steps=200) for _ in range(2))
    assert first.actions == second.actions


def test_a_policy_can_be_used_for_the_next_episode(plays: Any) -> None:
    simulation = plays.new_simulation("arena", steps=100)
    policy = plays.new_policy("starter", simulation)
    first = plays.batch(policy, simulation)
    again = plays.batch(policy, plays.new_simulation("arena", steps=100))
    assert first.actions == again.actions


def test_a_cog_decides_by_what_it_sees_itself_and_nothing_else(plays: Any) -> None:
    """Shown the same, a cog does the same when it is the only one of its policy, whoever sits beside it."""
    simulation = plays.new_simulation("arena", steps=150)
    policy = plays.new_policy("starter", simulation)
    agents = [policy.agent_policy(agent_id) for agent_id in range(8)]
    seen, done = [], []
    while not simulation.is_done():
        for agent_id, agent in enumerate(agents):
            observation = simulation.agent(agent_id).observation
            action = agent.step(observation)
            simulation.agent(agent_id).set_action(action)
            if agent_id == 5:
                seen.append(observation)
                done.append(action.name)
        simulation.step()
    alone = plays.new_policy("starter", simulation).agent_policy(5)
    assert [alone.step(observation).name for observation in seen] == done
    assert len(set(done)) > 3


@pytest.mark.parametrize("mission", ["empty", "planning_unlock_chain_easy", "tutorial", "energy_starved"])
@pytest.mark.parametrize("role", ["starter", "scrambler", "scout"])
def test_a_role_walks_about_in_missions_without_its_things(plays: Any, mission: str, role: str) -> None:
    episode = plays(role, mission, steps=60)
    assert len({action for step in episode.actions for action in step}) > 2


def test_a_game_without_moves_is_refused_in_one_sentence(plays: Any) -> None:
    env = MettaGridConfig.EmptyRoom(num_agents=1)
    env.game.actions.move.enabled = False
    interface = PolicyEnvInterface.from_mg_cfg(env)
    policy_class = type(plays.new_policy("starter", plays.new_simulation("arena")))
    with pytest.raises(ValueError, match="needs the action move_north"):
        policy_class(interface)

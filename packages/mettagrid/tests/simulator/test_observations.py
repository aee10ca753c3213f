"""An agent's observation: tokens, its inventory, the global numbers."""

import copy
import pickle

import numpy as np
import pytest

from mettagrid.config.game_value import ConstValue, Scope, StatValue, inv
from mettagrid.config.mettagrid_config import InventoryConfig, ObsConfig
from mettagrid.simulator import AgentObservation, Location, ObservationToken, Simulation, _observation


def named(tokens):
    return [(token.feature.name, token.value) for token in tokens]


def test_tokens_are_a_list_of_what_the_buffer_holds_without_padding(game):
    simulation = Simulation(game())
    observations = simulation.observations()
    assert [observation.agent_id for observation in observations] == [0, 1]
    for observation in observations:
        row = simulation._c_sim.observations()[observation.agent_id]
        used = int((row[:, 1] != 255).sum())
        assert type(observation.tokens) is list
        assert [tuple(token.raw_token) for token in observation.tokens] == [tuple(raw) for raw in row[:used].tolist()]
        assert all(token.value == token.raw_token[2] for token in observation.tokens)
        assert all(token.feature is simulation.get_feature(token.raw_token[1]) for token in observation.tokens)
        assert len(observation.talk) == 0


def test_global_tokens_have_no_location_and_the_own_cell_is_in_the_middle(game):
    agent = Simulation(game()).agent(0)
    first = agent.observation.tokens[0]
    assert (first.is_global, first.location, first.row(), first.col()) == (True, None, None, None)
    for token in agent.self_observation():
        assert (token.is_global, token.location, token.row(), token.col()) == (False, Location(6, 6), 6, 6)
    assert named(agent.self_observation()) == [("tag", 0), ("agent:group", 0), ("agent_id", 0)]


def test_a_location_is_row_then_column_with_x_and_y_the_other_way_round():
    location = Location(2, 5)
    assert (location.row, location.col, location.x, location.y) == (2, 5, 5, 2)
    assert location == (2, 5)


def test_an_observation_is_a_copy_that_later_steps_do_not_change(game):
    simulation = Simulation(game(max_steps=10))
    before_read, never_read = simulation.agent(0).observation, simulation.agent(0).observation
    expected = named(before_read.tokens)
    simulation.step()
    assert named(before_read.tokens) == expected
    assert named(never_read.tokens) == expected
    assert simulation.agent(0).observation.tokens[0].value == 25


def test_observations_compare_copy_and_pickle_by_value(game):
    simulation = Simulation(game())
    observation = simulation.agent(0).observation
    assert observation == simulation.observations()[0]
    assert observation != simulation.observations()[1]
    assert pickle.loads(pickle.dumps(simulation.agent(0).observation)) == observation
    assert copy.deepcopy(simulation.agent(0).observation) == observation
    assert AgentObservation(0, list(observation.tokens), []) == observation
    assert "ObservationToken(" in repr(simulation.agent(0).observation)


def test_an_observation_made_by_hand_needs_no_simulation(game):
    feature = Simulation(game()).get_feature(6)
    token = ObservationToken(feature=feature, value=3, raw_token=(0x12, 6, 3))
    observation = AgentObservation(agent_id=4, tokens=[token])
    assert (observation.talk, observation.tokens[0].location) == ((), Location(1, 2))
    assert observation.token_array().tolist() == [[0x12, 6, 3]]
    with pytest.raises(AttributeError, match="'AgentObservation' object has no attribute 'text'"):
        _ = observation.text


def test_token_array_gives_the_bytes_before_and_after_decoding(game):
    simulation = Simulation(game())
    observation = simulation.agent(1).observation
    array = observation.token_array()
    assert (array.dtype, array.shape) == (np.uint8, (27, 3))
    assert [tuple(row) for row in array.tolist()] == [token.raw_token for token in observation.tokens]
    assert observation.token_array().tolist() == array.tolist()


def test_equal_tokens_are_one_object_and_the_table_of_them_stays_small(game, monkeypatch):
    agent = Simulation(game()).agent(0)
    first, again = agent.observation.tokens, agent.observation.tokens
    assert all(a is b for a, b in zip(first, again, strict=True))
    monkeypatch.setattr(_observation, "MAX_INTERNED", 5)
    agent = Simulation(game()).agent(0)
    assert agent.observation.tokens == first
    assert len(agent._sim._decoder._tokens) <= 5


@pytest.mark.parametrize("tokens", [27, 28, 29])
def test_rows_that_are_full_or_nearly_full_are_read_to_their_end(game, tokens):
    config = game(obs=ObsConfig(num_tokens=tokens), max_steps=1)
    config.game.agent.inventory = InventoryConfig(initial={})
    simulation = Simulation(config)
    simulation.step()  # the first token now has value 255
    assert len(simulation.agent(0).observation.tokens) == 27


def test_a_last_value_of_255_does_not_hide_its_token(game):
    config = game("@", obs=ObsConfig(width=1, height=1))
    simulation = Simulation(config)
    last = len(simulation.agent(0).observation.tokens) - 1
    simulation._c_sim.observations()[0, last, 2] = 255
    assert simulation.agent(0).observation.tokens[-1].value == 255


@pytest.mark.parametrize(("base", "parts"), [(256, 2), (100, 3)])
def test_inventory_and_global_numbers_are_put_together_from_their_parts(game, base, parts):
    config = game(obs=ObsConfig(token_value_base=base))
    config.game.obs.global_obs.obs = {"mine": inv("gold"), "fixed": ConstValue(value=12345)}
    config.game.agent.inventory = InventoryConfig(initial={"gold": 12345, "ore": 99})
    agent = Simulation(config).agent(0)
    assert agent.inventory == {"gold": 12345, "ore": 99}
    assert agent.global_observations == {
        "episode_completion_pct": 0,
        "last_action": 0,
        "last_reward": 0,
        "mine": 12345,
        "fixed": 12345,
    }
    digits = [12345 // base**k % base for k in range(parts)]
    names = ["mine", "mine:p1", "mine:p2"][:parts]
    assert [pair for pair in named(agent.global_observation_tokens()) if pair[0].startswith("mine")] == list(
        zip(names, digits, strict=True)
    )


def test_names_that_look_like_parts_of_a_number_are_numbers_of_their_own(game):
    config = game(resource_names=["gold", "wood:p1"])
    config.game.obs.global_obs.obs = {"wave:p1": ConstValue(value=3), "next": ConstValue(value=300)}
    config.game.agent.inventory = InventoryConfig(initial={"gold": 300, "wood:p1": 6})
    agent = Simulation(config).agent(0)
    assert agent.inventory == {"gold": 300, "wood:p1": 6}
    assert (agent.global_observations["wave:p1"], agent.global_observations["next"]) == (3, 300)


def test_set_inventory_clears_what_it_does_not_name_and_shows_after_the_next_step(game):
    simulation = Simulation(game())
    agent = simulation.agent(0)
    agent.set_inventory({"gold": 300, "ore": 5})
    assert agent.inventory == {}
    simulation.step()
    assert agent.inventory == {"gold": 300, "ore": 5}
    agent.set_inventory({"ore": np.int64(7)})
    simulation.step()
    assert agent.inventory == {"ore": 7}
    assert simulation.agent(1).inventory == {}


def test_rewards_are_the_engines_numbers(game):
    simulation = Simulation(game())
    simulation._c_sim.rewards()[1] = 2.5
    assert (simulation.agent(0).step_reward, simulation.agent(1).step_reward) == (0.0, 2.5)
    assert simulation.agent(1).episode_reward == 0.0


def test_each_agent_sees_the_count_of_tokens_after_the_agents_before_it(game):
    config = game()
    config.game.obs.global_obs.obs = {"tokens": StatValue(name="tokens_written", scope=Scope.GAME)}
    simulation = Simulation(config)
    simulation.step()
    before, after = (simulation.agent(agent).global_observations["tokens"] for agent in (0, 1))
    assert after == before + len(simulation.agent(0).observation.tokens)

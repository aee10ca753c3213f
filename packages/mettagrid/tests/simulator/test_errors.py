"""Bad input is refused with a sentence that says what is wrong."""

import pickle

import pytest

from mettagrid.simulator import Simulation, Simulator, UnknownActionError


@pytest.mark.parametrize("agent_id", [2, -1])
def test_there_are_only_the_agents_of_the_game(game, agent_id):
    with pytest.raises(IndexError, match=f"No agent {agent_id}; this game has agents 0 to 1"):
        Simulation(game()).agent(agent_id)


@pytest.mark.parametrize("agent_id", [None, "0", 1.0])
def test_agent_ids_are_integers(game, agent_id):
    with pytest.raises(TypeError, match="An agent id must be an integer"):
        Simulation(game()).agent(agent_id)


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), (2**32, ValueError), (1.5, TypeError), ("3", TypeError)])
def test_seeds_are_32_bit_integers(game, seed, error):
    with pytest.raises(error, match="A seed must be"):
        Simulation(game(), seed=seed)


@pytest.mark.parametrize("config", [None, {}, "arena"])
def test_a_simulation_needs_a_config(config):
    with pytest.raises(TypeError, match="A simulation needs a MettaGridConfig, not"):
        Simulation(config)


@pytest.mark.parametrize("feature_id", [-1, 254, 9999])
def test_unknown_features_are_key_errors(game, feature_id):
    with pytest.raises(KeyError, match=f"No feature {feature_id}"):
        Simulation(game()).get_feature(feature_id)


@pytest.mark.parametrize(
    ("inventory", "error", "says"),
    [
        ({"golf": 1}, ValueError, "Unknown resource 'golf' .did you mean 'gold'"),
        ({"gold": -1}, ValueError, "'gold' must be from 0 to 65535, not -1"),
        ({"gold": 65536}, ValueError, "'gold' must be from 0 to 65535, not 65536"),
        ({"gold": 1.5}, TypeError, "'gold' must be an integer, not 1.5"),
        ([("gold", 1)], TypeError, "must map resource names to amounts"),
        (None, TypeError, "must map resource names to amounts"),
    ],
)
def test_a_bad_inventory_is_refused_and_changes_nothing(game, inventory, error, says):
    simulation = Simulation(game())
    agent = simulation.agent(0)
    agent.set_inventory({"ore": 2})
    with pytest.raises(error, match=says):
        agent.set_inventory(inventory)
    simulation.step()
    assert agent.inventory == {"ore": 2}


@pytest.mark.parametrize("size", [0, -3])
def test_a_map_cache_keeps_at_least_one_map(size):
    with pytest.raises(ValueError, match="maps_cache_size must be at least 1"):
        Simulator(maps_cache_size=size)


def test_more_agents_than_spawn_points_are_refused(game):
    with pytest.raises(ValueError, match="Number of agents 3 exceeds available spawn points 2"):
        Simulation(game(num_agents=3))


def test_an_unknown_action_error_can_cross_processes(game):
    with pytest.raises(UnknownActionError) as raised:
        Simulation(game()).agent(0).set_action("move_up")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (type(copy), str(copy), copy.name) == (UnknownActionError, str(raised.value), "move_up")

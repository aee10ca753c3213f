"""The map of each simulation."""

import pytest

from mettagrid.map_builder.random_map import RandomMapBuilder
from mettagrid.simulator import Simulation, Simulator
from mettagrid.simulator.map_cache import SharedMapCache, get_shared_cache, stop_shared_cache


def builder(seed):
    return RandomMapBuilder.Config(width=12, height=9, border_width=1, agents=2, objects={"wall": 10}, seed=seed)


@pytest.fixture
def random_map(game):
    def make(seed):
        config = game("@@")
        config.game.map_builder = builder(seed)
        return config

    return make


@pytest.fixture(autouse=True)
def no_maps_of_other_tests():
    stop_shared_cache()
    yield
    stop_shared_cache()


def layout(simulation):
    """Where walls and agents are."""
    kinds = {"wall": "#", "agent": "@"}
    return {(thing["r"], thing["c"]): kinds[thing["type_name"]] for thing in simulation.grid_objects().values()}


def built(seed):
    grid = builder(seed).create().build_for_num_agents(2).grid
    kinds = {"wall": "#", "empty": "."}
    cells = {(r, c): kinds.get(name, "@") for r, row in enumerate(grid.tolist()) for c, name in enumerate(row)}
    return {place: kind for place, kind in cells.items() if kind != "."}


@pytest.mark.parametrize("seed", [0, 9])
def test_a_simulation_of_its_own_uses_the_builders_seed_and_not_its_own(random_map, seed):
    assert layout(Simulation(random_map(5), seed=seed)) == built(5)


def test_a_builder_without_a_seed_draws_a_map_whatever_the_simulations_seed(random_map):
    maps = [layout(Simulation(random_map(None), seed=1)) for _ in range(3)]
    assert maps[0] != maps[1] or maps[1] != maps[2]


def test_the_kth_simulation_of_a_simulator_has_the_map_of_seed_plus_k(random_map):
    simulator = Simulator()
    config = random_map(5)
    for seed in (5, 6, 7):
        simulation = simulator.new_simulation(config, seed=1)
        assert layout(simulation) == built(seed)
        assert simulation.seed == 1
        assert config.game.map_builder.seed == 5


def test_with_a_cache_the_map_seeds_repeat(random_map):
    simulator = Simulator(maps_cache_size=2)
    for seed in (5, 6, 5, 6, 5):
        assert layout(simulator.new_simulation(random_map(5))) == built(seed)
    assert len(get_shared_cache(2)) == 2


def test_with_a_cache_a_builder_without_a_seed_makes_no_more_maps_than_fit(random_map):
    simulator = Simulator(maps_cache_size=2)
    maps = [layout(simulator.new_simulation(random_map(None))) for _ in range(12)]
    assert all(found in maps[:2] for found in maps)
    assert maps[0] != maps[1]


def test_simulators_share_their_cached_maps(random_map):
    first, second = (Simulator(maps_cache_size=1).new_simulation(random_map(None)) for _ in range(2))
    assert layout(first) == layout(second)


def test_next_map_seed_counts_every_call():
    simulator = Simulator()
    assert [simulator.next_map_seed(10) for _ in range(4)] == [10, 11, 12, 13]
    cached = Simulator(maps_cache_size=2)
    assert [cached.next_map_seed(10) for _ in range(5)] == [10, 11, 10, 11, 10]


def test_a_cache_tells_builders_and_agent_counts_apart():
    cache = SharedMapCache()
    first = cache.get_or_create(builder(1), 2)
    assert cache.get_or_create(builder(1), 2) is first
    assert cache.get_or_create(builder(1), 1) is not first
    assert cache.get_or_create(builder(2), 2) is not first
    assert len(cache) == 3
    cache.clear()
    assert len(cache) == 0

"""Inventories are observed in the order of the published engine's hash tables, on which trained networks depend."""

import random

import numpy as np
import pytest

from mettagrid.compiler.hash_order import hash_order, reserved_hash_order
from mettagrid.config.mettagrid_config import AgentConfig, GameConfig, InventoryConfig, MettaGridConfig
from mettagrid.config.obs_config import ObsConfig
from mettagrid.map_builder.ascii import AsciiMapBuilder
from mettagrid.mettagrid_c import MettaGrid
from mettagrid.simulator import Simulation

SIZES = (13, 29, 59)


class Table:
    """A model of the published table: ids in order, and how far it has grown."""

    def __init__(self) -> None:
        self.order: list[int] = []
        self.level = 0

    def set(self, key: int, amount: int) -> None:
        if key not in self.order:
            if len(self.order) == SIZES[self.level]:
                self.level += 1
                before, self.order = self.order, []
                for other in before:
                    self._insert(other)
            self._insert(key)
        if amount == 0:
            self.order.remove(key)

    def _insert(self, key: int) -> None:
        buckets = SIZES[self.level]
        same = (i for i, other in enumerate(self.order) if other % buckets == key % buckets)
        self.order.insert(next(same, 0), key)


def game(resources: int, initial: dict[str, int]) -> MettaGridConfig:
    names = [f"r{number}" for number in range(resources)]
    agent = AgentConfig(inventory=InventoryConfig(initial=initial))
    builder = AsciiMapBuilder.Config(map_data=["@"], char_to_map_name={"@": "agent.agent"})
    obs = ObsConfig(num_tokens=120)
    return MettaGridConfig(
        game=GameConfig(resource_names=names, num_agents=1, obs=obs, agents=[agent], map_builder=builder)
    )


def observed(sim: Simulation) -> list[int]:
    """The resources in the agent's own cell, in the order of their tokens."""
    names = {feature.id: feature.name for feature in sim.config.game.id_map().features()}
    tokens = np.asarray(sim._c_sim.observations())[0]
    shown = [names[int(token[1])] for token in tokens if token[0] not in (254, 255)]
    return [int(name.removeprefix("inv:r")) for name in shown if name.startswith("inv:r") and name.count(":") == 1]


@pytest.mark.parametrize("resources", [3, 13, 20, 40])
@pytest.mark.parametrize("seed", range(6))
def test_initial_amounts_are_inserted_as_the_published_config_holds_them(resources: int, seed: int) -> None:
    rng = random.Random(seed)
    amounts = {number: rng.randint(0, 3) for number in rng.sample(range(resources), rng.randint(1, resources))}
    table = Table()
    for key in reserved_hash_order(amounts):
        table.set(key, amounts[key])
    sim = Simulation(game(resources, {f"r{key}": amount for key, amount in amounts.items()}), seed=1)
    assert observed(sim) == table.order


@pytest.mark.parametrize("resources", [5, 13, 20, 40])
def test_every_change_moves_the_order_as_in_the_published_table(resources: int) -> None:
    rng = random.Random(resources)
    sim, table = Simulation(game(resources, {}), seed=1), Table()
    for _ in range(60):
        amounts = {number: rng.randint(1, 3) for number in rng.sample(range(resources), rng.randint(0, resources))}
        sim.agent(0).set_inventory({f"r{key}": amount for key, amount in amounts.items()})
        for key in range(resources):
            table.set(key, 0)
        for key, amount in amounts.items():
            table.set(key, amount)
        sim.step()
        assert observed(sim) == table.order


def test_a_snapshot_keeps_the_order() -> None:
    config = game(20, {"r3": 1, "r7": 2, "r11": 1})
    sim = Simulation(config, seed=1)
    before = observed(sim)
    sim.agent(0).set_inventory({"r11": 1, "r3": 1, "r7": 2})
    sim.step()
    order = observed(sim)
    assert sorted(order) == sorted(before) and order != before
    twin = MettaGrid.from_snapshot(config, sim._c_sim.snapshot())
    twin.step()
    sim.step()
    assert np.array_equal(np.asarray(twin.observations()), np.asarray(sim._c_sim.observations()))


def test_a_table_of_known_size_and_one_that_grows_differ() -> None:
    assert hash_order(range(5)) == [4, 3, 2, 1, 0]
    assert reserved_hash_order([0, 5, 1]) == [1, 5, 0]
    assert reserved_hash_order([0, 3, 1]) == [1, 3, 0]

"""Small worlds with the rules of the game."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cogsguard.maps.canvas import LEGEND
from cogsguard.missions.mission import CvCMission
from mettagrid.compiler.errors import ConfigWarning
from mettagrid.config.mettagrid_config import AsciiMapBuilder, MettaGridConfig
from mettagrid.simulator import Simulation


@pytest.fixture(autouse=True)
def moves_cost_nothing() -> Iterator[None]:
    """The rules write down a cost of moving, which the engine says it does not charge."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "game.actions.move.consumed_resources", ConfigWarning)
        yield


class World:
    """A mission on a drawn map, played by hand. Agents are numbered in map order."""

    def __init__(self, rows: list[str], variants: list[Any] | None = None, **mission: Any) -> None:
        agents = sum(row.count("@") for row in rows)
        builder = AsciiMapBuilder.Config(map_data="\n".join(rows), char_to_map_name=LEGEND)
        settings: dict[str, Any] = {"name": "test", "map_builder": builder, "num_agents": agents, "max_steps": 1000}
        self.env: MettaGridConfig = CvCMission(**{**settings, **mission}).with_variants(variants or []).make_env()
        self.sim = Simulation(self.env, seed=1)
        self.resources = self.env.game.resource_names
        self.tags = self.env.game.id_map().tag_names()

    def step(self, *actions: str, times: int = 1) -> list[bool]:
        """Let agents act; those not named do nothing. Returns whether each action succeeded."""
        for _ in range(times):
            for agent, action in enumerate([*actions, *["noop"] * (self.env.game.num_agents - len(actions))]):
                self.sim.agent(agent).set_action(action)
            self.sim.step()
        return [bool(self.sim.agent(agent).last_action_success) for agent in range(self.env.game.num_agents)]

    def objects(self, type_name: str) -> list[dict[str, Any]]:
        """Objects of a type in map order."""
        found = [item for item in self.sim.grid_objects().values() if item["type_name"] == type_name]
        return sorted(found, key=lambda item: (item["r"], item["c"]))

    def holds(self, item: dict[str, Any]) -> dict[str, int]:
        return {self.resources[key]: amount for key, amount in item["inventory"].items() if amount}

    def agent(self, number: int = 0) -> dict[str, int]:
        """Return the inventory of an agent."""
        found = next(item for item in self.sim.grid_objects().values() if item.get("agent_id") == number)
        return self.holds(found)

    def tags_of(self, item: dict[str, Any]) -> set[str]:
        return {self.tags[tag] for tag in item["tag_ids"] if not self.tags[tag].startswith("type:")}

    def give(self, agent: int = 0, **amounts: int) -> None:
        """Set what an agent holds of some resources."""
        self.sim.agent(agent).set_inventory({**self.agent(agent), **amounts})

    def game_stat(self, name: str) -> float:
        return float(self.sim.episode_stats["game"].get(name, 0.0))

    def agent_stat(self, name: str, agent: int = 0) -> float:
        return float(self.sim.episode_stats["agent"][agent].get(name, 0.0))

    def rewards(self) -> np.ndarray:
        return np.asarray(self.sim.episode_rewards)


@pytest.fixture
def world() -> type[World]:
    return World

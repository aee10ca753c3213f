"""The state of the world at the start of a step, in the terms of the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mettagrid.simulator.simulator import Simulation

__all__ = ["ELEMENTS", "ROLES", "STOCKED", "AgentState", "Cell", "Structure", "World", "WorldReader"]

ROLES = ("miner", "scout", "aligner", "scrambler")
"""the roles; the gear of a role and the type of its station have the same name"""
ELEMENTS = ("carbon", "oxygen", "germanium", "silicon")
STOCKED = (*ELEMENTS, "heart")
"""the resources of a hub"""
TEAM = "team:"

Cell = tuple[int, int]
"""row and column"""


@dataclass(frozen=True)
class Structure:
    """An object that is neither a wall nor an agent. `teams` are tags such as `team:cogs`."""

    id: int
    kind: str
    cell: Cell
    teams: frozenset[str]

    @property
    def is_junction(self) -> bool:
        return self.kind == "junction"

    @property
    def is_extractor(self) -> bool:
        return self.kind.endswith("_extractor")

    @property
    def is_station(self) -> bool:
        return self.kind in ROLES


@dataclass(frozen=True)
class AgentState:
    """An agent: the id of its object, its place, team, vibe and inventory."""

    id: int
    cell: Cell
    team: str
    vibe: str
    inventory: Mapping[str, int]

    @property
    def gear(self) -> str:
        """The role whose gear the agent holds; empty without gear."""
        return next((role for role in ROLES if self.inventory.get(role)), "")

    @property
    def hearts(self) -> int:
        return self.inventory.get("heart", 0)

    @property
    def cargo(self) -> int:
        return sum(self.inventory.get(element, 0) for element in ELEMENTS)


@dataclass(frozen=True)
class World:
    """All structures by cell, and all agents in id order."""

    structures: Mapping[Cell, Structure]
    agents: tuple[AgentState, ...]
    hubs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """{team: the inventory of its hubs}"""

    @property
    def teams(self) -> frozenset[str]:
        """The teams with agents."""
        return frozenset(agent.team for agent in self.agents)

    @cached_property
    def junctions(self) -> list[Structure]:
        return [structure for structure in self.structures.values() if structure.is_junction]

    @cached_property
    def held(self) -> Counter[str]:
        """The number of junctions of each team."""
        return Counter(team for junction in self.junctions for team in junction.teams)

    def stock(self) -> Counter[str]:
        """Return the hub inventories of all teams with agents, added up."""
        total: Counter[str] = Counter()
        for team in self.teams:
            for resource in STOCKED:
                total[resource] += self.hubs.get(team, {}).get(resource, 0)
        return total


class WorldReader:
    """Reads the current state of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._tags = simulation.config.game.id_map().tag_names()
        self._resources = simulation.resource_names
        self._vibes = simulation.config.game.vibe_names

    def read(self) -> World:
        structures: dict[Cell, Structure] = {}
        agents: dict[int, AgentState] = {}
        hubs: dict[str, Counter[str]] = {}
        for shown in self._simulation.grid_objects(ignore_types=["wall"]).values():
            cell = (shown["r"], shown["c"])
            teams = frozenset(name for name in map(self._tags.__getitem__, shown["tag_ids"]) if name.startswith(TEAM))
            if "agent_id" in shown:
                vibe = self._vibes[shown["vibe"]] if self._vibes else ""
                agents[shown["agent_id"]] = AgentState(
                    shown["id"], cell, min(teams, default=""), vibe, self._inventory(shown)
                )
                continue
            structures[cell] = Structure(shown["id"], shown["type_name"], cell, teams)
            if shown["type_name"] == "hub":
                for team in teams:
                    hubs.setdefault(team, Counter()).update(self._inventory(shown))
        return World(structures, tuple(agents[agent] for agent in sorted(agents)), hubs)

    def _inventory(self, shown: Mapping[str, Any]) -> dict[str, int]:
        return {self._resources[resource]: amount for resource, amount in shown["inventory"].items() if amount}

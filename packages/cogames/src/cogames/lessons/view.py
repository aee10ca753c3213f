"""The state that goals check: the game after a step, and what the player has done so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from cogsguard.names import ELEMENTS, TEAM_PREFIX
from mettagrid.simulator import Simulation

__all__ = ["PLAYER_SEAT", "Cell", "CogThing", "LessonView", "Observer", "Thing"]

Cell = tuple[int, int]
"""(column, row)"""

PLAYER_SEAT = "noop"
"""the policy of a cog that the player controls: all actions of such a cog count as the player's"""

TEAM = "cogs"
CLIPS = "clips"


@dataclass(frozen=True)
class Thing:
    """An object on the map other than a wall."""

    id: int
    kind: str
    cell: Cell
    tags: frozenset[str]
    holds: Mapping[str, int]

    def has(self, item: str) -> int:
        return self.holds.get(item, 0)

    @property
    def is_ours(self) -> bool:
        return f"{TEAM_PREFIX}{TEAM}" in self.tags

    @property
    def is_theirs(self) -> bool:
        """Return whether the Clips own it; a junction can belong to both sides at once."""
        return f"{TEAM_PREFIX}{CLIPS}" in self.tags


@dataclass(frozen=True)
class CogThing(Thing):
    """A cog. `territory` is the owner of its cell: `ours`, `theirs` or `neutral`."""

    agent_id: int
    vibe: str
    territory: str

    @property
    def cargo(self) -> int:
        return sum(self.has(element) for element in ELEMENTS)


@dataclass(frozen=True)
class LessonView:
    """The game after a step.

    `stats` are the game's totals, such as `cogs/carbon.deposited`. `deeds` are totals of the agents' stats, by agent,
    over the steps in which the player controlled that agent: `deeds[2]["junction.aligned_by_agent"]`.
    """

    step: int
    cogs: tuple[CogThing, ...]
    things: tuple[Thing, ...]
    stats: Mapping[str, float]
    deeds: Mapping[int, Mapping[str, float]]

    @property
    def cog(self) -> CogThing:
        """Return the first cog, which is the player's own."""
        return self.cogs[0]

    @property
    def hub(self) -> Thing:
        return next(thing for thing in self.things if thing.kind == "hub")

    def of_kind(self, kind: str) -> list[Thing]:
        return [thing for thing in self.things if thing.kind == kind]

    def at(self, cell: Cell) -> Thing:
        """Return the object on a cell that is never empty."""
        return next(thing for thing in self.things if thing.cell == cell)

    def deed(self, stat: str) -> float:
        """Return the player's total of a stat over all cogs."""
        return sum(deeds.get(stat, 0.0) for deeds in self.deeds.values())

    def deposited(self, element: str) -> float:
        """Return the amount of an element deposited in the hub."""
        return self.stats.get(f"{TEAM}/{element}.deposited", 0.0)

    def supply(self, element: str) -> int:
        """Return the amount of an element left in the hub, in extractors and carried by cogs."""
        return sum(thing.has(element) for thing in (*self.things, *self.cogs))


class Observer:
    """Builds views of one simulation; `seats` are the names of the policies of its agents.

    Call `look` after every step: deeds are the changes of an agent's stats since the last call.
    """

    def __init__(self, simulation: Simulation, seats: Sequence[str]) -> None:
        game = simulation.config.game
        self._simulation = simulation
        self._own = frozenset(agent for agent, seat in enumerate(seats) if seat == PLAYER_SEAT)
        self._tags = game.id_map().tag_names()
        self._vibes = game.vibe_names
        self._items = simulation.resource_names
        self._deeds: dict[int, defaultdict[str, float]] = {
            agent: defaultdict(float) for agent in range(simulation.num_agents)
        }
        self._before: list[dict[str, float]] = [{} for _ in range(simulation.num_agents)]

    def look(self, driven: Set[int]) -> LessonView:
        """Return a view of the current state; `driven` are the agents that the player has taken over."""
        stats = self._simulation.episode_stats
        for agent in self._own | driven:
            before = self._before[agent]
            for name, value in stats["agent"][agent].items():
                if value != before.get(name, 0.0):
                    self._deeds[agent][name] += value - before.get(name, 0.0)
        self._before = [dict(values) for values in stats["agent"]]
        seen = self._simulation.grid_objects(ignore_types=["wall"]).values()
        cogs = [self._cog(item) for item in seen if "agent_id" in item]
        return LessonView(
            step=self._simulation.current_step,
            cogs=tuple(sorted(cogs, key=lambda cog: cog.agent_id)),
            things=tuple(Thing(**self._thing(item)) for item in seen if "agent_id" not in item),
            stats=dict(stats["game"]),
            deeds={agent: dict(deeds) for agent, deeds in self._deeds.items()},
        )

    def _thing(self, item: Mapping) -> dict:
        return {
            "id": item["id"],
            "kind": item["type_name"],
            "cell": (item["c"], item["r"]),
            "tags": frozenset(self._tags[tag] for tag in item["tag_ids"]),
            "holds": {self._items[number]: amount for number, amount in item["inventory"].items()},
        }

    def _cog(self, item: Mapping) -> CogThing:
        agent = item["agent_id"]
        here = self._simulation.agent(agent).global_observations.get("territory:here", 0)
        return CogThing(
            **self._thing(item),
            agent_id=agent,
            vibe=self._vibes[item["vibe"]],
            territory=("neutral", "ours", "theirs")[here],
        )

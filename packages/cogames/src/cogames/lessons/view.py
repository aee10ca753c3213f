"""What a lesson looks at: the state of the game after a step, and what the player has done so far."""

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
"""The policy of a cog that waits for the player: whatever such a cog does, the player did."""

TEAM = "cogs"
CLIPS = "clips"


@dataclass(frozen=True)
class Thing:
    """Something on the map that is no wall."""

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
        """A junction can be ours and theirs at once."""
        return f"{TEAM_PREFIX}{CLIPS}" in self.tags


@dataclass(frozen=True)
class CogThing(Thing):
    """A cog. `territory` is whose ground it stands on: `ours`, `theirs` or `nobody's`."""

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
    of the steps in which that agent was the player's: `deeds[2]["junction.aligned_by_agent"]`.
    """

    step: int
    cogs: tuple[CogThing, ...]
    things: tuple[Thing, ...]
    stats: Mapping[str, float]
    deeds: Mapping[int, Mapping[str, float]]

    @property
    def cog(self) -> CogThing:
        """The first cog, which is the player's own."""
        return self.cogs[0]

    @property
    def hub(self) -> Thing:
        return next(thing for thing in self.things if thing.kind == "hub")

    def of_kind(self, kind: str) -> list[Thing]:
        return [thing for thing in self.things if thing.kind == kind]

    def at(self, cell: Cell) -> Thing:
        """What stands on a cell that never becomes empty."""
        return next(thing for thing in self.things if thing.cell == cell)

    def deed(self, stat: str) -> float:
        """How much of a stat is the player's doing, over all cogs."""
        return sum(deeds.get(stat, 0.0) for deeds in self.deeds.values())

    def deposited(self, element: str) -> float:
        """How much of an element has been brought to the hub."""
        return self.stats.get(f"{TEAM}/{element}.deposited", 0.0)

    def supply(self, element: str) -> int:
        """How much of an element is left: in the hub, in the hands of cogs, in extractors."""
        return sum(thing.has(element) for thing in (*self.things, *self.cogs))


class Observer:
    """Makes views of one simulation; `seats` are the names of the policies of its agents.

    Call `look` after every step: a deed is what changed in an agent's stats since the last look.
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
        """The game as it stands; `driven` are the agents that a person has taken over."""
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
            territory=("nobody's", "ours", "theirs")[here],
        )

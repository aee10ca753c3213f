"""The attacks of the clips as events.

Each ship leads a lane. Its frontier is the ship and the junctions it has taken, each within 15 cells of another; a lane
attacks junctions near its frontier. Events due in the same step run in order of their names, so a lane scrambles before
it aligns.
"""

from dataclasses import dataclass

from cogsguard.names import NET_PREFIX, TEAM_PREFIX
from mettagrid.config.event_config import EventConfig, NearestFirst, periodic
from mettagrid.config.filter import (
    AnyFilter,
    GameValueFilter,
    HandlerTarget,
    anyOf,
    hasTag,
    hasTagPrefix,
    isNear,
    isNot,
    maxDistance,
)
from mettagrid.config.game_value import QueryCountValue, SumGameValue
from mettagrid.config.mutation import (
    AnyMutation,
    addTag,
    logActorAgentStat,
    recomputeMaterializedQuery,
    removeTag,
    removeTagPrefix,
)
from mettagrid.config.query import ClosureQuery, Query, closureQuery, query
from mettagrid.config.tag import typeTag

JUNCTION_ALIGN_DISTANCE = 15
_COGS = f"{TEAM_PREFIX}cogs"  # the balance of power counts this team only


@dataclass(frozen=True)
class Attacks:
    """What the clips attack, how and when. Steps are (first, interval, last)."""

    mode: str  # greedy | angry | adaptive | plain
    align_steps: tuple[int, int, int]
    scramble_steps: tuple[int, int, int]
    scramble_radius: int
    search_radius: int
    dominance_ratio: int
    burst: int
    team_tag: str
    net_tag: str


def attack_events(attacks: Attacks, ships: list[str]) -> dict[str, EventConfig]:
    """Return the events of all lanes, by name; a ship's lane is its place in the list."""
    events: dict[str, EventConfig] = {}
    for lane, ship in enumerate(ships):
        suffix = f"_s{lane}" if lane else ""
        for event in _Lane(attacks, ship, suffix).events():
            events[event.name] = event
    return events


class _Lane:
    def __init__(self, attacks: Attacks, ship: str, suffix: str) -> None:
        self.attacks = attacks
        self.ship = ship
        self.suffix = suffix

    def events(self) -> list[EventConfig]:
        attacks = self.attacks
        if attacks.mode == "greedy":
            return self._pair(nearest=NearestFirst(to=self._ship_query(), within=attacks.search_radius))
        if attacks.mode == "angry":
            hubs = query(typeTag("hub"), [hasTagPrefix(TEAM_PREFIX), isNot(hasTag(attacks.team_tag))])
            return self._pair(nearest=NearestFirst(to=hubs, within=attacks.search_radius))
        if attacks.mode == "plain":
            return self._pair()
        cogs_lead = self._leads(cogs=1, clips=-attacks.dominance_ratio)
        clips_lead = self._leads(cogs=-attacks.dominance_ratio, clips=1)
        bursts = range(1, attacks.burst + 1)
        return [
            *(event for number in bursts for event in self._pair(f"_burst_{number}", cogs_lead)),
            *self._pair("_balanced", [_not_all(cogs_lead), _not_all(clips_lead)]),
        ]

    def _pair(
        self, kind: str = "", when: list[AnyFilter] | None = None, nearest: NearestFirst | None = None
    ) -> list[EventConfig]:
        """Return the align and the scramble event of one kind."""
        pairs = (
            ("neutral_to_clips", self._neutral(), self._align(), self.attacks.align_steps),
            ("cogs_to_neutral", self._owned(), self._scramble(), self.attacks.scramble_steps),
        )
        return [
            EventConfig(
                name=f"{name}{kind}{self.suffix}",
                target_query=query(typeTag("junction"), [*filters, *(when or [])]),
                timesteps=periodic(*steps),
                mutations=mutations,
                max_targets=1,
                nearest=nearest,
            )
            for name, filters, mutations, steps in pairs
        ]

    def _neutral(self) -> list[AnyFilter]:
        return [isNot(hasTagPrefix(TEAM_PREFIX)), isNear(self._frontier(), JUNCTION_ALIGN_DISTANCE)]

    def _owned(self) -> list[AnyFilter]:
        near = isNear(self._frontier(), self.attacks.scramble_radius)
        return [hasTagPrefix(TEAM_PREFIX), isNot(hasTag(self.attacks.team_tag)), near]

    def _align(self) -> list[AnyMutation]:
        own = [addTag(self.attacks.team_tag), addTag(self.attacks.net_tag), addTag(self.ship)]
        return [*own, recomputeMaterializedQuery(NET_PREFIX)]

    def _scramble(self) -> list[AnyMutation]:
        return [
            removeTagPrefix(NET_PREFIX),
            removeTag(self.ship),
            logActorAgentStat("junction.scrambled_by_clips"),  # an event has no acting agent, so no agent shows it
            recomputeMaterializedQuery(NET_PREFIX),
        ]

    def _ship_query(self) -> Query:
        return query(typeTag("ship"), [hasTag(self.attacks.team_tag), hasTag(self.ship)])

    def _frontier(self) -> ClosureQuery:
        ship_junctions = query(typeTag("junction"), [hasTag(self.ship)])
        return closureQuery(self._ship_query(), ship_junctions, [maxDistance(JUNCTION_ALIGN_DISTANCE)])

    def _leads(self, *, cogs: int, clips: int) -> list[AnyFilter]:
        """Return filters that pass while the weighted count of junctions is not negative and a team holds one."""
        return [self._at_least(0, cogs, clips), self._at_least(1, 1, 1)]

    def _at_least(self, minimum: int, cogs: int, clips: int) -> AnyFilter:
        held = [
            QueryCountValue(query=query(typeTag("junction"), [hasTag(tag)])) for tag in (_COGS, self.attacks.team_tag)
        ]
        value = SumGameValue(values=[*held], weights=[float(cogs), float(clips)])
        return GameValueFilter(target=HandlerTarget.TARGET, value=value, min=minimum)


def _not_all(filters: list[AnyFilter]) -> AnyFilter:
    return anyOf([isNot(item) for item in filters])

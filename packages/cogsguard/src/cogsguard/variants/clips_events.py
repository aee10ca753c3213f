"""The attacks of the clips as events.

Each ship leads a lane. Its frontier is the ship and the junctions it has taken, step by step, within 15 cells of one
another; what a lane attacks lies near its frontier.
"""

from typing import TYPE_CHECKING

from cogsguard.env import scheduled_steps
from cogsguard.names import NET_PREFIX, TEAM_PREFIX
from mettagrid.cogame.core import CoGameMission
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
from mettagrid.config.game_value import SumGameValue, num_tagged, val
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

if TYPE_CHECKING:
    from cogsguard.variants.clips import ClipsVariant

_TEAM = f"{TEAM_PREFIX}clips"
_NET = f"{NET_PREFIX}clips"
_EDGE = 15
_FARTHEST = 120  # from ship or hub: what is beyond is never attacked


def clips_events(
    clips: "ClipsVariant", mission: CoGameMission, ships: list[str], enemies: list[str]
) -> dict[str, EventConfig]:
    """All attacks of all lanes, by name. `enemies` are the tags of the other teams' networks."""
    events: dict[str, EventConfig] = {}
    for lane, ship in enumerate(ships):
        suffix = f"_s{lane}" if lane else ""
        for attack in (_Align(clips, mission, ship), _Scramble(clips, mission, ship)):
            for event in attack.events(f"{attack.name}{suffix}", _Power(clips.dominance_ratio, enemies, len(ships))):
                events[event.name] = event
    return events


class _Attack:
    """One kind of attack of one lane."""

    name = ""

    def __init__(self, clips: "ClipsVariant", mission: CoGameMission, ship: str) -> None:
        self.clips = clips
        self.ship = ship
        self.last_step = scheduled_steps(mission)
        self.has_hubs = mission.has_variant("team_hub")
        # Without rules for junctions there are no networks to compute.
        has_networks = mission.has_variant("team_junction")
        self.recompute: list[AnyMutation] = [recomputeMaterializedQuery(NET_PREFIX)] if has_networks else []

    def targets(self) -> Query:
        raise NotImplementedError

    def timesteps(self) -> list[int]:
        raise NotImplementedError

    def mutations(self) -> list[AnyMutation]:
        raise NotImplementedError

    def ship_query(self) -> Query:
        return query(typeTag("ship"), [hasTag(_TEAM), hasTag(self.ship)])

    def frontier(self) -> ClosureQuery:
        taken = query(typeTag("junction"), [hasTag(self.ship)])
        return closureQuery(self.ship_query(), taken, [maxDistance(_EDGE)])

    def events(self, name: str, power: "_Power") -> list[EventConfig]:
        clips = self.clips
        if clips.greedy:
            return [self._event(name, nearest=NearestFirst(to=self.ship_query(), within=_FARTHEST))]
        if clips.angry and self.has_hubs:
            hubs = query(typeTag("hub"), [isNot(hasTag(_TEAM))])
            return [self._event(name, nearest=NearestFirst(to=hubs, within=_FARTHEST))]
        if not clips.adaptive:
            return [self._event(name)]
        behind, ahead = power.cogs_lead(), power.clips_lead()
        first = self.targets().model_copy(update={"max_items": 1})
        burst = range(1, clips.dominant_targets_per_lane + 1)
        return [
            self._event(f"{name}_balanced", filters=[_unless(behind), _unless(ahead)], targets=first),
            *(self._event(f"{name}_burst_{number}", filters=behind, targets=first) for number in burst),
        ]

    def _event(
        self,
        name: str,
        *,
        nearest: NearestFirst | None = None,
        filters: list[AnyFilter] | None = None,
        targets: Query | None = None,
    ) -> EventConfig:
        return EventConfig(
            name=name,
            target_query=targets or self.targets(),
            timesteps=self.timesteps(),
            filters=filters or [],
            mutations=self.mutations(),
            max_targets=1,
            nearest=nearest,
        )


class _Align(_Attack):
    """A neutral junction near the frontier is taken."""

    name = "neutral_to_clips"

    def targets(self) -> Query:
        return query(
            typeTag("junction"),
            [isNot(hasTagPrefix(TEAM_PREFIX)), isNear(self.frontier(), self.clips.align_radius)],
        )

    def timesteps(self) -> list[int]:
        return periodic(self.clips.align_start, self.clips.align_interval, self.last_step)

    def mutations(self) -> list[AnyMutation]:
        return [addTag(_TEAM), addTag(_NET), addTag(self.ship), *self.recompute]


class _Scramble(_Attack):
    """A junction of another team near the frontier becomes neutral."""

    name = "cogs_to_neutral"

    def targets(self) -> Query:
        return query(
            typeTag("junction"),
            [
                hasTagPrefix(TEAM_PREFIX),
                isNot(hasTag(_TEAM)),
                isNear(self.frontier(), self.clips.scramble_radius),
            ],
        )

    def timesteps(self) -> list[int]:
        return periodic(self.clips.scramble_start, self.clips.scramble_interval, self.last_step)

    def mutations(self) -> list[AnyMutation]:
        return [
            removeTagPrefix(NET_PREFIX),
            removeTag(self.ship),
            logActorAgentStat("junction.scrambled_by_clips"),  # an event has no acting agent: it never shows
            *self.recompute,
        ]


class _Power:
    """Junctions held by the clips and by all others. Hubs and ships are in the networks but do not count."""

    def __init__(self, ratio: float, enemies: list[str], ships: int) -> None:
        self.ratio = ratio
        self.enemies = enemies
        self.ships = ships

    def cogs_lead(self) -> list[AnyFilter]:
        """Cogs hold at least `ratio` times as many junctions as clips, and somebody holds one."""
        return [self._at_least(0, cogs=1, clips=-self.ratio), self._at_least(1, cogs=1, clips=1)]

    def clips_lead(self) -> list[AnyFilter]:
        return [self._at_least(0, cogs=-self.ratio, clips=1), self._at_least(1, cogs=1, clips=1)]

    def _at_least(self, least: int, *, cogs: float, clips: float) -> AnyFilter:
        held = [num_tagged(tag) for tag in (*self.enemies, _NET)]
        uncounted = [val(-len(self.enemies)), val(-self.ships)]
        weights = [*(cogs for _ in self.enemies), clips, cogs, clips]
        value = SumGameValue(values=[*held, *uncounted], weights=weights)
        return GameValueFilter(target=HandlerTarget.TARGET, value=value, min=least)


def _unless(filters: list[AnyFilter]) -> AnyFilter:
    """Not all of the filters pass."""
    return anyOf([isNot(item) for item in filters])

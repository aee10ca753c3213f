"""The clips as a team, and the variants that change how they attack."""

from pydantic import Field

from cogsguard.game.clips.events import JUNCTION_ALIGN_DISTANCE, Attacks, attack_events
from cogsguard.game.clips.ship import (
    CvCShipConfig,
    clips_ship_map_names_in_map_config,
    set_clips_ships_in_map_config,
)
from cogsguard.game.junction import JunctionVariant
from cogsguard.game.multi_team import MultiTeamVariant
from cogsguard.game.teams.team import TeamConfig, TeamVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.event_config import EventConfig
from mettagrid.config.filter import hasTag
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig
from mettagrid.config.query import Query, query
from mettagrid.config.tag import typeTag
from mettagrid.map_builder.map_builder import AnyMapBuilderConfig

__all__ = [
    "JUNCTION_ALIGN_DISTANCE",
    "AdaptiveClipsVariant",
    "AngryClipsVariant",
    "ClipsConfig",
    "ClipsVariant",
    "GreedyClipsVariant",
    "NoClipsVariant",
]

_SHIP_SYMBOL = "🚀"


class ClipsConfig(TeamConfig):
    """The clips. From each ship a network of junctions grows.

    Every `align_interval` steps each ship takes a neutral junction near its network, every `scramble_interval` steps
    it makes one of another team neutral. The first flag that is set decides which: `greedy_expand_from_ships` the
    nearest to the ship, `angry_target_enemy_hub` the nearest to a hub, `adaptive_enabled` any, as many as the balance
    of power calls for; else any. `initial_clips_start`, `initial_clips_spots` and `presence_end` have no effect.
    """

    name: str = "clips"
    short_name: str = "clips"
    num_agents: int = Field(default=0, ge=0)
    disabled: bool = False
    initial_clips_start: int = 10
    initial_clips_spots: int = 1
    scramble_start: int = Field(default=100, ge=0)
    scramble_interval: int = Field(default=200, ge=1)
    scramble_radius: int = Field(default=15, ge=1)
    scramble_end: int | None = None
    align_start: int = Field(default=100, ge=0)
    align_interval: int = Field(default=200, ge=1)
    align_end: int | None = None
    presence_end: int | None = None
    greedy_expand_from_ships: bool = True
    greedy_max_search_radius: int = Field(default=120, ge=1)
    angry_target_enemy_hub: bool = False
    adaptive_enabled: bool = False
    adaptive_dominance_ratio: int = Field(default=2, ge=2)
    adaptive_dominant_targets_per_lane: int = Field(default=3, ge=1)

    def network_seed_query(self) -> Query:
        return query(typeTag("ship"), [hasTag(self.team_tag())])

    def events(self, max_steps: int, map_builder: AnyMapBuilderConfig) -> dict[str, EventConfig]:
        """Return the attacks of all ships on a map, by name, up to a step."""
        if self.disabled:
            return {}
        return attack_events(self._attacks(max_steps), clips_ship_map_names_in_map_config(map_builder))

    def ship_stations(self, map_builder: AnyMapBuilderConfig) -> dict[str, GridObjectConfig]:
        """Return the objects for the ships on a map, by map name."""
        names = clips_ship_map_names_in_map_config(map_builder)
        ships = {name: CvCShipConfig().station_cfg(self, name) for name in names}
        for name, ship in ships.items():
            ship.tags.append(name)  # lanes tell ships apart by this tag
        return ships

    def _attacks(self, max_steps: int) -> Attacks:
        modes = {
            "greedy": self.greedy_expand_from_ships,
            "angry": self.angry_target_enemy_hub,
            "adaptive": self.adaptive_enabled,
        }
        return Attacks(
            mode=next((mode for mode, enabled in modes.items() if enabled), "plain"),
            align_steps=(self.align_start, self.align_interval, _end(self.align_end, max_steps)),
            scramble_steps=(self.scramble_start, self.scramble_interval, _end(self.scramble_end, max_steps)),
            scramble_radius=self.scramble_radius,
            search_radius=self.greedy_max_search_radius,
            dominance_ratio=self.adaptive_dominance_ratio,
            burst=self.adaptive_dominant_targets_per_lane,
            team_tag=self.team_tag(),
            net_tag=self.net_tag(),
        )


def _end(end: int | None, max_steps: int) -> int:
    return max_steps if end is None else min(end, max_steps)


class ClipsVariant(CoGameMissionVariant):
    """Adds the clips. `num_ships` None means the ships of the map, or four on a procedural arena.

    `clips` is the team in use: a copy of `clips_config` that other variants edit when they are configured.
    """

    name: str = "clips"
    description: str = "Clips spread from ships at the corners."
    num_ships: int | None = None
    clips_config: ClipsConfig = Field(default_factory=ClipsConfig)
    clips: ClipsConfig | None = None

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant, JunctionVariant], optional=[MultiTeamVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        self.clips = self.clips_config.model_copy(deep=True)
        deps.required(TeamVariant).teams[self.clips.name] = self.clips

    def require_clips(self) -> ClipsConfig:
        """Return the team in use; it exists once the variant is configured."""
        assert self.clips is not None, "The variant 'clips' has not been configured yet."
        return self.clips

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        clips = self.require_clips()
        env.game.map_builder = set_clips_ships_in_map_config(env.game.map_builder, self.num_ships)
        for name, ship in clips.ship_stations(env.game.map_builder).items():
            env.game.objects.setdefault(name, ship)
            env.game.render.symbols.setdefault(name, _SHIP_SYMBOL)
        if not mission.has_variant("team_hub"):  # angry clips need hubs to target
            clips = clips.model_copy(update={"angry_target_enemy_hub": False})
        env.game.events.update(clips.events(env.game.max_steps, env.game.map_builder))


class _ClipsMode(CoGameMissionVariant):
    """Base of variants that edit the clips."""

    def dependencies(self) -> Deps:
        return Deps(required=[ClipsVariant])


class GreedyClipsVariant(_ClipsMode):
    name: str = "greedy_clips"
    description: str = "Clips take the junction nearest to their ship (the default)."

    def configure(self, deps: ResolvedDeps) -> None:
        clips = deps.required(ClipsVariant).require_clips()
        clips.greedy_expand_from_ships = True
        clips.scramble_radius = JUNCTION_ALIGN_DISTANCE


class AngryClipsVariant(_ClipsMode):
    name: str = "angry_clips"
    description: str = "Clips start late, attack often, and head for the hubs."
    initial_clips_start: int = 400
    align_start: int = Field(default=400, ge=0)
    scramble_start: int = Field(default=400, ge=0)
    align_interval: int = Field(default=100, ge=1)
    scramble_interval: int = Field(default=100, ge=1)

    def configure(self, deps: ResolvedDeps) -> None:
        clips = deps.required(ClipsVariant).require_clips()
        clips.greedy_expand_from_ships = False
        clips.angry_target_enemy_hub = True
        clips.scramble_radius = JUNCTION_ALIGN_DISTANCE
        for field in ("initial_clips_start", "align_start", "scramble_start", "align_interval", "scramble_interval"):
            setattr(clips, field, getattr(self, field))


class AdaptiveClipsVariant(_ClipsMode):
    name: str = "adaptive_clips"
    description: str = "Clips press harder the more the cogs lead, and pause while they lead themselves."
    dominance_ratio: int = Field(default=2, ge=2)
    dominant_targets_per_lane: int = Field(default=3, ge=1)

    def configure(self, deps: ResolvedDeps) -> None:
        clips = deps.required(ClipsVariant).require_clips()
        clips.greedy_expand_from_ships = clips.angry_target_enemy_hub = False
        clips.adaptive_enabled = True
        clips.adaptive_dominance_ratio = self.dominance_ratio
        clips.adaptive_dominant_targets_per_lane = self.dominant_targets_per_lane


class NoClipsVariant(_ClipsMode):
    name: str = "no_clips"
    description: str = "The map has no ships, so the clips never come."

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(ClipsVariant).num_ships = 0

"""The clips: ships at the corners, from which they take junction after junction."""

from pydantic import Field

from cogsguard.names import NET_PREFIX, TEAM_PREFIX
from cogsguard.terrain import drawn_names, find_arena, find_map_generator
from cogsguard.variants.buildings import JunctionVariant
from cogsguard.variants.clips_events import clips_events
from cogsguard.variants.multi_team import MultiTeamVariant
from cogsguard.variants.teams import TeamConfig, TeamVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps, VariantConflict
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig

SHIP = "clips:ship"
_MOST_SHIPS = 4


class ClipsVariant(CoGameMissionVariant):
    """Ships of the clips and their attacks.

    From each ship a network of junctions grows on its own. Every `align_interval` steps it takes a neutral junction
    near it, every `scramble_interval` steps it frees one of another team. The first mode that is set decides which:
    `greedy` the nearest to the ship, `angry` the nearest to a hub, `adaptive` any, as many as the balance of power asks
    for; else a random one. `num_ships` None means four, or those on the map. Three settings have no effect and are read
    for compatibility: `initial_clips_start`, `initial_clips_spots`, `presence_end`.
    """

    name: str = "clips"
    description: str = "Clips spread from ships at the corners."
    num_ships: int | None = Field(default=None, ge=0, le=_MOST_SHIPS)
    align_start: int = Field(default=100, ge=0)
    align_interval: int = Field(default=200, ge=1)
    scramble_start: int = Field(default=100, ge=0)
    scramble_interval: int = Field(default=200, ge=1)
    scramble_radius: int = Field(default=15, ge=1)
    align_radius: int = Field(default=15, ge=1)
    greedy: bool = True
    angry: bool = False
    adaptive: bool = False
    dominance_ratio: float = Field(default=2, gt=0)
    dominant_targets_per_lane: int = Field(default=3, ge=1)
    disabled: bool = False
    initial_clips_start: int = 10
    initial_clips_spots: int = 1
    presence_end: int | None = None

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant, JunctionVariant], optional=[MultiTeamVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        if self.num_ships != 0:
            deps.required(TeamVariant).teams["clips"] = TeamConfig(
                name="clips", short_name="clips", num_agents=0, seed_type="ship"
            )

    def ships(self, builder: object) -> list[str]:
        """What the ships are called on the map; none where there are none."""
        drawn = drawn_names(builder)
        if drawn is None:
            placed = self.num_ships if self.num_ships is not None else _MOST_SHIPS
            return [f"{SHIP}:{number}" for number in range(placed)] if find_arena(builder) else []
        names = sorted(name for name in drawn if name == SHIP or name.startswith(f"{SHIP}:"))
        if self.num_ships not in (None, 0, len(names)):
            raise VariantConflict(f"num_ships is {self.num_ships}, but {len(names)} ships are drawn on the map.")
        return [] if self.num_ships == 0 else names

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        teams = mission.required_variant(TeamVariant).teams
        if "clips" not in teams:
            self._clear_ships(env)
            return
        ships = self.ships(env.game.map_builder)
        # Also where none stands on the map: the numbers of tags are the same on all maps.
        for ship in ships or [f"{SHIP}:{number}" for number in range(_MOST_SHIPS)]:
            env.game.objects[ship] = GridObjectConfig(
                name="ship", map_name=ship, tags=[teams["clips"].team_tag(), ship]
            )
            env.game.render.symbols[ship] = "🚀"
        arena = find_arena(env.game.map_builder)
        if arena is not None and not any(name.startswith(SHIP) for name, _ in arena.map_corner_placements):
            corners = [(ship, corner) for corner, ship in enumerate(ships)]
            arena.map_corner_placements = [*arena.map_corner_placements, *corners]
        if not self.disabled:
            enemies = [team.net_tag() for team in teams.values() if team.num_agents > 0]
            env.game.events.update(clips_events(self, mission, ships, enemies))

    def _clear_ships(self, env: MettaGridConfig) -> None:
        """Ships that are drawn on a map without clips are left standing as walls would be: nobody owns them."""
        for ship in drawn_names(env.game.map_builder) or ():
            if ship.startswith(SHIP):
                env.game.objects[ship] = GridObjectConfig(name="ship", map_name=ship)

    def ship_count(self, env: MettaGridConfig) -> int:
        """Ships on the map, over all its instances."""
        generator = find_map_generator(env.game.map_builder)
        return len(self.ships(env.game.map_builder)) * (generator.instances or 1 if generator else 1)


class _ClipsMode(CoGameMissionVariant):
    """Base of variants that change what the clips do."""

    def dependencies(self) -> Deps:
        return Deps(required=[ClipsVariant])

    def _set_mode(self, deps: ResolvedDeps, mode: str) -> ClipsVariant:
        clips = deps.required(ClipsVariant)
        for name in ("greedy", "angry", "adaptive"):
            setattr(clips, name, name == mode)
        return clips


class GreedyClipsVariant(_ClipsMode):
    name: str = "greedy_clips"
    description: str = "Clips take the junction nearest to their ship (as they do by default)."
    scramble_radius: int = Field(default=15, ge=1)

    def configure(self, deps: ResolvedDeps) -> None:
        self._set_mode(deps, "greedy").scramble_radius = self.scramble_radius


class AngryClipsVariant(_ClipsMode):
    name: str = "angry_clips"
    description: str = "Clips come late and often, and head for the hubs."
    start: int = Field(default=400, ge=0)
    interval: int = Field(default=100, ge=1)

    def configure(self, deps: ResolvedDeps) -> None:
        clips = self._set_mode(deps, "angry")
        clips.align_start = clips.scramble_start = self.start
        clips.align_interval = clips.scramble_interval = self.interval


class AdaptiveClipsVariant(_ClipsMode):
    name: str = "adaptive_clips"
    description: str = "Clips press harder the more the cogs lead, and rest while they lead themselves."
    dominance_ratio: float = Field(default=2, gt=0)
    dominant_targets_per_lane: int = Field(default=3, ge=1)

    def configure(self, deps: ResolvedDeps) -> None:
        clips = self._set_mode(deps, "adaptive")
        clips.dominance_ratio = self.dominance_ratio
        clips.dominant_targets_per_lane = self.dominant_targets_per_lane


class NoClipsVariant(CoGameMissionVariant):
    name: str = "no_clips"
    description: str = "There are no clips."

    def dependencies(self) -> Deps:
        return Deps(required=[ClipsVariant, TeamVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(ClipsVariant).num_ships = 0
        deps.required(TeamVariant).teams.pop("clips", None)


class OverrunVariant(CoGameMissionVariant):
    name: str = "overrun"
    description: str = "Every junction belongs to the clips, which do nothing more."

    def dependencies(self) -> Deps:
        return Deps(required=[ClipsVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        clips = deps.required(ClipsVariant)
        if clips.num_ships == 0:
            raise VariantConflict("The variants 'overrun' and 'no_clips' exclude each other; choose one.")
        clips.disabled = True

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.objects["junction"].tags += [f"{TEAM_PREFIX}clips", f"{NET_PREFIX}clips"]

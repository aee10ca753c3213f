"""Gear: the slot for it, and stations that hand it out."""

from pydantic import Field

from cogsguard.env import add_resource
from cogsguard.names import TEAM_PREFIX
from cogsguard.terrain import set_hub_stations
from cogsguard.variants.buildings import BuildingsVariant
from cogsguard.variants.health import DamageVariant, holds
from cogsguard.variants.teams import TeamConfig, TeamHubVariant, TeamVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.filter import AnyFilter, actorHas, sharedTagPrefix
from mettagrid.config.handler_config import Handler, firstMatch
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig, ResourceLimitsConfig
from mettagrid.config.mutation import AnyMutation, ClearInventoryMutation, EntityTarget, queryDelta, updateActor
from mettagrid.config.render_config import RenderAsset


class GearVariant(CoGameMissionVariant):
    """One slot for a piece of gear. `items` are the pieces, `station_costs` what a station asks for one."""

    name: str = "gear"
    description: str = "A cog can hold one piece of gear."
    items: list[str] = Field(default_factory=list)
    station_costs: dict[str, dict[str, int]] = Field(default_factory=dict)
    station_symbols: dict[str, str] = Field(default_factory=dict)
    destroy_gear_on_death: bool = True

    def dependencies(self) -> Deps:
        return Deps(optional=[DamageVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        damage = deps.optional(DamageVariant)
        if damage is not None and self.destroy_gear_on_death:
            damage.destroy_items.append("gear")

    def add(self, item: str, symbol: str) -> None:
        """Offer one more piece of gear."""
        if item not in self.items:
            self.items.append(item)
        self.station_symbols[item] = symbol

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        for item in self.items:
            add_resource(env, item)
        for agent in env.game.agents:
            agent.inventory.limits["gear"] = ResourceLimitsConfig(base=1, resources=list(self.items))

    def draw_station(self, env: MettaGridConfig, map_name: str, item: str) -> None:
        """How viewers show the station of a piece of gear."""
        if item in self.station_symbols:
            env.game.render.symbols[map_name] = self.station_symbols[item]
        env.game.render.assets[map_name] = [RenderAsset(asset=f"{item}_station")]


class TeamGearStationsVariant(CoGameMissionVariant):
    """Each team has a station for each piece of gear; the hub pays."""

    name: str = "team_gear_stations"
    description: str = "Teams have stations that change a cog's gear for elements of the hub."

    def dependencies(self) -> Deps:
        return Deps(required=[TeamHubVariant, GearVariant, TeamVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        gear = mission.required_variant(GearVariant)
        teams = mission.required_variant(TeamVariant).player_teams()
        for team in teams:
            for item in gear.items:
                map_name = f"{team.short_name}:{item}"
                env.game.objects[map_name] = GridObjectConfig(
                    name=item,
                    map_name=map_name,
                    tags=[team.team_tag()],
                    on_use_handler=_station(team, item, gear.station_costs.get(item, {})),
                )
                gear.draw_station(env, map_name, item)
        names = mission.required_variant(TeamVariant).name_on_map
        set_hub_stations(env, [names(item) for item in gear.items])


def _station(team: TeamConfig, item: str, cost: dict[str, int]) -> "Handler | None":
    hub = team.hub_query()
    handler = firstMatch(
        [
            Handler(name="keep_gear", filters=[sharedTagPrefix(TEAM_PREFIX), actorHas({item: 1})]),
            Handler(
                name="change_gear",
                filters=[sharedTagPrefix(TEAM_PREFIX), *(holds(hub, name, amount) for name, amount in cost.items())],
                mutations=[
                    ClearInventoryMutation(target=EntityTarget.ACTOR, limit_name="gear"),
                    queryDelta(hub, {name: -amount for name, amount in cost.items()}),
                    updateActor({item: 1}),
                ],
            ),
        ]
    )
    return handler  # type: ignore[return-value]


class GearStationsVariant(CoGameMissionVariant):
    """Stations that belong to nobody, called as the gear they give; the cog pays."""

    name: str = "gear_stations"
    description: str = "Stations for everybody, where a cog pays for gear from its own cargo."

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        gear = mission.required_variant(GearVariant)
        for item in gear.items:
            cost = gear.station_costs.get(item, {})
            can_pay: list[AnyFilter] = [actorHas(cost)] if cost else []
            pay: list[AnyMutation] = [updateActor({name: -amount for name, amount in cost.items()})] if cost else []
            env.game.objects[item] = GridObjectConfig(
                name=item,
                on_use_handler=firstMatch(
                    [
                        Handler(name="keep_gear", filters=[actorHas({item: 1})]),
                        Handler(
                            name="change_gear",
                            filters=can_pay,
                            mutations=[
                                *pay,
                                ClearInventoryMutation(target=EntityTarget.ACTOR, limit_name="gear"),
                                updateActor({item: 1}),
                            ],
                        ),
                    ]
                ),
            )
            gear.draw_station(env, item, item)


class WildGearStationsVariant(CoGameMissionVariant):
    """Scatters stations over procedural maps."""

    name: str = "wild_gear_stations"
    description: str = "Stations stand all over the map."
    weight: float = Field(default=0.1, ge=0)

    def dependencies(self) -> Deps:
        return Deps(required=[GearStationsVariant, BuildingsVariant, GearVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        from cogsguard.terrain import set_buildings  # the roles name their gear only while they are configured

        buildings = mission.required_variant(BuildingsVariant)
        for item in mission.required_variant(GearVariant).items:
            buildings.weights[item] = self.weight
        set_buildings(env, buildings.weights)

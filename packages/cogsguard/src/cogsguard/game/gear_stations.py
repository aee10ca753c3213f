"""Stations without an owner, where a cog pays for gear from its own cargo."""

from pydantic import Field

from cogsguard.game.gear import GearVariant
from cogsguard.game.terrain.terrain import BuildingsVariant
from cogsguard.map_config import add_buildings
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.filter import AnyFilter, actorHas
from mettagrid.config.handler_config import Handler, firstMatch
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig
from mettagrid.config.mutation import AnyMutation, ClearInventoryMutation, EntityTarget, updateActor


class GearStationsVariant(CoGameMissionVariant):
    """Defines a station for each piece of gear, named after it."""

    name: str = "gear_stations"
    description: str = "Stations where any cog pays for gear from its own cargo."

    def dependencies(self) -> Deps:
        return Deps(required=[GearVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        gear = mission.required_variant(GearVariant)
        for item in gear.items:
            env.game.objects[item] = self._station(item, gear.station_costs.get(item, {}))
            if item in gear.station_symbols:
                env.game.render.symbols[item] = gear.station_symbols[item]

    def _station(self, item: str, cost: dict[str, int]) -> GridObjectConfig:
        can_pay: list[AnyFilter] = [actorHas(cost)] if cost else []
        pay: list[AnyMutation] = [updateActor({name: -amount for name, amount in cost.items()})] if cost else []
        change = [ClearInventoryMutation(target=EntityTarget.ACTOR, limit_name="gear"), *pay, updateActor({item: 1})]
        return GridObjectConfig(
            name=item,
            on_use_handler=firstMatch(
                [
                    Handler(name="keep_gear", filters=[actorHas({item: 1})]),
                    Handler(name="change_gear", filters=can_pay, mutations=change),
                ]
            ),
        )


class WildGearStationsVariant(CoGameMissionVariant):
    """Scatters stations over procedural maps, with `density` of each kind, in addition to the other buildings."""

    name: str = "wild_gear_stations"
    description: str = "Stations stand all over the map."
    density: float = Field(default=0.1, ge=0)

    def dependencies(self) -> Deps:
        return Deps(required=[GearStationsVariant, BuildingsVariant, GearVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        # Not in `configure`: roles that come later in the order add their gear there.
        add_buildings(env, dict.fromkeys(mission.required_variant(GearVariant).items, self.density))

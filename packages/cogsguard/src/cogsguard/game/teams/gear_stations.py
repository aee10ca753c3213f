"""Gear stations of teams."""

from cogsguard.game.gear import GearVariant
from cogsguard.game.teams.hub import CvCHubConfig, TeamHubVariant
from cogsguard.game.teams.team import TeamConfig, TeamVariant
from cogsguard.map_config import set_hub_stations
from cogsguard.names import TEAM_PREFIX
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.filter import actorHas, sharedTagPrefix
from mettagrid.config.handler_config import AnyHandler, Handler, firstMatch
from mettagrid.config.mettagrid_config import GridObjectConfig, MettaGridConfig
from mettagrid.config.mutation import ClearInventoryMutation, EntityTarget, queryDelta, updateActor
from mettagrid.config.render_config import RenderAsset

DEFAULT_TEAM_GEAR_SYMBOLS = {"aligner": "🔗", "scrambler": "🌀", "miner": "⛏️", "scout": "🔭"}


class TeamGearStationsVariant(CoGameMissionVariant):
    """Defines a station for each team and piece of gear; the hub pays."""

    name: str = "team_gear_stations"
    description: str = "Teams have stations that change a cog's gear for elements of the hub."

    def dependencies(self) -> Deps:
        return Deps(required=[TeamHubVariant, GearVariant, TeamVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        gear = mission.required_variant(GearVariant)
        teams = mission.required_variant(TeamVariant)
        symbols = {**DEFAULT_TEAM_GEAR_SYMBOLS, **gear.station_symbols}
        for team in teams.player_teams():
            for item in gear.items:
                self._add_station(env, team, item, symbols.get(item), gear.station_costs.get(item))
        set_hub_stations(env, [teams.name_on_map(item) for item in gear.items])

    def _add_station(
        self, env: MettaGridConfig, team: TeamConfig, item: str, symbol: str | None, cost: dict[str, int] | None = None
    ) -> None:
        """Define the station of a team for an item; without a cost the item is free and no hub is needed."""
        map_name = f"{team.short_name}:{item}"
        env.game.objects[map_name] = GridObjectConfig(
            name=item, map_name=map_name, tags=[team.team_tag()], on_use_handler=_use_station(team, item, cost or {})
        )
        if symbol is not None:
            env.game.render.symbols[map_name] = symbol
        env.game.render.assets[map_name] = [RenderAsset(asset=f"{item}_station")]


def _use_station(team: TeamConfig, item: str, cost: dict[str, int]) -> AnyHandler | None:
    paid = {name: -amount for name, amount in cost.items()}
    return firstMatch(
        [
            Handler(name="keep_gear", filters=[sharedTagPrefix(TEAM_PREFIX), actorHas({item: 1})]),
            Handler(
                name="change_gear",
                filters=[sharedTagPrefix(TEAM_PREFIX), *CvCHubConfig.hub_has(team, cost)],
                mutations=[
                    ClearInventoryMutation(target=EntityTarget.ACTOR, limit_name="gear"),
                    *([queryDelta(CvCHubConfig.hub_query(team), paid)] if paid else []),
                    updateActor({item: 1}),
                ],
            ),
        ]
    )

"""Territory and networks."""

from pydantic import Field

from cogsguard.env import objects_called
from cogsguard.game.clips.clips import ClipsConfig, ClipsVariant
from cogsguard.game.clips.ship import clips_ship_map_names_in_map_config
from cogsguard.game.junction import JunctionVariant
from cogsguard.game.teams.hub import TeamHubVariant
from cogsguard.game.teams.team import TeamConfig, TeamVariant
from cogsguard.names import TEAM_PREFIX, TERRITORY
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.filter import AnyFilter, hasTag, isNot, maxDistance, sharedTagPrefix
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import updateTarget
from mettagrid.config.query import MaterializedQuery, closureQuery, materializedQuery, query
from mettagrid.config.tag import typeTag
from mettagrid.config.territory_config import TerritoryConfig, TerritoryControlConfig

HUB_ALIGN_DISTANCE = 25
JUNCTION_ALIGN_DISTANCE = 15
TERRITORY_CONTROL_RADIUS = 10

_ENERGY = 100
OWN_TERRITORY: AnyFilter = sharedTagPrefix(TEAM_PREFIX)
OTHER_TERRITORY: AnyFilter = isNot(sharedTagPrefix(TEAM_PREFIX))


def net_materialized_query(team: TeamConfig) -> MaterializedQuery:
    """Return the query that keeps the team's network: its seeds and the own junctions that reach them."""
    members = query(typeTag("junction"), [hasTag(team.team_tag())])
    reach = max(HUB_ALIGN_DISTANCE, JUNCTION_ALIGN_DISTANCE)
    network = closureQuery(team.network_seed_query(), members, [maxDistance(reach)])
    return materializedQuery(team.net_tag(), network)


def add_presence(env: MettaGridConfig, name: str, where: AnyFilter, deltas: dict[str, int]) -> None:
    """Change the inventory of cogs in owned territory in every step."""
    env.game.territories[TERRITORY].presence[name] = Handler(filters=[where], mutations=[updateTarget(deltas)])


class TerritoryVariant(CoGameMissionVariant):
    """Junctions and ships control the cells within `control_range`, hubs twice as far; own territory gives energy.

    Also keeps the network of each team that has a seed on the map.
    """

    name: str = "territory"
    description: str = "Hubs, junctions and ships control the cells around them."
    control_range: int = Field(default=TERRITORY_CONTROL_RADIUS, ge=1)

    def dependencies(self) -> Deps:
        return Deps(required=[TeamHubVariant, JunctionVariant, TeamVariant], optional=[ClipsVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        env.game.territories[TERRITORY] = TerritoryConfig(tag_prefix=TEAM_PREFIX)
        if mission.has_variant("energy"):
            add_presence(env, "heal", OWN_TERRITORY, {"energy": _ENERGY})
        strengths = {"hub": 2 * self.control_range, "junction": self.control_range, "ship": self.control_range}
        for type_name, strength in strengths.items():
            for item in objects_called(env, type_name):
                item.territory_controls.append(TerritoryControlConfig(territory=TERRITORY, strength=strength, decay=1))
        for team in mission.required_variant(TeamVariant).teams.values():
            if has_network(team, env):
                env.game.materialize_queries.append(net_materialized_query(team))


def has_network(team: TeamConfig, env: MettaGridConfig) -> bool:
    """Return whether a team can have a network: clips need ships on the map and events to take junctions."""
    if isinstance(team, ClipsConfig):
        return not team.disabled and bool(clips_ship_map_names_in_map_config(env.game.map_builder))
    return True

"""Hub stocks in the observation."""

from cogsguard.game.elements import ElementsVariant
from cogsguard.game.teams.hub import TeamHubVariant
from cogsguard.names import TEAM_PREFIX
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.filter import sharedTagPrefix
from mettagrid.config.game_value import QueryInventoryValue
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.query import query
from mettagrid.config.tag import typeTag


class HubObservationsVariant(CoGameMissionVariant):
    """Adds the stock of each element in the own hub to every cog's observation, as `team:<element>`."""

    name: str = "hub_observations"
    description: str = "Cogs see the stock of their hub."

    def dependencies(self) -> Deps:
        return Deps(required=[TeamHubVariant, ElementsVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        own_hub = query(typeTag("hub"), [sharedTagPrefix(TEAM_PREFIX)])
        for element in mission.required_variant(ElementsVariant).elements:
            env.game.obs.global_obs.obs[f"{TEAM_PREFIX}{element}"] = QueryInventoryValue(query=own_hub, item=element)

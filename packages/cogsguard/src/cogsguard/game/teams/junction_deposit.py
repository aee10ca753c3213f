"""Deposits at junctions."""

from cogsguard.env import add_use_handlers
from cogsguard.game.elements import ElementsVariant
from cogsguard.game.teams.hub import deposit_to_hub
from cogsguard.game.teams.junction import TeamJunctionVariant
from cogsguard.game.teams.team import TeamVariant
from cogsguard.names import TEAM_PREFIX
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.filter import actorHasAnyOf, hasTag, sharedTagPrefix
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig


class JunctionDepositVariant(CoGameMissionVariant):
    """Lets cogs deposit elements at junctions of their team; they arrive at the hub."""

    name: str = "junction_deposit"
    description: str = "Aligned junctions take elements for the hub."

    def dependencies(self) -> Deps:
        return Deps(required=[TeamJunctionVariant, ElementsVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        elements = mission.required_variant(ElementsVariant).elements
        add_use_handlers(
            env.game.objects["junction"],
            [
                Handler(
                    name=f"deposit_{team.name}",
                    filters=[hasTag(team.team_tag()), sharedTagPrefix(TEAM_PREFIX), actorHasAnyOf(elements)],
                    mutations=[deposit_to_hub(team, elements)],
                )
                for team in mission.required_variant(TeamVariant).teams.values()
            ],
        )

"""Aligning and scrambling junctions."""

from pydantic import Field

from cogsguard.env import add_use_handlers
from cogsguard.game.junction import JunctionVariant
from cogsguard.game.teams.hub import CvCHubConfig, TeamHubVariant
from cogsguard.game.teams.team import TeamConfig, TeamVariant
from cogsguard.names import TEAM_PREFIX
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps
from mettagrid.config.filter import (
    AnyFilter,
    actorHas,
    actorHasTag,
    anyOf,
    hasTag,
    hasTagPrefix,
    isNear,
    isNot,
)
from mettagrid.config.handler_config import AnyHandler, Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import (
    ResourceDeltaMutation,
    addTag,
    logActorAgentStat,
    logStatToGame,
    recomputeMaterializedQuery,
    removeTag,
    updateActor,
)
from mettagrid.config.query import query
from mettagrid.config.render_config import RenderAsset


class TeamJunctionVariant(CoGameMissionVariant):
    """Lets teams align junctions near their network or hub, and scramble junctions of other teams.

    Costs are taken from the cog; required resources only have to be held. A junction that leaves a team's network
    becomes neutral at once. With `exclusive` only neutral junctions can be aligned.
    """

    name: str = "team_junction"
    description: str = "Junctions can be aligned and scrambled."
    align_required_resources: dict[str, int] = Field(default_factory=dict)
    align_cost: dict[str, int] = Field(default_factory=dict)
    junction_align_radius: int = Field(default=15, ge=1)
    hub_align_radius: int = Field(default=25, ge=1)
    scramble_required_resources: dict[str, int] = Field(default_factory=dict)
    scramble_cost: dict[str, int] = Field(default_factory=dict)
    exclusive: bool = False

    def dependencies(self) -> Deps:
        return Deps(required=[JunctionVariant, TeamHubVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        teams = list(mission.required_variant(TeamVariant).teams.values())
        junction = env.game.objects["junction"]
        handlers: list[AnyHandler] = []
        for team in teams:
            handlers.append(self._scramble(team))
            if team.num_agents > 0:
                handlers.append(self._align(team))
            junction.on_tag_remove[team.net_tag()] = Handler(mutations=[removeTag(team.team_tag())])
        add_use_handlers(junction, handlers)
        env.game.render.assets["junction"] = [
            *(RenderAsset(asset="junction.working", tags=[team.team_tag()]) for team in teams),
            RenderAsset(asset="junction"),
        ]

    def _scramble(self, team: TeamConfig) -> Handler:
        return Handler(
            name=f"scramble_{team.name}",
            filters=[
                hasTag(team.team_tag()),
                isNot(actorHasTag(team.team_tag())),
                _has(self.scramble_required_resources, self.scramble_cost),
            ],
            mutations=[
                _pays(self.scramble_cost),
                removeTag(team.net_tag()),
                logActorAgentStat("junction.scrambled_by_agent"),
                logStatToGame(f"{team.name}/aligned.junction.lost"),
                recomputeMaterializedQuery(team.net_tag()),
            ],
        )

    def _align(self, team: TeamConfig) -> Handler:
        owned = hasTagPrefix(TEAM_PREFIX) if self.exclusive else hasTag(team.team_tag())
        return Handler(
            name=f"align_{team.name}",
            filters=[
                actorHasTag(team.team_tag()),
                isNot(owned),
                _has(self.align_required_resources, self.align_cost),
                anyOf(
                    [
                        isNear(query(team.net_tag()), self.junction_align_radius),
                        isNear(CvCHubConfig.hub_query(team), self.hub_align_radius),
                    ]
                ),
            ],
            mutations=[
                _pays(self.align_cost),
                logActorAgentStat("junction.aligned_by_agent"),
                logStatToGame(f"{team.name}/aligned.junction.gained"),
                addTag(team.team_tag()),
                addTag(team.net_tag()),
                recomputeMaterializedQuery(team.net_tag()),
            ],
        )


def _has(required: dict[str, int], cost: dict[str, int]) -> AnyFilter:
    """Return the filter for an actor that has the required resources and can pay the cost."""
    return actorHas({item: max(required.get(item, 0), cost.get(item, 0)) for item in {**required, **cost}})


def _pays(cost: dict[str, int]) -> ResourceDeltaMutation:
    return updateActor({item: -amount for item, amount in cost.items()})

"""Taking and freeing junctions, the network that holds them, and deposits at junctions."""

from pydantic import Field

from cogsguard.env import add_use_handlers
from cogsguard.names import TEAM_PREFIX
from cogsguard.variants.buildings import JunctionVariant
from cogsguard.variants.elements import ElementsVariant
from cogsguard.variants.teams import TeamConfig, TeamHubVariant, TeamVariant, deposit_to_hub
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.filter import (
    AnyFilter,
    actorHas,
    actorHasAnyOf,
    actorHasTag,
    anyOf,
    hasTag,
    hasTagPrefix,
    isNear,
    isNot,
    maxDistance,
    sharedTagPrefix,
)
from mettagrid.config.handler_config import AnyHandler, Handler
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.mutation import (
    AnyMutation,
    addTag,
    logActorAgentStat,
    logStatToGame,
    recomputeMaterializedQuery,
    removeTag,
    updateActor,
)
from mettagrid.config.query import closureQuery, materializedQuery, query
from mettagrid.config.render_config import RenderAsset
from mettagrid.config.tag import typeTag


class TeamJunctionVariant(CoGameMissionVariant):
    """Teams align junctions near their network or hub, and scramble those of others.

    A junction that is cut off from the hub (for clips: from the ships) becomes neutral at once. Costs are taken from
    the cog; requirements only have to be held. `exclusive` lets nobody align a junction of another team before it was
    scrambled.
    """

    name: str = "team_junction"
    description: str = "Junctions can be aligned and scrambled."
    align_radius: int = Field(default=15, ge=1)
    hub_radius: int = Field(default=25, ge=1)
    align_cost: dict[str, int] = Field(default_factory=dict)
    align_requirements: dict[str, int] = Field(default_factory=dict)
    scramble_cost: dict[str, int] = Field(default_factory=dict)
    scramble_requirements: dict[str, int] = Field(default_factory=dict)
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
            members = query(typeTag("junction"), [hasTag(team.team_tag())])
            reach = max(self.align_radius, self.hub_radius)
            network = closureQuery(team.seed_query(), members, [maxDistance(reach)])
            env.game.materialize_queries.append(materializedQuery(team.net_tag(), network))
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
                *_has(self.scramble_requirements, self.scramble_cost),
            ],
            mutations=[
                *_pays(self.scramble_cost),
                removeTag(team.net_tag()),
                logActorAgentStat("junction.scrambled_by_agent"),
                logStatToGame(f"{team.name}/aligned.junction.lost"),
                recomputeMaterializedQuery(team.net_tag()),
            ],
        )

    def _align(self, team: TeamConfig) -> Handler:
        own = [isNot(hasTagPrefix(TEAM_PREFIX))] if self.exclusive else [isNot(hasTag(team.team_tag()))]
        return Handler(
            name=f"align_{team.name}",
            filters=[
                actorHasTag(team.team_tag()),
                *own,
                *_has(self.align_requirements, self.align_cost),
                anyOf(
                    [
                        isNear(query(team.net_tag()), self.align_radius),
                        isNear(team.hub_query(), self.hub_radius),
                    ]
                ),
            ],
            mutations=[
                *_pays(self.align_cost),
                logActorAgentStat("junction.aligned_by_agent"),
                logStatToGame(f"{team.name}/aligned.junction.gained"),
                addTag(team.team_tag()),
                addTag(team.net_tag()),
                recomputeMaterializedQuery(team.net_tag()),
            ],
        )


def _has(requirements: dict[str, int], cost: dict[str, int]) -> list[AnyFilter]:
    wanted = {item: max(requirements.get(item, 0), cost.get(item, 0)) for item in {**requirements, **cost}}
    return [actorHas(wanted)] if wanted else []


def _pays(cost: dict[str, int]) -> list[AnyMutation]:
    return [updateActor({item: -amount for item, amount in cost.items()})] if cost else []


class ExclusiveJunctionsVariant(CoGameMissionVariant):
    """A junction belongs to one team: it has to be scrambled before another team can align it."""

    name: str = "exclusive_junctions"
    description: str = "Only neutral junctions can be aligned."

    def dependencies(self) -> Deps:
        return Deps(required=[TeamJunctionVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        deps.required(TeamJunctionVariant).exclusive = True


class JunctionDepositVariant(CoGameMissionVariant):
    """Cogs leave elements at junctions of their team; they arrive at the hub."""

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

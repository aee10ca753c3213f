"""Hit points and hearts."""

from pydantic import Field

from cogsguard.env import add_agent_ticks, add_resource, add_use_handlers
from cogsguard.names import TEAM_PREFIX
from cogsguard.variants.teams import TeamConfig, TeamVariant
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, Deps, ResolvedDeps
from mettagrid.config.filter import GameValueFilter, HandlerTarget, actorHas, isNot, sharedTagPrefix
from mettagrid.config.game_value import QueryInventoryValue
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import MettaGridConfig, ResourceLimitsConfig
from mettagrid.config.mutation import (
    ClearInventoryMutation,
    EntityTarget,
    logStatToGame,
    queryDelta,
    queryWithdraw,
    updateActor,
)
from mettagrid.config.query import Query


class DamageVariant(CoGameMissionVariant):
    """Hit points that change by `regen` every step. At 0 a cog loses what is in the limit groups `destroy_items`."""

    name: str = "damage"
    description: str = "Cogs have hit points, lose one per step, and lose hearts and gear without any."
    limit: int = Field(default=100, ge=0)
    initial: int = Field(default=50, ge=0)
    regen: int = -1
    modifiers: dict[str, int] = Field(default_factory=dict)
    destroy_items: list[str] = Field(default_factory=list)

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_resource(env, "hp")
        for agent in env.game.agents:
            agent.inventory.limits["hp"] = ResourceLimitsConfig(
                base=self.limit, resources=["hp"], modifiers=dict(self.modifiers)
            )
            agent.inventory.initial["hp"] = self.initial
        ticks = [Handler(name="hp_regen", mutations=[updateActor({"hp": self.regen})])]
        if self.destroy_items:
            lose = [ClearInventoryMutation(target=EntityTarget.ACTOR, limit_name=item) for item in self.destroy_items]
            ticks.append(Handler(name="hp_death", filters=[isNot(actorHas({"hp": 1}))], mutations=lose))
        add_agent_ticks(env, [*ticks])


class HeartVariant(CoGameMissionVariant):
    """Hearts: hubs hand out those they have, and make more from elements for `cost`."""

    name: str = "heart"
    description: str = "Hubs give hearts, which pay for taking junctions."
    limit: int = Field(default=10, ge=0)
    cost: dict[str, int] = Field(default_factory=dict)

    def dependencies(self) -> Deps:
        return Deps(optional=[DamageVariant])

    def configure(self, deps: ResolvedDeps) -> None:
        damage = deps.optional(DamageVariant)
        if damage is not None:
            damage.destroy_items.append("heart")

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        add_resource(env, "heart")
        for agent in env.game.agents:
            agent.inventory.limits["heart"] = ResourceLimitsConfig(base=self.limit, resources=["heart"])
        teams = mission.optional_variant(TeamVariant)
        for team in teams.player_teams() if teams else []:
            hub = env.game.objects.get(team.hub_name())
            if hub is not None:
                add_use_handlers(hub, [self._get_heart(team), self._make_and_get_heart(team)])

    def _get_heart(self, team: TeamConfig) -> Handler:
        return Handler(
            name="get_heart",
            filters=[sharedTagPrefix(TEAM_PREFIX), holds(team.hub_query(), "heart", 1)],
            mutations=[
                queryWithdraw(team.hub_query(), {"heart": 1}),
                logStatToGame(f"{team.name}/heart.withdrawn"),
            ],
        )

    def _make_and_get_heart(self, team: TeamConfig) -> Handler:
        return Handler(
            name="make_and_get_heart",
            filters=[
                sharedTagPrefix(TEAM_PREFIX),
                *(holds(team.hub_query(), item, amount) for item, amount in self.cost.items()),
            ],
            mutations=[
                queryDelta(team.hub_query(), {item: -amount for item, amount in self.cost.items()}),
                updateActor({"heart": 1}),
                *(logStatToGame(f"{team.name}/{item}.withdrawn") for item in self.cost),
            ],
        )


def holds(objects: Query, item: str, amount: int) -> GameValueFilter:
    """The objects hold at least that much together."""
    value = QueryInventoryValue(query=objects, item=item)
    return GameValueFilter(target=HandlerTarget.TARGET, value=value, min=amount)


class SeedHeartsVariant(CoGameMissionVariant):
    """Cogs start with hearts."""

    name: str = "seed_hearts"
    description: str = "Each cog starts with a heart."
    hearts: int = Field(default=1, ge=1)

    def dependencies(self) -> Deps:
        return Deps(required=[HeartVariant], optional=[TeamVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        for agent in env.game.agents:
            agent.inventory.initial["heart"] = self.hearts

"""Hubs: the stores of teams."""

from pydantic import Field

from cogsguard.env import add_use_handlers
from cogsguard.game.elements import ElementsVariant
from cogsguard.game.heart import HeartVariant
from cogsguard.game.teams.team import TeamConfig, TeamVariant
from cogsguard.map_config import set_hub_object
from cogsguard.names import TEAM_PREFIX
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, CvCStationConfig, Deps
from mettagrid.config.filter import GameValueFilter, HandlerTarget, actorHasAnyOf, hasTag, sharedTagPrefix
from mettagrid.config.game_value import QueryInventoryValue
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import GridObjectConfig, InventoryConfig, MettaGridConfig, ResourceLimitsConfig
from mettagrid.config.mutation import (
    QueryInventoryMutation,
    logStatToGame,
    queryDelta,
    queryDeposit,
    queryWithdraw,
    updateActor,
)
from mettagrid.config.query import Query, query
from mettagrid.config.tag import typeTag

_DEPOSIT = 100  # the most of each element that one bump moves to the hub
_HUB_LIMIT = 10000
_ELEMENTS_PER_AGENT = 3
_HEARTS = 5


class CvCHubConfig(CvCStationConfig):
    """The hub of a team: a bump by a team mate deposits the elements it carries."""

    team: TeamConfig
    elements: list[str] = Field(default_factory=list)
    inventory: InventoryConfig = Field(default_factory=InventoryConfig)

    @staticmethod
    def hub_query(team: TeamConfig) -> Query:
        """Return the query for the hubs of a team."""
        return query(typeTag("hub"), [hasTag(team.team_tag())])

    @staticmethod
    def hub_has(team: TeamConfig, resources: dict[str, int]) -> list[GameValueFilter]:
        """Return filters that pass while the team's hubs together hold at least these amounts."""
        return [
            GameValueFilter(
                target=HandlerTarget.TARGET,
                value=QueryInventoryValue(query=CvCHubConfig.hub_query(team), item=item),
                min=amount,
            )
            for item, amount in resources.items()
        ]

    def map_name(self) -> str:
        """Return the map name of the hub."""
        return f"{self.team.short_name}:hub"

    def station_cfg(self) -> GridObjectConfig:
        return GridObjectConfig(
            name="hub",
            map_name=self.map_name(),
            tags=[self.team.team_tag()],
            inventory=self.inventory,
            on_use_handler=Handler(
                name="deposit",
                filters=[sharedTagPrefix(TEAM_PREFIX), actorHasAnyOf(self.elements)],
                mutations=[deposit_to_hub(self.team, self.elements)],
            ),
        )


def deposit_to_hub(team: TeamConfig, elements: list[str]) -> QueryInventoryMutation:
    """Return the mutation that moves the actor's elements to its team's hub and counts them."""
    stats = f"{team.name}/"
    return queryDeposit(CvCHubConfig.hub_query(team), dict.fromkeys(elements, _DEPOSIT), stat_prefix=stats)


class TeamHubVariant(CoGameMissionVariant):
    """Defines a hub for each team of players.

    It starts with 3 of each element per agent, and with 5 hearts if the mission has hearts. `initial_hearts` and
    `initial_inventory` override this by team name.
    """

    name: str = "team_hub"
    description: str = "Each team has a hub that stores elements."
    initial_hearts: dict[str, int] = Field(default_factory=dict)
    initial_inventory: dict[str, InventoryConfig] = Field(default_factory=dict)

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant, ElementsVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        elements = mission.required_variant(ElementsVariant).elements
        hearts = mission.optional_variant(HeartVariant)
        teams = mission.required_variant(TeamVariant)
        for team in teams.player_teams():
            inventory = self._inventory(team, elements, with_hearts=hearts is not None)
            hub = CvCHubConfig(team=team, elements=list(elements), inventory=inventory)
            station = hub.station_cfg()
            if hearts is not None:
                add_use_handlers(station, [_get_heart(team), _make_and_get_heart(team, hearts.cost)])
            env.game.objects[hub.map_name()] = station
        set_hub_object(env, teams.name_on_map("hub"))

    def _inventory(self, team: TeamConfig, elements: list[str], *, with_hearts: bool) -> InventoryConfig:
        given = self.initial_inventory.get(team.name)
        if given is not None:
            inventory = given.model_copy(deep=True)
        else:
            inventory = InventoryConfig(
                limits={"resources": ResourceLimitsConfig(base=_HUB_LIMIT, resources=list(elements))},
                initial=dict.fromkeys(elements, _ELEMENTS_PER_AGENT * team.num_agents),
            )
        if with_hearts:
            inventory.initial.setdefault("heart", _HEARTS)
            if team.name in self.initial_hearts:
                inventory.initial["heart"] = self.initial_hearts[team.name]
        return inventory


def _get_heart(team: TeamConfig) -> Handler:
    return Handler(
        name="get_heart",
        filters=[sharedTagPrefix(TEAM_PREFIX), *CvCHubConfig.hub_has(team, {"heart": 1})],
        mutations=[
            queryWithdraw(CvCHubConfig.hub_query(team), {"heart": 1}),
            logStatToGame(f"{team.name}/heart.withdrawn"),
        ],
    )


def _make_and_get_heart(team: TeamConfig, cost: dict[str, int]) -> Handler:
    return Handler(
        name="make_and_get_heart",
        filters=[sharedTagPrefix(TEAM_PREFIX), *CvCHubConfig.hub_has(team, cost)],
        mutations=[
            queryDelta(CvCHubConfig.hub_query(team), {item: -amount for item, amount in cost.items()}),
            updateActor({"heart": 1}),
            *(logStatToGame(f"{team.name}/{item}.withdrawn") for item in cost),
        ],
    )

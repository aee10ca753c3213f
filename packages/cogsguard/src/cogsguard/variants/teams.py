"""Teams and their hubs."""

from typing import Literal

from pydantic import Field

from cogsguard.env import add_tag
from cogsguard.names import NET_PREFIX, TEAM_PREFIX
from cogsguard.terrain import set_hub_object
from cogsguard.variants.elements import ElementsVariant
from mettagrid.base_config import Config
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, CogsError, Deps, MissionError
from mettagrid.config.filter import actorHasAnyOf, hasTag, sharedTagPrefix
from mettagrid.config.game_value import QueryInventoryValue
from mettagrid.config.handler_config import Handler
from mettagrid.config.mettagrid_config import GridObjectConfig, InventoryConfig, MettaGridConfig, ResourceLimitsConfig
from mettagrid.config.mutation import QueryInventoryMutation, queryDeposit
from mettagrid.config.query import Query, query
from mettagrid.config.tag import typeTag

_DEPOSIT = 100  # the most of each element that one bump moves to the hub
_HUB_LIMIT = 10000
_ELEMENTS_PER_AGENT = 3
_HEARTS = 5


class TeamConfig(Config):
    """A team. Its network grows from objects of the type `seed_type`; `short_name` begins the names of its objects."""

    name: str
    short_name: str
    team_id: int = 0
    num_agents: int = Field(default=8, ge=0)
    seed_type: str = "hub"

    def team_tag(self) -> str:
        return f"{TEAM_PREFIX}{self.name}"

    def net_tag(self) -> str:
        return f"{NET_PREFIX}{self.name}"

    def hub_name(self) -> str:
        """What maps call the team's hub."""
        return f"{self.short_name}:hub"

    def hub_query(self) -> Query:
        return query(typeTag("hub"), [hasTag(self.team_tag())])

    def seed_query(self) -> Query:
        return query(typeTag(self.seed_type), [hasTag(self.team_tag())])


def _cogs() -> dict[str, TeamConfig]:
    return {"cogs": TeamConfig(name="cogs", short_name="c")}


class TeamVariant(CoGameMissionVariant):
    """The teams.

    A single team of players has as many agents as the mission. Of several each has its own number, or with `sharing`
    all have the mission's number ("all") or an equal part of it ("divide"). `team_sizes` then sets some by name.
    `map_prefix` begins the names of team objects on procedural maps; by default it is that of the first team.
    """

    name: str = "team"
    description: str = "Cogs belong to teams."
    teams: dict[str, TeamConfig] = Field(default_factory=_cogs)
    team_sizes: dict[str, int] = Field(default_factory=dict)
    sharing: Literal["own", "all", "divide"] = "own"
    map_prefix: str | None = None

    def player_teams(self) -> list[TeamConfig]:
        """Teams with agents."""
        return [team for team in self.teams.values() if team.num_agents > 0]

    def name_on_map(self, kind: str) -> str:
        """What procedural maps call the hub or a station of a team."""
        players = self.player_teams()
        prefix = self.map_prefix or (players[0].short_name if players else "")
        return f"{prefix}:{kind}"

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        self._number_teams(env.game.num_agents)
        sizes = [(team, team.num_agents) for team in self.player_teams()]
        old = env.game.agents
        env.game.agents = [
            old[min(number, len(old) - 1)].model_copy(update={"team_id": team.team_id}, deep=True)
            for number, team in enumerate(team for team, size in sizes for _ in range(size))
        ]
        env.game.num_agents = len(env.game.agents)
        for agent in env.game.agents:
            tag = next(team.team_tag() for team, _ in sizes if team.team_id == agent.team_id)
            agent.tags = [*agent.tags, tag]
        for team in self.teams.values():
            add_tag(env, team.team_tag())
        for team in self.teams.values():
            add_tag(env, team.net_tag())

    def _number_teams(self, num_agents: int) -> None:
        players = self.player_teams()
        if self.sharing == "divide" and num_agents % len(players):
            raise CogsError(f"{num_agents} cogs cannot be divided equally among {len(players)} teams.")
        for team in players:
            if self.sharing == "divide":
                team.num_agents = num_agents // len(players)
            elif self.sharing == "all" or len(players) == 1:
                team.num_agents = num_agents
        for name, size in self.team_sizes.items():
            if name not in self.teams:
                raise MissionError(f"team_sizes names the team {name!r}; the teams are: {', '.join(self.teams)}.")
            self.teams[name].num_agents = size
        for number, team in enumerate(self.teams.values()):
            team.team_id = number


class TeamHubVariant(CoGameMissionVariant):
    """A hub for each team of players, where cogs leave elements.

    It starts with elements in proportion to the team and some hearts, or with `initial_inventory`.
    """

    name: str = "team_hub"
    description: str = "Each team has a hub that takes elements."
    initial_hearts: int = Field(default=_HEARTS, ge=0)
    initial_inventory: dict[str, int] | None = None

    def dependencies(self) -> Deps:
        return Deps(required=[TeamVariant, ElementsVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        elements = mission.required_variant(ElementsVariant).elements
        teams = mission.required_variant(TeamVariant).player_teams()
        for team in teams:
            initial = self.initial_inventory
            if initial is None:
                initial = dict.fromkeys(elements, _ELEMENTS_PER_AGENT * team.num_agents)
            if mission.has_variant("heart"):
                initial = {**initial, "heart": initial.get("heart", self.initial_hearts)}
            env.game.objects[team.hub_name()] = GridObjectConfig(
                name="hub",
                map_name=team.hub_name(),
                tags=[team.team_tag()],
                inventory=InventoryConfig(
                    limits={"resources": ResourceLimitsConfig(base=_HUB_LIMIT, resources=list(elements))},
                    initial=dict(initial),
                ),
                on_use_handler=Handler(
                    name="deposit",
                    filters=[sharedTagPrefix(TEAM_PREFIX), actorHasAnyOf(elements)],
                    mutations=[deposit_to_hub(team, elements)],
                ),
            )
        set_hub_object(env, mission.required_variant(TeamVariant).name_on_map("hub"))


def deposit_to_hub(team: TeamConfig, elements: list[str]) -> QueryInventoryMutation:
    """Move all elements the cog has to its team's hub and count them."""
    return queryDeposit(team.hub_query(), dict.fromkeys(elements, _DEPOSIT), stat_prefix=f"{team.name}/")


class HubObservationsVariant(CoGameMissionVariant):
    """Lets every cog see what the hub of its team holds of each element."""

    name: str = "hub_observations"
    description: str = "Cogs know the stock of their hub."

    def dependencies(self) -> Deps:
        return Deps(required=[TeamHubVariant, ElementsVariant])

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        own_hub = query(typeTag("hub"), [sharedTagPrefix(TEAM_PREFIX)])
        for element in mission.required_variant(ElementsVariant).elements:
            env.game.obs.global_obs.obs[f"{TEAM_PREFIX}{element}"] = QueryInventoryValue(query=own_hub, item=element)

"""Teams."""

from collections.abc import Iterable
from typing import Literal

from pydantic import Field, PrivateAttr

from cogsguard.env import add_tag
from cogsguard.names import NET_PREFIX, TEAM_PREFIX
from mettagrid.base_config import Config
from mettagrid.cogame.core import CoGameMission, CoGameMissionVariant, CogsError, MissionError, ResolvedDeps
from mettagrid.config.filter import hasTag
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.config.query import Query, query
from mettagrid.config.tag import typeTag

TeamSizes = Literal["own", "mission", "split"]
"""The size of each of several teams: its own `num_agents`, the mission's number, or an equal part of that."""


class TeamConfig(Config):
    """A team. `short_name` begins the map names of its objects; a team without agents is played by the rules."""

    name: str = "cogs"
    short_name: str = "c"
    team_id: int = 0
    num_agents: int = Field(default=8, ge=0)

    def team_tag(self) -> str:
        """Return the tag of all objects that the team owns."""
        return f"{TEAM_PREFIX}{self.name}"

    def net_tag(self) -> str:
        """Return the tag of all objects in the team's network."""
        return f"{NET_PREFIX}{self.name}"

    def network_seed_query(self) -> Query:
        """Return the objects from which the team's network grows: its hubs."""
        return query(typeTag("hub"), [hasTag(self.team_tag())])


class TeamVariant(CoGameMissionVariant):
    """Assigns agents to teams.

    `default_teams` become `teams` when the variant is configured; variants that depend on this one then edit `teams`.
    A single team of players has as many agents as the mission, several have their own numbers. `team_sizes` overrides
    sizes by name.
    """

    name: str = "team"
    description: str = "Cogs belong to teams."
    default_teams: dict[str, TeamConfig] = Field(default_factory=lambda: {"cogs": TeamConfig()})
    team_sizes: dict[str, int] = Field(default_factory=dict)
    teams: dict[str, TeamConfig] = Field(default_factory=dict)

    _sizes: TeamSizes = PrivateAttr(default="own")
    _map_prefix: str | None = PrivateAttr(default=None)

    def configure(self, deps: ResolvedDeps) -> None:
        if not self.teams:
            self.teams = {name: team.model_copy(deep=True) for name, team in self.default_teams.items()}
        for name in self.team_sizes:
            if name not in self.teams:
                raise MissionError(f"team_sizes names the team {name!r}; the teams are: {', '.join(self.teams)}.")

    def replace_player_teams(
        self, teams: Iterable[TeamConfig], *, sizes: TeamSizes = "own", map_prefix: str | None = None
    ) -> None:
        """Replace the teams that have agents. `map_prefix` begins team objects on a map that all teams share."""
        others = {name: team for name, team in self.teams.items() if team.num_agents == 0}
        self.teams = {team.name: team for team in teams} | others
        self._sizes, self._map_prefix = sizes, map_prefix

    def player_teams(self) -> list[TeamConfig]:
        """Return the teams with agents."""
        return [team for team in self.teams.values() if team.num_agents > 0]

    def team_name(self, team_id: int) -> str | None:
        """Return the name of the team with an id, or None."""
        return next((team.name for team in self.teams.values() if team.team_id == team_id), None)

    def name_on_map(self, kind: str) -> str:
        """Return the name that procedural maps use for a team's hub or station."""
        players = self.player_teams()
        prefix = self._map_prefix or (players[0].short_name if players else "")
        return f"{prefix}:{kind}"

    def modify_env(self, mission: CoGameMission, env: MettaGridConfig) -> None:
        self._set_sizes(env.game.num_agents)
        for number, team in enumerate(self.teams.values()):
            team.team_id = number
        members = [team for team in self.player_teams() for _ in range(team.num_agents)]
        old = env.game.agents or [env.game.agent]  # evals of one skill have no list of agents
        env.game.agents = [
            old[min(number, len(old) - 1)].model_copy(update={"team_id": team.team_id}, deep=True)
            for number, team in enumerate(members)
        ]
        env.game.num_agents = len(members)
        for agent, team in zip(env.game.agents, members, strict=True):
            agent.tags = [*agent.tags, team.team_tag()]
        for team in self.teams.values():
            add_tag(env, team.team_tag())
        for team in self.teams.values():
            add_tag(env, team.net_tag())

    def _set_sizes(self, num_agents: int) -> None:
        players = self.player_teams()
        if self._sizes == "split" and num_agents % len(players):
            raise CogsError(f"{num_agents} cogs cannot be divided equally among {len(players)} teams.")
        for team in players:
            if self._sizes == "split":
                team.num_agents = num_agents // len(players)
            elif self._sizes == "mission" or len(players) == 1:
                team.num_agents = num_agents
        for name, size in self.team_sizes.items():
            self.teams[name].num_agents = size

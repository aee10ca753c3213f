"""Teams of agents and the names of their map cells (rules, section 1.2)."""

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mettagrid.compiler.errors import CompileError, ConfigWarning
from mettagrid.config.mettagrid_config import AgentConfig

COLOURS = ("red", "blue", "green", "yellow", "purple", "orange")


@dataclass
class Team:
    """Agents with one team id. `group` numbers teams in order of first appearance."""

    team_id: int
    group: int
    members: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        return COLOURS[self.team_id] if self.team_id < len(COLOURS) else f"group_{self.group}"

    @property
    def cell(self) -> str:
        return f"agent.{self.name}"

    def aliases(self) -> Iterator[str]:
        """Yield other names for cells of this team, without the canonical one."""
        names = [f"team_{self.group}", f"team_{self.team_id}"]
        names += [COLOURS[i] for i in (self.group, self.team_id) if i < len(COLOURS)]
        if self.group == 0:
            names += ["default", "agent"]
        yield from (f"agent.{name}" for name in dict.fromkeys(names) if name != self.name)


def group_teams(agents: Sequence[AgentConfig]) -> list[Team]:
    """Return the teams in order of first appearance. Members of a team must have the same tags."""
    teams: dict[int, Team] = {}
    for i, agent in enumerate(agents):
        team = teams.setdefault(agent.team_id, Team(agent.team_id, len(teams)))
        first = agents[team.members[0]] if team.members else agent
        if set(agent.tags) != set(first.tags):
            raise CompileError(
                f"game.agents[{i}].tags",
                f"All agents in team {agent.team_id} must have identical tags; this one has {sorted(agent.tags)}, "
                f"the first one {sorted(first.tags)}",
            )
        team.members.append(i)
    return list(teams.values())


class AgentCells:
    """Assigns agents to map cells by the names of the cells.

    Teams can claim each other's names: `agent.team_1` means the team with id 1 and the second team of the list. This
    class follows the published engine:

    * a team of several agents gets all its names, also those of teams before it;
    * a team of one agent gets its names too, except those that a team of several agents has;
    * if such a team has even the canonical name of a team of one agent, it gets the aliases of that team as well.
    """

    def __init__(self, teams: Sequence[Team], *, strict: bool = False) -> None:
        self._strict = strict
        self._claims: dict[str, list[Team]] = {}
        self._agents: dict[str, int] = {}
        self._large_teams: dict[str, Team] = {}  # the names of teams of several agents
        for team in teams:
            for name in (team.cell, *team.aliases()):
                self._claims.setdefault(name, []).append(team)
            for k, member in enumerate(team.members):
                self._agents[f"{team.cell}.{k}"] = member
            if len(team.members) > 1:
                self._large_teams[team.cell] = team
            if team.cell in self._large_teams:
                self._large_teams.update(dict.fromkeys(team.aliases(), self._large_teams[team.cell]))

    def names(self) -> list[str]:
        return [*self._claims, *self._agents]

    def single_names(self) -> list[str]:
        """Return the name that means a single agent, for each agent."""
        return sorted(self._agents, key=self._agents.__getitem__)

    def numbered(self) -> dict[str, list[str]]:
        """Return, for each name that several agents share, the names that mean one of them."""
        return {
            name: [f"{team.cell}.{k}" for k in range(len(team.members))] for name, team in self._large_teams.items()
        }

    def __contains__(self, name: str) -> bool:
        return name in self._claims or name in self._agents

    def place(self, cells: Sequence[str]) -> list[tuple[str, int]]:
        """Return (name under which the cell is counted, agent) for agent cells in map order.

        The cells of a team of several agents are numbered per spelling: the k-th is the team's k-th agent.
        """
        used: Counter[str] = Counter()
        placed = []
        for name in cells:
            if name in self._agents:
                placed.append((name, self._agents[name]))
                continue
            team = self._owner(name)
            if used[name] == 0 and self._claims[name] != [team]:
                self._report_claims(name)
            k = used[name]
            used[name] += 1
            if len(team.members) == 1:
                placed.append((name, team.members[0]))
                continue
            if k >= len(team.members):
                raise CompileError(
                    "", f"The map has more {name!r} cells than team {team.team_id} has agents ({len(team.members)})."
                )
            placed.append((f"{team.cell}.{k}", team.members[k]))
        return placed

    def _owner(self, name: str) -> Team:
        return self._large_teams.get(name) or self._claims[name][-1]

    def _report_claims(self, name: str) -> None:
        """Warn about a name that means several teams, or raise when strict."""
        owner = self._owner(name)
        ids = " and ".join(dict.fromkeys(str(team.team_id) for team in (*self._claims[name], owner)))
        message = (
            f"The map cell {name!r} could mean teams {ids}; it means team {owner.team_id}. "
            f"Name single agents to choose, such as '{self._claims[name][0].cell}.0'."
        )
        if self._strict:
            raise CompileError("", message)
        warnings.warn(message, ConfigWarning, stacklevel=2)

"""How policies meet on a mission.

- `solo`: each policy plays every seat alone; a duel compares two policies on the same map and seed
- `mixed`: a policy shares the seats with a partner; a duel compares two policies beside the same partners
- `teams`: on missions with several teams the two policies play against each other, and swap their teams
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from cogames.episodes.single import team_ids
from cogames.ladder.errors import LadderError
from cogames.missions.arguments import ChosenMission
from mettagrid.config.mettagrid_config import MettaGridConfig

__all__ = ["LadderMission", "Meeting", "MeetingChoice", "make_missions"]

Meeting = Literal["solo", "mixed", "teams"]
MeetingChoice = Literal["auto", "solo", "mixed", "teams"]


@dataclass(frozen=True)
class LadderMission:
    """A mission of a ladder. `team_names` are the prefixes of the teams' stats, by team."""

    name: str
    env: MettaGridConfig = field(repr=False)
    meeting: Meeting
    team_names: dict[int, str]
    digest: str
    _teams: dict[int, list[int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def agents(self) -> int:
        return self.env.game.num_agents

    def teams(self, seed: int) -> list[int]:
        """Return the team of each agent; with several teams the map of the seed decides it."""
        if seed not in self._teams:
            self._teams[seed] = team_ids(self.env, seed)
        return self._teams[seed]

    def assignments(self, seed: int, number: int, side: int) -> list[int]:
        """Return which of the game's policies has each seat.

        Sides 0 and 1 swap the two policies. On missions with more than two teams, `number` chooses which teams play
        together, so that successive maps go through all divisions.
        """
        if self.meeting == "solo":
            return [0] * self.agents
        if self.meeting == "mixed":
            return [(agent + side) % 2 for agent in range(self.agents)]
        teams = self.teams(seed)
        divisions = _divisions(sorted(set(teams)))
        first = divisions[number % len(divisions)]
        return [side if team in first else 1 - side for team in teams]


def make_missions(missions: Sequence[ChosenMission], meeting: MeetingChoice = "auto") -> list[LadderMission]:
    """Return the missions with the way in which policies meet on them.

    `auto` is `teams` where the mission has several teams, otherwise `solo`. Raises `LadderError` for a mission that has
    too few seats or teams.
    """
    if meeting not in get_args(MeetingChoice):
        raise LadderError(f"Policies cannot meet as {meeting!r}; choose one of {', '.join(get_args(MeetingChoice))}")
    return [_make_mission(mission, meeting) for mission in missions]


def _make_mission(mission: ChosenMission, choice: MeetingChoice) -> LadderMission:
    game = mission.env.game
    team_names = {agent.team_id: _team_name(agent.tags) for agent in game.agents} or {0: _team_name(game.agent.tags)}
    meeting: Meeting = ("teams" if len(team_names) > 1 else "solo") if choice == "auto" else choice
    if meeting == "teams" and len(team_names) < 2:
        raise LadderError(
            f"The mission {mission.name!r} has one team, so policies cannot meet as teams", ["use --meet solo or mixed"]
        )
    if meeting == "mixed" and game.num_agents < 2:
        raise LadderError(f"The mission {mission.name!r} has one seat, which two policies cannot share")
    _check_playable(mission)
    document = json.dumps(mission.env.model_dump(mode="json"), sort_keys=True)
    return LadderMission(mission.name, mission.env, meeting, team_names, hashlib.sha256(document.encode()).hexdigest())


def _check_playable(mission: ChosenMission) -> None:
    """Build the world once, so that a mission without places for its cogs is refused before anything is played."""
    from mettagrid.runner.rollout import resolve_env_for_seed
    from mettagrid.simulator import Simulation

    try:
        Simulation(resolve_env_for_seed(mission.env, 0), seed=0).close()
    except ValueError as error:
        raise LadderError(f"The mission {mission.name!r} cannot be played: {error}") from error


def _team_name(tags: Sequence[str]) -> str:
    """Return the name of the team in the tag `team:NAME`; empty if there is none."""
    return next((tag.removeprefix("team:") for tag in tags if tag.startswith("team:")), "")


def _divisions(teams: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the ways to give half of the teams to the first policy, each division once."""
    halves = list(itertools.combinations(teams, len(teams) // 2))
    return halves if len(teams) % 2 else halves[: len(halves) // 2]

"""Replay a season without playing: derive all its state from its entries and the results of its matches.

The commissioner's own functions decide; match results are looked up instead of played. The decisions do not depend on
when a match ended, so the replay ends as the season did, unless the stored data or the rules were changed.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from observatory.commissioner.decisions import Complete, Decision, EndTeam, Join, Leave, NewMatch, NewTeam
from observatory.commissioner.facts import (
    EndedMatch,
    Limits,
    Member,
    OpenMatch,
    PoolRecord,
    SeasonFacts,
    Tally,
    TeamFact,
)
from observatory.commissioner.reasons import decide
from observatory.seasons.config import FreeplayConfig, TeamConfig

__all__ = ["Played", "Refolded", "refold", "settle"]

_EVERYTHING = Limits(outstanding=10**9, at_once=10**9)
_MAX_PASSES = 100_000


@dataclass(frozen=True)
class Played:
    """The input of a replay: the entrants of a season in order, its ended matches by pool, and the ids of its teams."""

    name: str
    config: FreeplayConfig | TeamConfig
    seed: int
    started: bool
    pools: Sequence[str]
    entrants: Sequence[Member]
    matches: Mapping[str, Iterable[EndedMatch]]
    team_ids: Mapping[tuple[str, int], uuid.UUID]
    """by pool and position"""
    withdrawn: frozenset[uuid.UUID] = frozenset()
    """policies that left by a decision of their owners; they are in no pool at the end"""


@dataclass
class Refolded:
    """The result of a replay: members and teams of each pool, and whether the season is complete."""

    members: dict[str, dict[uuid.UUID, Member]]
    teams: dict[str, dict[int, TeamFact]]
    complete: bool = False

    def active(self, pool: str) -> set[uuid.UUID]:
        return {policy for policy, member in self.members[pool].items() if not member.retired}


def refold(played: Played) -> Refolded:
    """Replay a season from the start until there are no more decisions."""
    return _Paper(played).decided()


def settle(played: Played, stored: Refolded) -> Refolded:
    """Apply all pending decisions to a stored season.

    Decisions may be pending: the commissioner has not run since the last match ended, or never will, because the season
    was closed or rolled before.
    """
    paper = _Paper(played)
    paper.result = stored
    for (pool, _, _), matches in paper.log.items():
        while matches:
            paper.tallies[pool].add(matches.popleft())
    return paper.decided()


@dataclass
class _Paper:
    played: Played
    result: Refolded = field(init=False)

    def decided(self) -> Refolded:
        for _ in range(_MAX_PASSES):
            steps = decide(self.facts()).steps
            if not steps or not self.apply(steps):
                break
        for members in self.result.members.values():
            for policy in self.played.withdrawn & members.keys():
                members[policy] = replace(members[policy], retired=True)
        return self.result

    def __post_init__(self) -> None:
        played = self.played
        self.result = Refolded({pool: {} for pool in played.pools}, {pool: {} for pool in played.pools})
        for member in played.entrants:
            self.result.members[played.pools[0]][member.policy] = replace(member, retired=False)
        self._authors = {member.policy: member.author for member in played.entrants}
        cap = played.config.max_failed_attempts if isinstance(played.config, TeamConfig) else played.config.max_failures
        self.tallies = {pool: Tally(cap) for pool in played.pools}
        self._open: dict[str, list[OpenMatch]] = {pool: [] for pool in played.pools}
        self.log: dict[tuple[str, str, int], deque[EndedMatch]] = {}
        for pool, matches in played.matches.items():
            for match in matches:
                self.log.setdefault((pool, match.combination, match.sample), deque()).append(match)

    def facts(self) -> SeasonFacts:
        pools = {
            pool: PoolRecord(
                pool,
                list(self.result.members[pool].values()),
                self.tallies[pool],
                self._open[pool],
                [team for _, team in sorted(self.result.teams[pool].items())],
            )
            for pool in self.played.pools
        }
        played = self.played
        return SeasonFacts(played.name, played.config, played.seed, played.started, pools, _EVERYTHING)

    def apply(self, steps: Sequence[Decision]) -> bool:
        """Apply decisions; return whether another pass may follow."""
        for step in steps:
            match step:
                case NewMatch():
                    self._look_up(step)
                case Join():
                    self.result.members[step.pool][step.policy] = Member(step.policy, self._authors[step.policy])
                case Leave():
                    members = self.result.members[step.pool]
                    members[step.policy] = replace(members[step.policy], retired=True)
                    self._open[step.pool] = [m for m in self._open[step.pool] if step.policy not in m.policies]
                case NewTeam():
                    team_id = self.played.team_ids.get((step.pool, step.position))
                    team = TeamFact(team_id or uuid.uuid4(), step.position, step.members, step.score)
                    self.result.teams[step.pool][step.position] = team
                case EndTeam():
                    self._end_team(step)
                case Complete():
                    self.result.complete = True
        return not self.result.complete

    def _look_up(self, step: NewMatch) -> None:
        """Look up the result of a match; a match that was not played (yet) stays open."""
        waiting = self.log.get((step.pool, step.combination, step.sample))
        if waiting:
            self.tallies[step.pool].add(waiting.popleft())
        else:
            self._open[step.pool].append(OpenMatch(step.combination, step.sample, step.policies))

    def _end_team(self, step: EndTeam) -> None:
        for teams in self.result.teams.values():
            for position, team in teams.items():
                if team.id == step.team:
                    teams[position] = replace(team, score=step.score, eliminated=step.eliminated)

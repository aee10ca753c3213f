"""Seasons played in memory, in any order: decisions are applied to facts, and matches end by a formula."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from observatory.commissioner.decisions import Complete, Decisions, EndTeam, Join, Leave, NewMatch, NewTeam
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
from observatory.seasons.creation import COMPETITION, QUALIFYING
from observatory.seasons.seeds import match_seed
from observatory.seasons.stages import pool_names

ROUNDS = 100_000


@dataclass(frozen=True)
class Failure:
    """A match that fails; `culprit` is a position in its policies, or None."""

    culprit: int | None = None


Play = Callable[[NewMatch, int], Sequence[float] | Failure]
"""From a match and its seed to the scores of its policies."""


def policies(count: int) -> list[uuid.UUID]:
    """Ids in an order that is not that of their numbers."""
    return [uuid.UUID(int=(place * 7919 + 13) % 100_003 << 64 | place) for place in range(count)]


def by_skill(match: NewMatch, seed: int) -> list[float]:
    """Score by skill plus chance; the same game gives the same scores."""
    return [policy.int % 97 / 97 + random.Random(f"{seed}/{policy}").random() / 4 for policy in match.policies]


@dataclass
class Rehearsal:
    """A season. `chance` decides in which order matches end."""

    config: FreeplayConfig | TeamConfig
    play: Play = by_skill
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    limits: Limits = field(default_factory=Limits)
    seed: int = 5
    started: bool = True
    pools: dict[str, PoolRecord] = field(default_factory=dict)
    scheduled: list[NewMatch] = field(default_factory=list)
    ended: list[tuple[NewMatch, Sequence[float] | Failure]] = field(default_factory=list)
    notes: list[tuple[str, str, uuid.UUID, str]] = field(default_factory=list)
    """(join or leave, pool, policy, why)"""
    team_notes: dict[uuid.UUID, str | None] = field(default_factory=dict)
    complete: bool = False
    why: str = ""

    def __post_init__(self) -> None:
        names = [QUALIFYING, COMPETITION] if isinstance(self.config, FreeplayConfig) else pool_names(self.config)
        cap = self.config.max_failures if isinstance(self.config, FreeplayConfig) else self.config.max_failed_attempts
        for name in dict.fromkeys(names):
            self.pools[name] = PoolRecord(name, [], Tally(cap, keep_scores=name != COMPETITION), [], [])
        self._open: list[NewMatch] = []

    @property
    def facts(self) -> SeasonFacts:
        return SeasonFacts("rehearsal", self.config, self.seed, self.started, self.pools, self.limits)

    def enter(self, entrants: Iterable[uuid.UUID], *, author: str | None = None, pool: str | None = None) -> None:
        for policy in entrants:
            self._join(pool or next(iter(self.pools)), policy, author or str(policy))

    def run_pass(self) -> Decisions:
        """One pass of the commissioner, applied."""
        decisions = decide(self.facts)
        for step in decisions.steps:
            self._apply(step)
        self.why = decisions.why
        assert sum(len(pool.open) for pool in self.pools.values()) <= self.limits.outstanding
        return decisions

    def run_passes(self) -> None:
        while not self.complete and self.run_pass().steps:
            pass

    def end_one(self) -> None:
        """A random match in flight ends."""
        match = self._open.pop(self.chance.randrange(len(self._open)))
        pool = self.pools[match.pool]
        pool.open.remove(_open(match))  # type: ignore[attr-defined]
        result = self.play(match, match_seed(self.seed, match.pool, match.split_index, match.sample))
        culprit = match.policies[result.culprit] if isinstance(result, Failure) and result.culprit is not None else None
        scores = None if isinstance(result, Failure) else tuple(result)
        pool.tally.add(EndedMatch(match.combination, match.sample, match.policies, scores, culprit))
        self.ended.append((match, result))

    def run(self) -> Rehearsal:
        """Until nothing is left to do."""
        for _ in range(ROUNDS):
            self.run_passes()
            if not self._open:
                return self
            for _ in range(self.chance.randint(1, len(self._open))):
                self.end_one()
        raise AssertionError("the season does not end")

    def completed(self, pool: str) -> list[NewMatch]:
        return [m for m, result in self.ended if m.pool == pool and not isinstance(result, Failure)]

    def active(self, pool: str) -> set[uuid.UUID]:
        return {member.policy for member in self.pools[pool].active}

    def _apply(self, step: Any) -> None:
        match step:
            case NewMatch():
                keys = {(m.pool, m.combination, m.repetition) for m in self.scheduled}
                assert (step.pool, step.combination, step.repetition) not in keys
                self.scheduled.append(step)
                self._open.append(step)
                self.pools[step.pool].open.append(_open(step))  # type: ignore[attr-defined]
            case Join():
                self.notes.append(("join", step.pool, step.policy, step.why))
                self._join(step.pool, step.policy, self._author(step.policy))
            case Leave():
                self.notes.append(("leave", step.pool, step.policy, step.why))
                self._set(step.pool, step.policy, retired=True)
            case NewTeam():
                team = TeamFact(uuid.UUID(int=len(self.team_notes) + 1), step.position, step.members, step.score)
                self.team_notes[team.id] = None
                self.pools[step.pool].teams.append(team)  # type: ignore[attr-defined]
            case EndTeam():
                self.team_notes[step.team] = step.why
                for pool in self.pools.values():
                    for place, team in enumerate(pool.teams):
                        if team.id == step.team:
                            pool.teams[place] = replace(team, score=step.score, eliminated=step.eliminated)  # type: ignore[index]
            case Complete():
                self.complete = True

    def _author(self, policy: uuid.UUID) -> str:
        return next(m.author for pool in self.pools.values() for m in pool.members if m.policy == policy)

    def _join(self, pool: str, policy: uuid.UUID, author: str) -> None:
        if any(member.policy == policy for member in self.pools[pool].members):
            self._set(pool, policy, retired=False)
        else:
            self.pools[pool].members.append(Member(policy, author))  # type: ignore[attr-defined]

    def _set(self, pool: str, policy: uuid.UUID, *, retired: bool) -> None:
        members = self.pools[pool].members
        place = next(place for place, member in enumerate(members) if member.policy == policy)
        members[place] = replace(members[place], retired=retired)  # type: ignore[index]


def _open(match: NewMatch) -> OpenMatch:
    picked = None if match.picked is None else match.policies[match.picked]
    return OpenMatch(match.combination, match.sample, match.policies, picked)

"""The commissioner's facts about a season. Read from the database, or built by a test."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from observatory.seasons.config import FreeplayConfig, TeamConfig

__all__ = [
    "Combination",
    "EndedMatch",
    "Limits",
    "Member",
    "OpenMatch",
    "PoolRecord",
    "SeasonFacts",
    "Tally",
    "TeamFact",
]


@dataclass(frozen=True)
class Member:
    """A policy version in a pool. `author` is the user who owns it; members are listed in the order they came."""

    policy: uuid.UUID
    author: str
    retired: bool = False


@dataclass(frozen=True)
class TeamFact:
    """A team in a pool."""

    id: uuid.UUID
    position: int
    members: tuple[uuid.UUID, ...]
    """by seat"""
    score: float | None = None
    eliminated: bool = False


@dataclass(frozen=True)
class OpenMatch:
    """A match that has not ended. `picked` is the policy for which it is scheduled, if any."""

    combination: str
    sample: int
    policies: tuple[uuid.UUID, ...]
    picked: uuid.UUID | None = None


@dataclass(frozen=True)
class EndedMatch:
    """A match that has ended. Without scores it failed, and `culprit` is the policy at fault, or None."""

    combination: str
    sample: int
    policies: tuple[uuid.UUID, ...]
    scores: tuple[float, ...] | None
    culprit: uuid.UUID | None = None


@dataclass(slots=True)
class Combination:
    """The ended games of one combination and their results."""

    key: str
    policies: tuple[uuid.UUID, ...]
    matches: int = 0
    """matches, failed ones too"""
    completed: int = 0
    done: int = 0
    """bit i is set when sample i was completed"""
    scores: list[tuple[float, ...]] = field(default_factory=list)
    """of the completed matches, each in the order of `policies`; empty where the tally keeps none"""
    failures: dict[int, list[int]] | None = None
    """by sample: the number of failures charged to a policy, and the number charged to none"""

    def is_done(self, sample: int) -> bool:
        return bool(self.done >> sample & 1)

    def failed(self, sample: int) -> tuple[int, int]:
        """Return the failures charged to a policy, and those charged to none."""
        charged, uncharged = (self.failures or {}).get(sample, (0, 0))
        return charged, uncharged

    def is_given_up(self, sample: int, cap: int) -> bool:
        """Return whether a game has used up its failed attempts."""
        return self.failures is not None and not self.is_done(sample) and max(self.failed(sample)) >= cap

    def is_settled(self, sample: int, cap: int) -> bool:
        """Return whether a game needs no further match."""
        return self.is_done(sample) or self.is_given_up(sample, cap)

    def settled(self, cap: int) -> int:
        """Return how many of its games need no further match."""
        return self.done.bit_count() + sum(self.is_given_up(sample, cap) for sample in self.failures or ())


class Tally:
    """The ended matches of a pool, added up. Matches may come in any order: the sums are the same."""

    def __init__(self, cap: int = 3, *, keep_scores: bool = True) -> None:
        self.cap = cap
        """after so many failures a game is given up"""
        self.keeps_scores = keep_scores
        self.combinations: dict[str, Combination] = {}
        self.completed: Counter[uuid.UUID] = Counter()
        """completed matches by policy"""
        self.charged: Counter[uuid.UUID] = Counter()
        """failures by the policy at fault"""
        self.of_policy: dict[uuid.UUID, list[Combination]] = {}
        """the combinations that a policy has been in"""
        self.settled: Counter[uuid.UUID] = Counter()
        """games by policy that need no further match"""

    def add(self, match: EndedMatch) -> None:
        combination = self.combinations.get(match.combination)
        if combination is None:
            combination = self.combinations[match.combination] = Combination(match.combination, match.policies)
            for policy in set(match.policies):
                self.of_policy.setdefault(policy, []).append(combination)
        combination.matches += 1
        was_settled = combination.is_settled(match.sample, self.cap)
        self._end(combination, match)
        if not was_settled and combination.is_settled(match.sample, self.cap):
            self.settled.update(set(match.policies))

    def _end(self, combination: Combination, match: EndedMatch) -> None:
        if match.scores is not None:
            combination.completed += 1
            combination.done |= 1 << match.sample
            self.completed.update(set(match.policies))
            if self.keeps_scores:
                combination.scores.append(match.scores)
            return
        combination.failures = combination.failures or {}
        combination.failures.setdefault(match.sample, [0, 0])[match.culprit is None] += 1
        if match.culprit is not None:
            self.charged[match.culprit] += 1


@dataclass(frozen=True)
class PoolRecord:
    """A pool: its members, its ended matches and its open matches."""

    name: str
    members: Sequence[Member] = ()
    tally: Tally = field(default_factory=Tally)
    open: Sequence[OpenMatch] = ()
    teams: Sequence[TeamFact] = ()

    @property
    def active(self) -> list[Member]:
        return [member for member in self.members if not member.retired]


@dataclass(frozen=True)
class Limits:
    """Limits of one pass."""

    outstanding: int = 50
    """matches of a season that may be queued or running"""
    at_once: int = 25
    """matches created in one pass"""
    first_matches: int = 10
    """a version with fewer matches than this comes before the others"""


@dataclass(frozen=True)
class SeasonFacts:
    """A season. `pools` are in their order."""

    name: str
    config: FreeplayConfig | TeamConfig
    seed: int
    started: bool
    pools: Mapping[str, PoolRecord]
    limits: Limits = Limits()

    @property
    def outstanding(self) -> int:
        return sum(len(pool.open) for pool in self.pools.values())

    @property
    def free_slots(self) -> int:
        """Return how many matches may be created now."""
        return max(0, min(self.limits.at_once, self.limits.outstanding - self.outstanding))

"""Compute standings from matches, without a database: the same matches give the same table."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from observatory.scoring.exact import mean
from observatory.seasons.config import AllOf, Elimination, Fraction, Threshold, TopK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "PERCENTILES",
    "Placement",
    "PlayedMatch",
    "Seat",
    "Standing",
    "match_scores",
    "mean_scores",
    "placements",
    "summary",
    "surviving_teams",
    "survivors_of",
    "team_score",
    "weighted_standings",
]

PERCENTILES = (30, 60, 90)


@dataclass(frozen=True)
class Seat:
    """A policy in a match. `score` is None until the match is scored."""

    policy_version_id: uuid.UUID
    num_agents: int
    score: float | None


@dataclass(frozen=True)
class PlayedMatch:
    """A completed match."""

    seats: Sequence[Seat]

    @property
    def is_scored(self) -> bool:
        return bool(self.seats) and all(seat.score is not None for seat in self.seats)


@dataclass(frozen=True)
class Standing:
    """A row of a table of policies."""

    rank: int
    policy_version_id: uuid.UUID
    score: float
    stddev: float | None
    percentiles: Mapping[str, float] | None
    matches: int


@dataclass(frozen=True)
class Placement:
    """A row of the final table of a team season; lower scores are better."""

    rank: int
    policy_version_id: uuid.UUID
    score: float
    team_ranks: tuple[int, ...]
    appearances: int


def match_scores(assignments: Sequence[int], rewards: Sequence[float], num_policies: int) -> list[float]:
    """Return the score of each policy in a match: the total reward of its agents divided by their number."""
    rewards_of: list[list[float]] = [[] for _ in range(num_policies)]
    for policy, reward in zip(assignments, rewards, strict=True):
        rewards_of[policy].append(reward)
    return [mean(earned) if earned else 0.0 for earned in rewards_of]


def weighted_standings(matches: Iterable[PlayedMatch], members: Iterable[uuid.UUID] | None = None) -> list[Standing]:
    """Return the table of a freeplay pool: mean scores, weighted by the policy's share of the agents.

    Matches that are not fully scored do not count. With `members`, the table has exactly those policies, including the
    ones without a match.
    """
    member_ids = None if members is None else set(members)
    samples: dict[uuid.UUID, list[tuple[float, float]]] = {member: [] for member in member_ids or ()}
    for match in matches:
        if not match.is_scored:
            continue
        agents = sum(seat.num_agents for seat in match.seats)
        for seat in match.seats:
            if member_ids is None or seat.policy_version_id in member_ids:
                assert seat.score is not None
                weight = seat.num_agents / agents if agents else 0.0
                samples.setdefault(seat.policy_version_id, []).append((seat.score, weight))
    rows = [
        (policy, *summary([score for score, _ in entries], [weight for _, weight in entries]), len(entries))
        for policy, entries in samples.items()
    ]
    rows.sort(key=lambda row: (-row[1], row[0].int))
    return [
        Standing(rank, policy, mean, stddev, percentiles, matches)
        for rank, (policy, mean, stddev, percentiles, matches) in enumerate(rows, 1)
    ]


def mean_scores(matches: Iterable[PlayedMatch]) -> dict[uuid.UUID, float]:
    """Return the plain mean of each policy's match scores, as team seasons use it."""
    samples: dict[uuid.UUID, list[float]] = {}
    for match in matches:
        if match.is_scored:
            for seat in match.seats:
                assert seat.score is not None
                samples.setdefault(seat.policy_version_id, []).append(seat.score)
    return {policy: mean(scores) for policy, scores in samples.items()}


def survivors_of(rule: Elimination | None, scores: Mapping[uuid.UUID, float]) -> set[uuid.UUID]:
    """Return the policies that advance. Ties are ordered by id, so that the result is deterministic."""
    best_first = sorted(scores, key=lambda policy: (-scores[policy], policy.int))
    match rule:
        case None:
            return set(best_first)
        case Threshold():
            return {policy for policy in best_first if scores[policy] >= rule.min_score}
        case Fraction():
            return set(best_first[: max(1, int(len(best_first) * (1 - rule.fraction)))])
        case TopK():
            return set(best_first[: rule.max_policies])
        case AllOf():
            return set.intersection(*(survivors_of(part, scores) for part in rule.rules))


def team_score(matches: Iterable[PlayedMatch]) -> float | None:
    """Return the mean of all player scores of a team's matches; None without any."""
    scores = [seat.score for match in matches if match.is_scored for seat in match.seats if seat.score is not None]
    return mean(scores) if scores else None


def surviving_teams(scores: Mapping[uuid.UUID, float], cull_fraction: float) -> list[uuid.UUID]:
    """Return the teams that advance, best first; at least one."""
    ranked = ranked_teams(scores)
    return ranked[: max(1, int(len(ranked) * (1 - cull_fraction)))]


def ranked_teams(scores: Mapping[uuid.UUID, float]) -> list[uuid.UUID]:
    """Return teams by score, best first."""
    return sorted(scores, key=lambda team: (-scores[team], team.int))


def placements(
    teams: Mapping[uuid.UUID, Sequence[uuid.UUID]], scores: Mapping[uuid.UUID, float], top_k: int
) -> list[Placement]:
    """Return the final table: the sum of each policy's best `top_k` team ranks; a missing rank counts as last plus one.

    `teams` are the members of each final team, in which a policy counts once.
    """
    ranked = [team for team in ranked_teams(scores) if team in teams]
    ranks: dict[uuid.UUID, list[int]] = {member: [] for members in teams.values() for member in members}
    for rank, team in enumerate(ranked, 1):
        for member in set(teams[team]):
            ranks[member].append(rank)
    missing = len(ranked) + 1
    rows = []
    for policy, policy_ranks in ranks.items():
        best = sorted(policy_ranks)[:top_k]
        rows.append((float(sum(best) + missing * (top_k - len(best))), policy, tuple(sorted(policy_ranks))))
    rows.sort(key=lambda row: (row[0], row[1].int))
    return [
        Placement(rank, policy, score, policy_ranks, len(policy_ranks))
        for rank, (score, policy, policy_ranks) in enumerate(rows, 1)
    ]


def summary(
    scores: Sequence[float] | NDArray[np.float64], weights: Sequence[float] | NDArray[np.float64]
) -> tuple[float, float | None, dict[str, float] | None]:
    """Return the mean, the standard deviation and percentiles of scores with weights; their order does not matter."""
    import numpy as np

    score, part = np.asarray(scores, float), np.asarray(weights, float)
    weight = math.fsum(part.tolist())
    if weight <= 0:
        return 0.0, None, None
    mean = math.fsum((score * part).tolist()) / weight
    variance = math.fsum((part * (score - mean) ** 2).tolist()) / weight
    order = np.lexsort((part, score))
    cumulative = np.cumsum(part[order])
    # The smallest score that at least this part of the weight does not exceed.
    places = np.searchsorted(cumulative, [weight * percent / 100 - 1e-12 for percent in PERCENTILES])
    chosen = score[order[np.minimum(places, len(order) - 1)]].tolist()
    percentiles = {str(percent): value for percent, value in zip(PERCENTILES, chosen, strict=True)}
    return mean, math.sqrt(max(0.0, variance)), percentiles

"""Allocate seats to policies, and score policies by the rewards of matches.

counts = allocate_counts(8, [3, 5])                      # seats by weight
scores = compute_weighted_scores(policy_ids, matches)    # means over matches, by share of the seats
totals = VorTotals()                                     # value over replacement, scenario by scenario
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from mettagrid.simulator.multi_episode.rollout import MultiEpisodeRolloutResult

__all__ = [
    "ScoredMatchLike",
    "Scorer",
    "VorScenarioSummary",
    "VorTotals",
    "WeightedScorer",
    "allocate_counts",
    "compute_average_scores_per_agent",
    "compute_weighted_scores",
    "overall_value_over_replacement",
    "summarize_vor_scenario",
    "validate_proportions",
    "value_over_replacement",
]


def allocate_counts(total: int, weights: Sequence[float], *, allow_zero_total: bool = False) -> list[int]:
    """Share `total` seats by weight: the whole parts first, then one more to the largest remainders, lower index first.

    Raises ValueError for a negative total, and for weights that are negative, not finite, or all zero. With
    `allow_zero_total`, a total of zero accepts any weights.
    """
    if total == 0 and allow_zero_total:
        return [0] * len(weights)
    weight_sum = sum(weights)
    if total < 0 or not all(math.isfinite(weight) and weight >= 0 for weight in weights) or weight_sum <= 0:
        raise ValueError(f"Counts require a non-negative total and positive weights; got {total} and {list(weights)}.")
    shares = [total * weight / weight_sum for weight in weights]
    counts = [math.floor(share) for share in shares]
    by_remainder = sorted(range(len(weights)), key=lambda number: (counts[number] - shares[number], number))
    for number in by_remainder[: total - sum(counts)]:
        counts[number] += 1
    return counts


def validate_proportions(proportions: Sequence[float] | None, num_policies: int) -> None:
    """Raise ValueError unless there is one proportion for each policy, none negative, and their sum positive.

    None, for no proportions, is allowed.
    """
    if proportions is None:
        return
    usable = all(math.isfinite(proportion) and proportion >= 0 for proportion in proportions)
    if len(proportions) != num_policies or not usable or sum(proportions) <= 0:
        raise ValueError(
            "Proportions must match policy count and sum to a positive value; "
            f"got {list(proportions)} for {num_policies} policies."
        )


class ScoredMatchLike(Protocol):
    """A finished match: its assignments, and each policy's mean score and number of agents."""

    assignments: list[int]
    policy_version_ids: list[UUID]
    policy_scores: dict[UUID, float]
    policy_agent_counts: Mapping[UUID, int]


class Scorer(Protocol):
    """Computes one score per policy from matches."""

    def compute_scores(
        self, policy_version_ids: Sequence[UUID], matches: Sequence[ScoredMatchLike]
    ) -> dict[UUID, float]: ...


def compute_weighted_scores(
    policy_version_ids: Sequence[UUID], matches: Sequence[ScoredMatchLike]
) -> dict[UUID, float]:
    """Return each policy's mean score over its matches, weighted by its share of the agents; 0 without matches."""
    sums = dict.fromkeys(policy_version_ids, 0.0)
    weights = dict.fromkeys(policy_version_ids, 0.0)
    for match in matches:
        agents = sum(match.policy_agent_counts.values())
        for policy, score in match.policy_scores.items():
            count = match.policy_agent_counts.get(policy, 0)
            if policy in sums and count > 0:
                sums[policy] += score * (count / agents)
                weights[policy] += count / agents
    return {policy: sums[policy] / weights[policy] if weights[policy] else 0.0 for policy in sums}


class WeightedScorer:
    """`compute_weighted_scores` as a `Scorer`."""

    def compute_scores(
        self, policy_version_ids: Sequence[UUID], matches: Sequence[ScoredMatchLike]
    ) -> dict[UUID, float]:
        return compute_weighted_scores(policy_version_ids, matches)


def compute_average_scores_per_agent(
    total_scores: Mapping[UUID, float], agent_counts: Mapping[UUID, int]
) -> dict[UUID, float]:
    """Return each policy's total score divided by its number of agents, at least one."""
    return {policy: total / max(agent_counts.get(policy, 0), 1) for policy, total in total_scores.items()}


def value_over_replacement(candidate_score: float, replacement_score: float) -> float:
    """Return the candidate's score minus its replacement's."""
    return candidate_score - replacement_score


def overall_value_over_replacement(weighted_sum: float, total_agents: int, replacement_score: float) -> float | None:
    """Return the candidate's mean over all its agents minus the replacement's; None if it had no agents."""
    return None if total_agents <= 0 else value_over_replacement(weighted_sum / total_agents, replacement_score)


@dataclass(frozen=True)
class VorScenarioSummary:
    """The means of one scenario: of the candidate if it played, otherwise of all agents."""

    candidate_mean: float | None
    replacement_mean: float | None
    candidate_episode_count: int


@dataclass
class VorTotals:
    """Sums over scenarios: the three arguments of `overall_value_over_replacement`."""

    replacement_mean: float | None = None
    total_candidate_weighted_sum: float = 0.0
    total_candidate_agents: int = 0

    def update(self, candidate_count: int, summary: VorScenarioSummary) -> None:
        """Add a scenario with `candidate_count` seats for the candidate; zero seats set the replacement's mean."""
        if candidate_count == 0:
            self.replacement_mean = summary.replacement_mean
        elif summary.candidate_mean is not None:
            agents = candidate_count * summary.candidate_episode_count
            self.total_candidate_weighted_sum += summary.candidate_mean * agents
            self.total_candidate_agents += agents


def summarize_vor_scenario(
    rollout: MultiEpisodeRolloutResult, *, candidate_policy_index: int, candidate_count: int
) -> VorScenarioSummary:
    """Return the mean over episodes of the mean reward of the candidate's agents, or of all agents with zero seats."""
    means = []
    for episode in rollout.episodes:
        seats: Sequence[int] = range(len(episode.rewards))
        if candidate_count > 0:
            seats = [seat for seat in seats if episode.assignments[seat] == candidate_policy_index]
        if seats:
            means.append(sum(episode.rewards[seat] for seat in seats) / len(seats))
    mean = sum(means) / len(means) if means else None
    if candidate_count == 0:
        return VorScenarioSummary(None, mean, 0)
    return VorScenarioSummary(mean, None, len(means))

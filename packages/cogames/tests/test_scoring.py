"""Seats by weight, scores over matches, value over replacement."""

from dataclasses import dataclass, field
from uuid import UUID

import pytest

from metta_alo.scoring import (
    VorScenarioSummary,
    VorTotals,
    WeightedScorer,
    allocate_counts,
    compute_average_scores_per_agent,
    compute_weighted_scores,
    overall_value_over_replacement,
    summarize_vor_scenario,
    validate_proportions,
    value_over_replacement,
)
from mettagrid.simulator.multi_episode.rollout import EpisodeRolloutResult, MultiEpisodeRolloutResult

A, B, C = (UUID(int=number) for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("total", "weights", "counts"),
    [
        (8, [3, 5], [3, 5]),
        (4, [1, 1, 1], [2, 1, 1]),
        (3, [1, 1], [2, 1]),
        (7, [0.1, 0.2, 0.3], [1, 2, 4]),
        (10, [1] * 7, [2, 2, 2, 1, 1, 1, 1]),
        (5, [0, 1], [0, 5]),
        (0, [1, 1], [0, 0]),
    ],
)
def test_seats_are_allocated_by_weight_then_by_largest_remainder(total, weights, counts):
    assert allocate_counts(total, weights) == counts


@pytest.mark.parametrize(
    ("total", "weights"), [(-1, [1]), (5, []), (5, [0, 0]), (0, [0, 0]), (5, [3, -1]), (5, [float("nan"), 1])]
)
def test_seats_cannot_be_shared_by_nothing(total, weights):
    with pytest.raises(ValueError, match="Counts require a non-negative total and positive weights"):
        allocate_counts(total, weights)


def test_no_seats_can_be_shared_by_anything_when_asked_for():
    assert allocate_counts(0, [0, 0], allow_zero_total=True) == [0, 0]
    assert allocate_counts(0, [], allow_zero_total=True) == []


def test_there_is_a_proportion_for_each_policy():
    validate_proportions(None, 2)
    validate_proportions([1, 0], 2)
    for wrong in ([1], [], [0, 0], [1, -1], [float("inf"), 1]):
        with pytest.raises(ValueError, match="Proportions must match policy count and sum to a positive value"):
            validate_proportions(wrong, 2)


@dataclass
class Match:
    policy_scores: dict[UUID, float]
    policy_agent_counts: dict[UUID, int]
    assignments: list[int] = field(default_factory=list)
    policy_version_ids: list[UUID] = field(default_factory=list)


def test_scores_are_weighted_by_the_share_of_agents_in_each_match():
    matches = [Match({A: 3.0, B: 5.0}, {A: 5, B: 1}), Match({A: 9.0, B: 1.0}, {A: 1, B: 7})]
    scores = compute_weighted_scores([A, B, C], matches)
    assert scores == {A: pytest.approx(3.782608695652174), B: pytest.approx(1.64), C: 0.0}
    assert WeightedScorer().compute_scores([A, B, C], matches) == scores


def test_a_match_does_not_count_for_policies_without_agents_or_score():
    assert compute_weighted_scores([A, B], [Match({A: 2.0, B: 1.0}, {A: 3, B: 0})]) == {A: 2.0, B: 0.0}
    assert compute_weighted_scores([A, B], [Match({A: 2.0}, {A: 2, B: 1})]) == {A: 2.0, B: 0.0}
    assert compute_weighted_scores([A], []) == {A: 0.0}


def test_a_score_per_agent_needs_at_least_one():
    assert compute_average_scores_per_agent({A: 6.0, B: 4.0}, {A: 2}) == {A: 3.0, B: 4.0}


def test_value_over_replacement_is_a_difference():
    assert value_over_replacement(3, 1) == 2
    assert overall_value_over_replacement(10.0, 4, 1.0) == 1.5
    assert overall_value_over_replacement(10.0, 0, 1.0) is None


def episode(assignments, rewards):
    return EpisodeRolloutResult(
        assignments=assignments,
        rewards=rewards,
        action_timeouts=[0] * len(assignments),
        stats={"game": {}, "agent": [{} for _ in assignments]},
        replay_path=None,
        steps=1,
        max_steps=1,
    )


@pytest.fixture
def rollout():
    return MultiEpisodeRolloutResult(
        episodes=[episode([0, 0, 1, 1], [1, 2, 3, 4]), episode([1, 0, 1, 0], [5, 6, 7, 8]), episode([1] * 4, [1] * 4)]
    )


def test_a_scenario_is_the_mean_over_episodes_of_the_candidates_mean(rollout):
    candidate = summarize_vor_scenario(rollout, candidate_policy_index=0, candidate_count=2)
    assert candidate == VorScenarioSummary(candidate_mean=4.25, replacement_mean=None, candidate_episode_count=2)


def test_without_candidate_a_scenario_gives_the_replacements_mean(rollout):
    summary = summarize_vor_scenario(rollout, candidate_policy_index=0, candidate_count=0)
    assert summary == VorScenarioSummary(None, pytest.approx(10 / 3), 0)


def test_nothing_played_is_nothing_known():
    empty = MultiEpisodeRolloutResult(episodes=[])
    for count in (0, 1):
        summary = summarize_vor_scenario(empty, candidate_policy_index=0, candidate_count=count)
        assert summary == VorScenarioSummary(None, None, 0)


def test_totals_weigh_scenarios_by_agents_and_episodes():
    totals = VorTotals()
    totals.update(2, VorScenarioSummary(4.0, None, 3))
    totals.update(1, VorScenarioSummary(None, None, 0))
    totals.update(1, VorScenarioSummary(2.0, None, 2))
    totals.update(0, VorScenarioSummary(None, 1.5, 0))
    assert totals == VorTotals(1.5, 28.0, 8)
    overall = overall_value_over_replacement(
        totals.total_candidate_weighted_sum, totals.total_candidate_agents, totals.replacement_mean
    )
    assert overall == 2.0

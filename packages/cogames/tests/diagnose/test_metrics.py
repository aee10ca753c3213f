"""Metrics with limits are rates: they do not depend on how long or how often was played."""

import pytest

from cogames.diagnose.cases import DiagnoseCase
from cogames.diagnose.metrics import CaseOutcomes, by_mission, derive, measure_social, objective_by_mission
from mettagrid.runner.episode import Verdict


def test_rates_are_the_same_for_longer_and_for_more_episodes(episode, metrics_of):
    short = episode(steps=100, timeouts=5, moved=60, blocked=20, failed=10)
    long = episode(steps=1000, timeouts=50, moved=600, blocked=200, failed=100)
    once, often = metrics_of(short), metrics_of(long, long, long)
    for name in ("timeout_rate", "mean_move_success", "mean_action_failed", "non_zero_episode_pct"):
        assert once.value(name) == pytest.approx(often.value(name))
    assert once.timeout_rate == pytest.approx(0.05)
    assert once.mean_move_success == pytest.approx(0.75)
    assert once.mean_action_failed == pytest.approx(0.1)


def test_standing_still_is_a_mean_over_episodes_and_not_a_sum(episode, metrics_of):
    assert metrics_of(episode(stuck=40), episode(stuck=20)).mean_stuck_steps == pytest.approx(30)


def test_a_policy_that_never_tries_to_move_has_no_successful_moves(episode, metrics_of):
    assert metrics_of(episode(moved=0, blocked=0)).mean_move_success == 0


def test_steps_after_a_policy_broke_count_as_unanswered(episode, metrics_of):
    crashed = episode(steps=100, verdicts=[Verdict(status="crashed", message="ValueError: no", step=60)])
    never_began = episode(steps=100, verdicts=[Verdict(status="killed", step=None)])
    assert metrics_of(crashed).timeout_rate == pytest.approx(0.4)
    assert metrics_of(never_began).timeout_rate == pytest.approx(1.0)
    assert metrics_of(crashed, episode(steps=100)).statistics.crashed_episodes == 1


def test_the_variance_of_rewards_is_that_of_a_sample_and_its_variation_has_no_unit(episode, metrics_of):
    small = metrics_of(episode(rewards=0.1), episode(rewards=0.2), episode(rewards=0.3))
    large = metrics_of(episode(rewards=10.0), episode(rewards=20.0), episode(rewards=30.0))
    assert small.reward_variance == pytest.approx(0.01)
    assert large.reward_variance == pytest.approx(100.0)
    assert small.statistics.reward_variation == pytest.approx(large.statistics.reward_variation) == pytest.approx(0.25)


def test_one_episode_has_no_variance(episode, metrics_of):
    alone = metrics_of(episode(rewards=5.0))
    assert (alone.reward_variance, alone.statistics.reward_variation) == (0.0, 0.0)


def test_rewards_that_cancel_out_have_the_largest_variation(episode, metrics_of):
    assert metrics_of(episode(rewards=1.0), episode(rewards=-1.0)).statistics.reward_variation == 100.0


def test_each_copy_is_measured_by_its_own_seats(episode):
    beside = episode((0, 1, 1), rewards=(6.0, 1.0, 3.0))
    played = CaseOutcomes(DiagnoseCase("eval_balanced_spread", 3), [beside])
    assert [measure_social(played, copy).policy_reward_mean for copy in (0, 1)] == [6.0, 2.0]
    assert [measure_social(played, copy).statistics.agent_steps for copy in (0, 1)] == [100, 200]


def test_the_objective_is_what_the_teams_of_the_policies_hold(episode):
    case = DiagnoseCase("eval_balanced_spread", 2)
    played = [CaseOutcomes(case, [episode(held=100.0), episode(held=300.0)], ["cogs"])]
    assert objective_by_mission(played) == {"eval_balanced_spread": 200.0}
    assert objective_by_mission([CaseOutcomes(case, [episode()], ["others"])]) == {}


def test_derived_metrics_are_means_over_cases(episode, metrics_of):
    entries = [metrics_of(episode(timeouts=10)), metrics_of(episode(timeouts=30), mission="eval_clip_oxygen")]
    assert derive(entries, ["timeout_rate"]) == {"timeout_rate": pytest.approx(0.2)}
    assert list(by_mission(entries)) == ["eval_balanced_spread", "eval_clip_oxygen"]
    assert derive([]) == dict.fromkeys(derive(entries), 0.0)

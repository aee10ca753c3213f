"""Means over episodes, with the published meaning."""

import pytest

from mettagrid.runner.statistics import bootstrap_interval, mean_interval, mission_statistics
from mettagrid.simulator.multi_episode.rollout import EpisodeRolloutResult, MultiEpisodeRolloutResult
from mettagrid.simulator.multi_episode.summary import build_multi_episode_rollout_summaries


def episode(assignments, rewards, game=None, agents=None, timeouts=None, averages=None):
    return EpisodeRolloutResult(
        assignments=assignments,
        rewards=rewards,
        action_timeouts=timeouts or [0] * len(assignments),
        stats={"game": game or {}, "agent": agents or [{} for _ in assignments]},
        replay_path=None,
        steps=5,
        max_steps=10,
        time_averaged_game_stats=averages or {},
    )


@pytest.fixture
def episodes():
    return [
        episode([0, 0, 1], [1, 2, 3], {"a": 1, "b": 2}, [{"x": 1}, {"x": 2, "y": 1}, {"x": 4}], [1, 0, 2], {"q": 1}),
        episode([0, 1, 1], [4, 5, 6], {"a": 3, "c": 1}, [{"x": 1}, {"x": 3}, {"x": 5}], [0, 1, 1], {"r": 2}),
    ]


def test_a_summary_has_the_published_numbers(episodes):
    (summary,) = build_multi_episode_rollout_summaries([MultiEpisodeRolloutResult(episodes=episodes)], 3)
    assert summary.model_dump() == {
        "episodes": 2,
        "policy_summaries": [
            {"agent_count": 2, "avg_agent_metrics": {"x": 2.0, "y": 0.5}, "action_timeouts": 1},
            # Agents are counted in the first episode, and nothing is divided by the number of episodes.
            {"agent_count": 1, "avg_agent_metrics": {"x": 12.0}, "action_timeouts": 4},
            {"agent_count": 0, "avg_agent_metrics": {}, "action_timeouts": 0},
        ],
        "avg_game_stats": {"a": 2.0, "b": 1.0, "c": 0.5},
        "avg_time_averaged_game_stats": {"q": 0.5, "r": 1.0},
        "per_episode_per_policy_avg_rewards": {0: [1.5, 3.0, None], 1: [4.0, 5.5, None]},
    }


def test_episodes_are_text_keys_in_json(episodes):
    (summary,) = build_multi_episode_rollout_summaries([MultiEpisodeRolloutResult(episodes=episodes)], 2)
    assert '"per_episode_per_policy_avg_rewards":{"0":[1.5,3.0],"1":[4.0,5.5]}' in summary.model_dump_json()


def test_there_is_a_summary_for_each_mission_and_none_for_no_missions():
    assert build_multi_episode_rollout_summaries([], 2) == []
    with pytest.raises(ValueError, match="no episodes"):
        build_multi_episode_rollout_summaries([MultiEpisodeRolloutResult(episodes=[])], 2)


def test_an_agent_of_a_policy_that_is_not_there_is_refused(episodes):
    with pytest.raises(ValueError, match="1 policies"):
        build_multi_episode_rollout_summaries([MultiEpisodeRolloutResult(episodes=episodes)], 1)


@pytest.mark.parametrize(
    ("values", "low", "high"),
    # Mean plus and minus t(0.975, n - 1) times the standard error; t from printed tables.
    [
        ([1.0, 3.0], 2 - 12.7062, 2 + 12.7062),
        ([1.0, 2.0, 3.0, 4.0, 5.0], 3 - 2.776445 * 0.5**0.5, 3 + 2.776445 * 0.5**0.5),
    ],
)
def test_the_interval_of_a_mean_is_students(values, low, high):
    interval = mean_interval(values)
    assert (interval.low, interval.high) == (pytest.approx(low, rel=1e-5), pytest.approx(high, rel=1e-5))
    assert interval.count == len(values)


def test_one_value_has_no_interval_and_none_has_no_mean():
    assert mean_interval([4.0]).model_dump(include={"mean", "low", "high"}) == {"mean": 4.0, "low": None, "high": None}
    assert mean_interval([]).mean is None


def test_equal_values_have_an_interval_of_no_width():
    interval = mean_interval([2.5] * 6)
    assert (interval.low, interval.mean, interval.high) == (2.5, 2.5, 2.5)


def test_the_interval_of_any_number_comes_from_resampled_episodes_and_repeats():
    rows = [(1.0, 2.0), (2.0, 5.0), (4.0, 6.0), (3.0, 3.0), (8.0, 9.0)]

    def ratio(rows):
        return sum(a for a, _ in rows) / sum(b for _, b in rows)

    interval = bootstrap_interval(rows, ratio)
    assert interval == bootstrap_interval(rows, ratio)
    assert interval.mean == pytest.approx(18 / 25)
    assert interval.low < interval.mean < interval.high
    wider = bootstrap_interval(rows, ratio, level=0.99)
    assert wider.low <= interval.low and wider.high >= interval.high


def test_resamples_that_say_nothing_do_not_count():
    interval = bootstrap_interval([0, 1, 1, 1], lambda rows: None if 0 in rows else 1.0)
    assert (interval.mean, interval.low, interval.high) == (None, 1.0, 1.0)
    assert bootstrap_interval([0, 0], lambda rows: None).low is None


def test_statistics_of_a_mission_count_episodes_and_not_agents(episodes):
    statistics = mission_statistics(episodes, 3)
    first, second, third = statistics.policies
    assert first.reward == mean_interval([1.5, 4.0])
    assert second.agent_metrics["x"] == mean_interval([4.0, 4.0])
    assert first.agent_metrics["y"] == mean_interval([0.5, 0.0])
    assert second.timeouts_per_episode.mean == 2.0
    assert (third.reward.mean, third.agent_metrics) == (None, {})
    assert list(statistics.game_stats) == ["a", "b", "c"]
    assert statistics.game_stats["b"] == mean_interval([2.0, 0.0])

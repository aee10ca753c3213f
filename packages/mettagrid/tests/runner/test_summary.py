"""Means over episodes, with the published meaning."""

import pytest

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

"""Statistics of a mission count episodes, not agents."""

from cogames.episodes.statistics import mission_statistics
from mettagrid.simulator.multi_episode.rollout import EpisodeRolloutResult
from softmax.stats import estimate_mean


def episode(assignments, rewards, game, agents, timeouts, averages):
    return EpisodeRolloutResult(
        assignments=assignments,
        rewards=rewards,
        action_timeouts=timeouts,
        stats={"game": game, "agent": agents},
        replay_path=None,
        steps=5,
        max_steps=10,
        time_averaged_game_stats=averages,
    )


EPISODES = [
    episode([0, 0, 1], [1, 2, 3], {"a": 1, "b": 2}, [{"x": 1}, {"x": 2, "y": 1}, {"x": 4}], [1, 0, 2], {"q": 1}),
    episode([0, 1, 1], [4, 5, 6], {"a": 3, "c": 1}, [{"x": 1}, {"x": 3}, {"x": 5}], [0, 1, 1], {"r": 2}),
]


def test_statistics_of_a_mission_count_episodes_and_not_agents():
    statistics = mission_statistics(EPISODES, 3)
    first, second, third = statistics.policies
    assert first.reward == estimate_mean([1.5, 4.0])
    assert second.agent_metrics["x"] == estimate_mean([4.0, 4.0])
    assert first.agent_metrics["y"] == estimate_mean([0.5, 0.0])
    assert second.timeouts_per_episode.mean == 2.0
    assert (third.reward.mean, third.agent_metrics) == (None, {})
    assert list(statistics.game_stats) == ["a", "b", "c"]
    assert statistics.game_stats["b"] == estimate_mean([2.0, 0.0])

"""Print the results of an evaluation as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cogames.commands.shared.failures import OUTCOME_COLUMNS, outcome_cells
from softmax.cli.output import command_line, decimal, print_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cogames.episodes.evaluation import Evaluation
    from softmax.stats import Estimate

__all__ = ["bounds", "number", "print_evaluation", "print_replays"]

INTERVAL = "95% Interval"
SMALL = 0.1
"""intervals that reach this far from 0 have two decimals at both ends"""


def print_evaluation(result: Evaluation) -> None:
    """Print the seats of each policy, mean stats with their intervals, and the rewards of every episode."""
    names = result.policy_names
    print_table(
        ["Mission", "Policy", "Num Agents", *OUTCOME_COLUMNS],
        [
            (m.name, name, m.counts[number], *outcome_cells(m.outcomes, number))
            for m in result.missions
            for number, name in enumerate(names)
        ],
        title="Policy Assignments",
        right=[2, 4],
    )
    _print_means("Average Game Stats", [(m.name, m.statistics.game_stats) for m in result.missions])
    for index, name in enumerate(names):
        _print_means(
            f"Average Policy Stats: {name} (per agent and episode)",
            [(m.name, m.statistics.policies[index].agent_metrics) for m in result.missions],
        )
    _print_rewards(result)
    _print_timeouts(result)
    print_replays(result.replays)


def print_replays(paths: Sequence[str]) -> None:
    """Print how many replays were saved, and the command that opens one."""
    if paths:
        count = "1 replay" if len(paths) == 1 else f"{len(paths)} replays"
        print(f"\nSaved {count}. To watch one, run:\n{command_line('cogames', 'replay', paths[0])}")


def number(value: float | None) -> str:
    return "-" if value is None else decimal(value)


def bounds(interval: Estimate) -> str:
    """Format an interval; `-` for a single episode, which has no bounds."""
    if interval.low is None or interval.high is None:
        return "-"
    ends = (interval.low, interval.high)
    is_small = max(map(abs, ends)) < SMALL
    low, high = (decimal(end) if is_small else f"{round(end, 2) + 0.0:.2f}" for end in ends)
    return f"[{low}, {high}]"


def _print_means(title: str, missions: Sequence[tuple[str, Mapping[str, Estimate]]]) -> None:
    rows = [
        (mission, name, number(interval.mean), bounds(interval))
        for mission, stats in missions
        for name, interval in stats.items()
    ]
    print_table(["Mission", "Metric", "Average", INTERVAL], rows, title=title, right=[2, 3])


def _print_rewards(result: Evaluation) -> None:
    rows: list[Sequence[object]] = []
    for mission in result.missions:
        for episode, rewards in mission.summary.per_episode_per_policy_avg_rewards.items():
            rows.append((mission.name, episode, *map(number, rewards)))
        means = [policy.reward for policy in mission.statistics.policies]
        rows.append((mission.name, "mean", *(number(mean.mean) for mean in means)))
        rows.append((mission.name, INTERVAL, *map(bounds, means)))
    columns = range(1, 2 + len(result.policy_names))
    print_table(["Mission", "Episode", *result.policy_names], rows, title="Average Per-Agent Reward", right=[*columns])


def _print_timeouts(result: Evaluation) -> None:
    rows = [
        (mission.name, name, policy.action_timeouts)
        for mission in result.missions
        for name, policy in zip(result.policy_names, mission.summary.policy_summaries, strict=True)
    ]
    if any(count for _, _, count in rows):
        print_table(["Mission", "Policy", "Timeouts"], rows, title="Action Generation Timeouts per Policy", right=[2])

"""Metrics of a policy over the episodes of a case, independent of the number of steps and episodes.

`timeout_rate`, `mean_move_success` and `mean_action_failed` are rates; `mean_stuck_steps` counts steps of one episode.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import variance
from typing import TypeVar

from pydantic import BaseModel

from cogames.diagnose.cases import DiagnoseCase
from cogames.diagnose.numbers import mean
from mettagrid.runner.episode.outcome import EpisodeOutcome

MAX_VARIATION = 100.0
OBJECTIVE = "aligned.junction.held"

RATES = (
    "reward_variance",
    "non_zero_episode_pct",
    "timeout_rate",
    "mean_move_success",
    "mean_action_failed",
    "mean_stuck_steps",
)
"""Names of the published metrics."""


@dataclass(frozen=True)
class CaseOutcomes:
    """The episodes of one case. `teams` are the teams of the policies."""

    case: DiagnoseCase
    outcomes: Sequence[EpisodeOutcome]
    teams: Sequence[str] = ()


class CaseStatistics(BaseModel):
    """Statistics beyond the published metrics.

    `reward_variation` is the variance of the rewards divided by the square of their mean, so it does not depend on the
    scale of a mission's rewards; `steps` is the mean length of an episode; `crashed_episodes` are episodes that the
    policy did not play to the end.
    """

    cogs: int
    episodes: int
    steps: float
    agent_steps: int
    reward_mean: float
    reward_variation: float
    crashed_episodes: int


class MissionMetrics(BaseModel):
    """One policy in one case. Rewards are means over its agents, one for each episode.

    - `reward_variance`: sample variance of the rewards, 0 for fewer than two episodes
    - `non_zero_episode_pct`: percentage of episodes with a reward other than 0
    - `timeout_rate`: fraction of agent steps without a usable action (late, or after the policy crashed)
    - `mean_move_success`: fraction of attempted moves that succeeded; 0 without attempts
    - `mean_action_failed`: failed actions as a fraction of agent steps
    - `mean_stuck_steps`: longest time that an agent stood still, mean over agents and episodes
    """

    mission_name: str
    reward_variance: float
    non_zero_episode_pct: float
    timeout_rate: float
    mean_move_success: float
    mean_action_failed: float
    mean_stuck_steps: float
    statistics: CaseStatistics

    def value(self, name: str) -> float:
        """Return a metric or statistic by its name."""
        source = self if name in type(self).model_fields else self.statistics
        return float(getattr(source, name))


class SocialMetrics(MissionMetrics):
    """Mission metrics of stage 2."""

    policy_reward_mean: float


MetricsT = TypeVar("MetricsT", bound=MissionMetrics)


def measure(played: CaseOutcomes, policy: int = 0) -> MissionMetrics:
    """Return the metrics of one policy; it must have had a seat."""
    tallies = [_Tally(outcome, policy) for outcome in played.outcomes]
    rewards = [tally.reward for tally in tallies]
    agent_steps = sum(tally.agent_steps for tally in tallies)
    moved = sum(tally.stat("action.move.success") for tally in tallies)
    blocked = sum(tally.stat("action.move.failed") for tally in tallies)
    seats = sum(len(tally.agents) for tally in tallies)
    return MissionMetrics(
        mission_name=played.case.mission,
        reward_variance=variance(rewards) if len(rewards) > 1 else 0.0,
        non_zero_episode_pct=100.0 * mean([float(reward != 0) for reward in rewards]),
        timeout_rate=_share(sum(tally.unanswered for tally in tallies), agent_steps),
        mean_move_success=_share(moved, moved + blocked),
        mean_action_failed=_share(sum(tally.stat("action.failed") for tally in tallies), agent_steps),
        mean_stuck_steps=_share(sum(tally.stat("status.max_steps_without_motion") for tally in tallies), seats),
        statistics=CaseStatistics(
            cogs=played.case.cogs,
            episodes=len(tallies),
            steps=mean([float(outcome.steps) for outcome in played.outcomes]),
            agent_steps=agent_steps,
            reward_mean=mean(rewards),
            reward_variation=_variation(rewards),
            crashed_episodes=sum(not outcome.verdicts[policy].played_to_the_end for outcome in played.outcomes),
        ),
    )


def measure_social(played: CaseOutcomes, policy: int = 0) -> SocialMetrics:
    metrics = measure(played, policy)
    fields = {name: getattr(metrics, name) for name in MissionMetrics.model_fields}
    return SocialMetrics(**fields, policy_reward_mean=metrics.statistics.reward_mean)


def has_seats(played: CaseOutcomes, policy: int) -> bool:
    return any(policy in outcome.assignments for outcome in played.outcomes)


def by_mission(metrics: Iterable[MetricsT]) -> dict[str, list[MetricsT]]:
    """Group metrics by the name of their mission."""
    table: dict[str, list[MetricsT]] = {}
    for entry in metrics:
        table.setdefault(entry.mission_name, []).append(entry)
    return table


def derive(metrics: Sequence[MissionMetrics], names: Sequence[str] = RATES) -> dict[str, float]:
    """Return the mean of each metric over cases."""
    return {name: mean([entry.value(name) for entry in metrics]) for name in names}


def objective_by_mission(played: Sequence[CaseOutcomes]) -> dict[str, float]:
    """Return the tournament objective: junctions held by the policies' teams, summed over the steps of an episode.

    Values are means over episodes and teams; missions without that count are omitted.
    """
    values: dict[str, list[float]] = {}
    for entry in played:
        for outcome in entry.outcomes:
            held = _objective(outcome.stats["game"], entry.teams)
            if held is not None:
                values.setdefault(entry.case.mission, []).append(held)
    return {mission: mean(held) for mission, held in values.items()}


def _objective(game: Mapping[str, float], teams: Sequence[str]) -> float | None:
    held = [game[name] for team in teams if (name := f"{team}/{OBJECTIVE}") in game]
    return mean(held) if held else None


class _Tally:
    """One policy's part of one episode."""

    def __init__(self, outcome: EpisodeOutcome, policy: int) -> None:
        self._outcome = outcome
        self.agents = [agent for agent, assigned in enumerate(outcome.assignments) if assigned == policy]
        self.reward = mean([outcome.rewards[agent] for agent in self.agents])
        self.agent_steps = outcome.steps * len(self.agents)
        verdict = outcome.verdicts[policy]
        lost = 0 if verdict.played_to_the_end else (outcome.steps - (verdict.step or 0)) * len(self.agents)
        self.unanswered = sum(outcome.action_timeouts[agent] for agent in self.agents) + lost

    def stat(self, name: str) -> float:
        return sum(self._outcome.stats["agent"][agent].get(name, 0.0) for agent in self.agents)


def _share(part: float, total: float) -> float:
    return part / total if total else 0.0


def _variation(rewards: Sequence[float]) -> float:
    spread = variance(rewards) if len(rewards) > 1 else 0.0
    if spread == 0:
        return 0.0
    size = mean(rewards) ** 2
    return min(spread / size, MAX_VARIATION) if size > spread / MAX_VARIATION else MAX_VARIATION

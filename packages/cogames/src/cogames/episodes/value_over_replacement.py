"""Measure what a policy adds to a team: value over replacement (VOR).

The candidate has all N seats, then N-1, ..., then none; the pool has the others. VOR is the mean reward of its agents
minus the mean reward of agents in the scenario without it.

    result = measure(mission, parse_policy_spec("starter"), [parse_policy_spec("random")], episodes=5)
    print(result.overall_vor)
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cogames.episodes.evaluation import Progress, plan, play
from cogames.episodes.settings import PlaySettings, sources, unique_names
from cogames.missions.arguments import ChosenMission
from cogames.missions.files import is_mission_file
from metta_alo.scoring import (
    VorTotals,
    allocate_counts,
    overall_value_over_replacement,
    summarize_vor_scenario,
    value_over_replacement,
)
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import EpisodeOutcome, rollout_result
from softmax.stats import Estimate, bootstrap_estimate, estimate_mean

__all__ = ["Pickup", "Scenario", "measure"]

CANDIDATE = 0


@dataclass(frozen=True)
class Scenario:
    """One assignment of seats. `score` is the mean of the candidate's agents, or of all agents if it has no seat."""

    name: str
    candidate_count: int
    pool_counts: list[int]
    score: float
    outcomes: list[EpisodeOutcome]

    @property
    def scores(self) -> list[float]:
        """Return the score of each episode."""
        agents_of = [_agents(outcome, self.candidate_count > 0) for outcome in self.outcomes]
        pairs = zip(self.outcomes, agents_of, strict=True)
        return [sum(outcome.rewards[agent] for agent in agents) / len(agents) for outcome, agents in pairs]


@dataclass(frozen=True)
class Pickup:
    """The scenarios from all seats down to none, and their combined result."""

    mission: str
    cogs: int
    episodes: int
    seed: int
    candidate: str
    pool: list[str]
    scenarios: list[Scenario]
    replacement_mean: float
    overall_vor: float | None

    def vor(self, scenario: Scenario) -> float:
        return value_over_replacement(scenario.score, self.replacement_mean)

    @property
    def outcomes(self) -> list[EpisodeOutcome]:
        return [outcome for scenario in self.scenarios for outcome in scenario.outcomes]

    def score_interval(self, scenario: Scenario) -> Estimate:
        return estimate_mean(scenario.scores)

    def vor_interval(self, scenario: Scenario) -> Estimate:
        """Estimate VOR; episode k has the same map and seed in all scenarios, so resamples draw them together."""
        return bootstrap_estimate(self._rows(), lambda rows: _mean([row[scenario.name] for row in rows]) - _base(rows))

    def overall_interval(self) -> Estimate:
        return bootstrap_estimate(self._rows(), self._overall)

    def document(self) -> dict[str, Any]:
        """Return the result as `pickup --format` prints it."""
        return {
            "mission_name": self.mission,
            "cogs": self.cogs,
            "episodes": self.episodes,
            "seed": self.seed,
            "candidate": self.candidate,
            "pool": self.pool,
            "scenarios": [
                {
                    "name": scenario.name,
                    "candidate_count": scenario.candidate_count,
                    "pool_counts": scenario.pool_counts,
                    "score": scenario.score,
                    "vor": self.vor(scenario) if scenario.candidate_count else None,
                }
                for scenario in self.scenarios
            ],
            "replacement_mean": self.replacement_mean,
            "overall_vor": self.overall_vor,
            "statistics": {
                "overall_vor": self.overall_interval().model_dump(),
                "scenarios": [self._statistics(scenario) for scenario in self.scenarios],
            },
        }

    def _statistics(self, scenario: Scenario) -> dict[str, Any]:
        vor = self.vor_interval(scenario).model_dump() if scenario.candidate_count else None
        verdicts = [[verdict.model_dump() for verdict in outcome.verdicts] for outcome in scenario.outcomes]
        return {
            "name": scenario.name,
            "score": self.score_interval(scenario).model_dump(),
            "vor": vor,
            "episode_scores": scenario.scores,
            "verdicts": verdicts,
        }

    def _rows(self) -> list[dict[str, float]]:
        """Return the scores of all scenarios in each episode."""
        by_scenario = {scenario.name: scenario.scores for scenario in self.scenarios}
        rows = [{name: scores[number] for name, scores in by_scenario.items()} for number in range(self.episodes)]
        return [{**row, _BASE: row[self.scenarios[-1].name]} for row in rows]

    def _overall(self, rows: Sequence[dict[str, float]]) -> float:
        seats = {scenario.name: scenario.candidate_count for scenario in self.scenarios}
        total = sum(count * row[name] for row in rows for name, count in seats.items())
        return total / (len(rows) * sum(seats.values())) - _base(rows)


_BASE = ""  # no scenario has this name


def measure(
    mission: ChosenMission,
    candidate: PolicySpec,
    pool: Sequence[PolicySpec],
    *,
    episodes: int = 1,
    seed: int = 50,
    settings: PlaySettings | None = None,
    on_progress: Progress | None = None,
) -> Pickup:
    """Play all scenarios of a mission with the same seeds; set the mission's map seed to use one map for all."""
    settings = settings or PlaySettings()
    players = sources([candidate, *pool], settings)
    agents = mission.env.game.num_agents
    rng = random.Random(seed)
    counts = [
        [seats, *allocate_counts(agents - seats, [1.0] * len(pool), allow_zero_total=True)]
        for seats in range(agents, -1, -1)
    ]
    plans = []
    for shares in counts:
        assignments = [policy for policy, count in enumerate(shares) for _ in range(count)]
        plans.append(plan(mission, players, assignments, episodes=episodes, seed=seed, settings=settings, rng=rng))
    played = play(plans, settings, on_progress)
    label = Path(mission.name).stem if is_mission_file(mission.name) else mission.name.rpartition(".")[2]
    totals = VorTotals()
    scenarios = []
    for (seats, *rest), outcomes in zip(counts, played, strict=True):
        summary = summarize_vor_scenario(
            rollout_result(outcomes), candidate_policy_index=CANDIDATE, candidate_count=seats
        )
        totals.update(seats, summary)
        score = summary.candidate_mean if seats else summary.replacement_mean
        assert score is not None
        name = f"{label}-c{seats}-r{agents - seats}"
        scenarios.append(Scenario(name, seats, rest, score, outcomes))
    assert totals.replacement_mean is not None
    names = unique_names([policy.name for policy in (candidate, *pool)])
    return Pickup(
        mission=mission.name,
        cogs=agents,
        episodes=episodes,
        seed=seed,
        candidate=names[0],
        pool=names[1:],
        scenarios=scenarios,
        replacement_mean=totals.replacement_mean,
        overall_vor=overall_value_over_replacement(
            totals.total_candidate_weighted_sum, totals.total_candidate_agents, totals.replacement_mean
        ),
    )


def _agents(outcome: EpisodeOutcome, of_candidate: bool) -> list[int]:
    seats = range(len(outcome.rewards))
    return [seat for seat in seats if not of_candidate or outcome.assignments[seat] == CANDIDATE]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _base(rows: Sequence[dict[str, float]]) -> float:
    return _mean([row[_BASE] for row in rows])

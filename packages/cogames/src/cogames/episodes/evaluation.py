"""Evaluate policies on missions.

    missions = choose_missions(["arena"])
    result = evaluate(missions, [parse_policy_spec("starter"), parse_policy_spec("random:3")], episodes=20)
    print(result.missions[0].statistics.policies[0].reward)

The policies share the seats of a mission by their proportions; seats are shuffled before every episode. The same
arguments give the same results with any number of workers.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cogames.episodes.executors import LocalExecutor
from cogames.episodes.settings import PlaySettings, sources, unique_names
from cogames.episodes.statistics import MissionStatistics, mission_statistics
from cogames.missions.arguments import ChosenMission
from cogames.missions.bitworld import BitWorldMission
from metta_alo.scoring import allocate_counts
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import (
    EpisodeOutcome,
    EpisodePlan,
    PolicySource,
    plan_episodes,
    rollout_result,
)
from mettagrid.simulator.multi_episode.summary import (
    MultiEpisodeRolloutSummary,
    build_multi_episode_rollout_summaries,
)

__all__ = ["Evaluation", "MissionEvaluation", "PlaySettings", "assignments_for", "evaluate", "plan", "play"]

Progress = Callable[[int, int], None]
"""called with the number of episodes done and the total"""


@dataclass(frozen=True)
class MissionEvaluation:
    """One mission. `counts` are the seats of each policy; `summary` has the published keys with their meaning."""

    name: str
    counts: list[int]
    outcomes: list[EpisodeOutcome]
    summary: MultiEpisodeRolloutSummary
    statistics: MissionStatistics

    @property
    def replays(self) -> list[str]:
        return [outcome.replay_path for outcome in self.outcomes if outcome.replay_path is not None]


@dataclass(frozen=True)
class Evaluation:
    """Results by mission, in the given order. `policy_names` are unique: a repeated name gets a number."""

    policy_names: list[str]
    missions: list[MissionEvaluation]

    @property
    def replays(self) -> list[str]:
        return [path for mission in self.missions for path in mission.replays]

    def document(self) -> dict[str, Any]:
        """Return the result as `run --format` prints it: the published keys, then `statistics` with everything else."""
        return {
            "missions": [
                {"mission_name": mission.name, "mission_summary": mission.summary.model_dump()}
                for mission in self.missions
            ],
            "statistics": {
                "policies": self.policy_names,
                "missions": [self._statistics(mission) for mission in self.missions],
            },
        }

    def _statistics(self, mission: MissionEvaluation) -> dict[str, Any]:
        return {
            "mission_name": mission.name,
            **mission.statistics.model_dump(),
            "episodes": [
                {
                    "seed": outcome.seed,
                    "steps": outcome.steps,
                    "assignments": outcome.assignments,
                    "rewards": outcome.rewards,
                    "verdicts": [verdict.model_dump() for verdict in outcome.verdicts],
                    "last_words": outcome.last_words,
                    **({} if outcome.replay_path is None else {"replay": outcome.replay_path}),
                }
                for outcome in mission.outcomes
            ],
        }


def evaluate(
    missions: Sequence[ChosenMission | BitWorldMission],
    policies: Sequence[PolicySpec],
    *,
    proportions: Sequence[float] | None = None,
    episodes: int = 10,
    seed: int = 42,
    settings: PlaySettings | None = None,
    on_progress: Progress | None = None,
) -> Evaluation:
    """Play `episodes` episodes of every mission with seeds from `seed` on.

    `proportions` default to those of the policies that have one, otherwise all are equal. Maps without their own seed
    use the seed of the episode.
    """
    settings = settings or PlaySettings()
    players = sources(policies, settings)
    if proportions is None:
        proportions = [getattr(policy, "proportion", 1.0) for policy in policies]
    plans: list[list[EpisodePlan]] = []
    for mission in missions:
        seats = assignments_for(mission.env.num_agents, proportions)
        plans.append(plan(mission, players, seats, episodes=episodes, seed=seed, settings=settings))
    outcomes = play(plans, settings, on_progress)
    return Evaluation(
        unique_names([policy.name for policy in policies]),
        [_summed_up(mission.name, played, len(policies)) for mission, played in zip(missions, outcomes, strict=True)],
    )


def assignments_for(agents: int, proportions: Sequence[float]) -> list[int]:
    """Return the policy of each agent before shuffling: all seats of the first policy, then of the second, ..."""
    counts = allocate_counts(agents, proportions)
    return [policy for policy, count in enumerate(counts) for _ in range(count)]


def plan(
    mission: ChosenMission | BitWorldMission,
    players: Sequence[PolicySpec | PolicySource],
    seats: Sequence[int],
    *,
    episodes: int,
    seed: int,
    settings: PlaySettings,
    rng: random.Random | None = None,
) -> list[EpisodePlan]:
    """Plan episodes with the seeds `seed`, `seed + 1`, ... and seats that are shuffled before each."""
    folder = settings.replay_dir
    suffix = ".bitreplay" if isinstance(mission, BitWorldMission) else ".json.z"
    return plan_episodes(
        mission.env,
        players,
        seats,
        episodes=episodes,
        seed=seed,
        rng=rng,
        replay_paths=None if folder is None else [folder / f"{uuid.uuid4()}{suffix}" for _ in range(episodes)],
        max_action_time_ms=settings.action_timeout_ms,
        device=settings.device,
    )


def play(
    plans: Sequence[Sequence[EpisodePlan]], settings: PlaySettings, on_progress: Progress | None = None
) -> list[list[EpisodeOutcome]]:
    """Play all plans, and return the outcomes in the same lists."""
    if settings.replay_dir is not None:
        settings.replay_dir.mkdir(parents=True, exist_ok=True)
    flat = [episode for part in plans for episode in part]
    done = 0

    def tell(number: int, outcome: EpisodeOutcome) -> None:
        nonlocal done
        done += 1
        if on_progress is not None:
            on_progress(done, len(flat))

    executor = settings.executor or LocalExecutor(settings.workers)
    outcomes = iter(executor.play(flat, on_progress=tell))
    return [[next(outcomes) for _ in part] for part in plans]


def _summed_up(name: str, outcomes: list[EpisodeOutcome], num_policies: int) -> MissionEvaluation:
    results = rollout_result(outcomes)
    counts = [outcomes[0].assignments.count(policy) for policy in range(num_policies)]
    summary = build_multi_episode_rollout_summaries([results], num_policies)[0]
    return MissionEvaluation(name, counts, outcomes, summary, mission_statistics(results.episodes, num_policies))

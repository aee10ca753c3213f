"""The stages of a team season: which pools they read and write, and how far they are."""

from __future__ import annotations

import itertools
import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from observatory.seasons.config import (
    PolicyEval,
    SampleTeams,
    ScorePolicies,
    Stage,
    TeamConfig,
    TeamEval,
    elimination_sentence,
)

__all__ = ["PlannedStage", "PoolFacts", "StageStatus", "combination_key", "plan_stages", "stage_states"]

ENTRY_POOL = "stage-1"
SAMPLE_POOL = "sample-1"
SCORE_POOL = "policy-scores-1"


class StageStatus(StrEnum):
    """How far a stage is."""

    COMPLETE = "complete"
    """its output is there"""
    ACTIVE = "active"
    """the first that is not complete"""
    PENDING = "pending"
    """waits for those before it"""


@dataclass(frozen=True)
class PlannedStage:
    """A stage in its place; `index` counts from 1."""

    index: int
    stage: Stage
    input_pool: str
    output_pool: str

    @property
    def description(self) -> str:
        stage = self.stage
        match stage:
            case PolicyEval():
                players = (
                    "policy plays alone" if stage.policies_per_team == 1 else f"{stage.policies_per_team} play together"
                )
                each = "Each" if stage.policies_per_team == 1 else "Every"
                return f"{each} {players}, {stage.matches_per_combo} matches each; {elimination_sentence(stage.elim)}"
            case SampleTeams():
                return f"{stage.num_teams} teams of {stage.team_size} are drawn, better policies more often"
            case TeamEval():
                return f"Every team plays {stage.matches_per_team} matches; the lower {stage.cull_fraction:.0%} is out"
            case ScorePolicies():
                return f"Each policy is placed by the ranks of its best {stage.top_k} teams"


@dataclass(frozen=True)
class PoolFacts:
    """What is known of a pool. `played` counts the completed matches of each combination, `failed` the failed ones."""

    active: frozenset[uuid.UUID] = frozenset()
    members: int = 0
    teams: int = 0
    in_flight: int = 0
    played: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)


def plan_stages(config: TeamConfig) -> list[PlannedStage]:
    """The stages with the names of their pools."""
    planned: list[PlannedStage] = []
    evaluations = sum(isinstance(stage, PolicyEval) for stage in config.stages)
    last_round = 1 + sum(isinstance(stage, TeamEval) for stage in config.stages)
    evaluation, round_number = 0, 0
    for index, stage in enumerate(config.stages, 1):
        match stage:
            case PolicyEval():
                evaluation += 1
                target = SAMPLE_POOL if evaluation == evaluations else f"stage-{evaluation + 1}"
                planned.append(PlannedStage(index, stage, f"stage-{evaluation}", target))
            case SampleTeams():
                planned.append(PlannedStage(index, stage, SAMPLE_POOL, "team-round-1"))
            case TeamEval():
                round_number += 1
                planned.append(
                    PlannedStage(index, stage, f"team-round-{round_number}", f"team-round-{round_number + 1}")
                )
            case ScorePolicies():
                planned.append(PlannedStage(index, stage, f"team-round-{last_round}", SCORE_POOL))
    return planned


def pool_names(config: TeamConfig) -> list[str]:
    """Every pool of the season, in order."""
    planned = plan_stages(config)
    return [stage.input_pool for stage in planned] + [planned[-1].output_pool]


def combination_key(policy_version_ids: Sequence[uuid.UUID]) -> str:
    """The name of a combination, whatever the order."""
    return "+".join(sorted(str(policy) for policy in policy_version_ids))


def stage_states(config: TeamConfig, pools: Mapping[str, PoolFacts], *, started: bool) -> list[StageStatus]:
    """How far each stage is: complete ones, then one that is active, then those that wait."""
    states: list[StageStatus] = []
    active_seen = False
    for planned in plan_stages(config):
        if active_seen:
            states.append(StageStatus.PENDING)
        elif started and _is_complete(config, planned, pools):
            states.append(StageStatus.COMPLETE)
        else:
            states.append(StageStatus.ACTIVE)
            active_seen = True
    return states


def _is_complete(config: TeamConfig, planned: PlannedStage, pools: Mapping[str, PoolFacts]) -> bool:
    source = pools.get(planned.input_pool, PoolFacts())
    target = pools.get(planned.output_pool, PoolFacts())
    match planned.stage:
        case PolicyEval():
            needed = max([config.sampling.team_size, *_later_minimums(config, planned.index)])
            return _all_played(config, planned.stage, source) and len(target.active) >= needed
        case SampleTeams():
            return target.teams > 0
        case TeamEval():
            return target.teams > 0
        case ScorePolicies():
            return target.members > 0


def _later_minimums(config: TeamConfig, index: int) -> list[int]:
    later = config.stages[index:]
    return [stage.min_policies for stage in later if isinstance(stage, PolicyEval) and stage.min_policies is not None]


def _all_played(config: TeamConfig, stage: PolicyEval, pool: PoolFacts) -> bool:
    """Nothing is left to schedule and nothing is in flight."""
    if pool.in_flight or len(pool.active) < max(stage.min_policies or 1, stage.policies_per_team):
        return False
    combinations = itertools.combinations(sorted(pool.active), stage.policies_per_team)
    # Only what was played or failed has a row: when there are fewer than combinations, no need to look at them all.
    if len(set(pool.played) | set(pool.failed)) < math.comb(len(pool.active), stage.policies_per_team):
        return False
    return all(
        pool.played.get(key, 0) >= stage.matches_per_combo or pool.failed.get(key, 0) >= config.max_failed_attempts
        for key in map(combination_key, combinations)
    )

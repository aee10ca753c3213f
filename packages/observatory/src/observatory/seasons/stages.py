"""The stages of a team season: which pools they read and write, and how far they are."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from observatory.seasons.config import (
    PolicyEval,
    SampleTeams,
    ScorePolicies,
    Stage,
    TeamConfig,
    TeamEval,
    elimination_sentence,
)
from observatory.seasons.sampling import combinations_to_play
from observatory.seasons.seeds import drawing_seed
from softmax.wire.states import StageStatus

__all__ = [
    "PlannedStage",
    "PoolFacts",
    "StageStatus",
    "combination_key",
    "combinations_of_stage",
    "members_needed",
    "plan_stages",
    "stage_states",
]

ENTRY_POOL = "stage-1"
SAMPLE_POOL = "sample-1"
SCORE_POOL = "policy-scores-1"
_LONGEST_KEY = 400


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
                return f"{each} {players}, {_matches(stage.matches_per_combo)} each; {elimination_sentence(stage.elim)}"
            case SampleTeams():
                return f"{stage.num_teams} teams of {stage.team_size} are drawn, better policies more often"
            case TeamEval():
                return (
                    f"Every team plays {_matches(stage.matches_per_team)}; the lower {stage.cull_fraction:.0%} is out"
                )
            case ScorePolicies():
                return f"Each policy is placed by the ranks of its best {stage.top_k} teams"


def _matches(count: int) -> str:
    return "1 match" if count == 1 else f"{count} matches"


@dataclass(frozen=True)
class PoolFacts:
    """The counts of a pool. `played` has the completed matches of each combination, `failed` the failed ones."""

    active: frozenset[uuid.UUID] = frozenset()
    members: int = 0
    teams: int = 0
    in_flight: int = 0
    played: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)


def plan_stages(config: TeamConfig) -> list[PlannedStage]:
    """Return the stages with the names of their pools."""
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
    """Return every pool of the season, in order."""
    planned = plan_stages(config)
    return [stage.input_pool for stage in planned] + [planned[-1].output_pool]


def combination_key(policy_version_ids: Sequence[uuid.UUID]) -> str:
    """Return the name of a combination, whatever the order."""
    key = "+".join(sorted(str(policy) for policy in policy_version_ids))
    return key if len(key) <= _LONGEST_KEY else hashlib.sha256(key.encode()).hexdigest()


def combinations_of_stage(
    planned: PlannedStage, active: Iterable[uuid.UUID], season_seed: int
) -> Sequence[tuple[uuid.UUID, ...]]:
    """Return the combinations of policies that play in a `policy_eval` stage."""
    rules = planned.stage
    assert isinstance(rules, PolicyEval)
    max_matches = rules.max_matches_per_policy
    limit = None if max_matches is None else max(1, max_matches // rules.matches_per_combo)
    seed = drawing_seed(season_seed, planned.input_pool)
    return combinations_to_play(tuple(sorted(active)), rules.policies_per_team, limit, seed)


def members_needed(config: TeamConfig, planned: PlannedStage) -> int:
    """Return how many policies must advance from a `policy_eval` stage before it is complete."""
    return max([config.sampling.team_size, *_later_minimums(config, planned.index)])


def stage_states(
    config: TeamConfig, pools: Mapping[str, PoolFacts], *, started: bool, season_seed: int = 0
) -> list[StageStatus]:
    """Return the state of each stage: complete ones, then the active one, then pending ones."""
    states: list[StageStatus] = []
    active_seen = False
    drawn = any(pool.teams for pool in pools.values())
    for planned in plan_stages(config):
        if active_seen:
            states.append(StageStatus.pending)
        elif started and _is_complete(config, planned, pools, season_seed, drawn=drawn):
            states.append(StageStatus.complete)
        else:
            states.append(StageStatus.active)
            active_seen = True
    return states


def _is_complete(
    config: TeamConfig, planned: PlannedStage, pools: Mapping[str, PoolFacts], season_seed: int, *, drawn: bool
) -> bool:
    source = pools.get(planned.input_pool, PoolFacts())
    target = pools.get(planned.output_pool, PoolFacts())
    match planned.stage:
        case PolicyEval():
            if drawn:
                return True  # nothing of it counts any more
            return len(target.active) >= members_needed(config, planned) and _all_played(
                config, planned, source, season_seed
            )
        case SampleTeams():
            return target.teams > 0
        case TeamEval():
            return target.teams > 0
        case ScorePolicies():
            return target.members > 0


def _later_minimums(config: TeamConfig, index: int) -> list[int]:
    later = config.stages[index:]
    return [stage.min_policies for stage in later if isinstance(stage, PolicyEval) and stage.min_policies is not None]


def _all_played(config: TeamConfig, planned: PlannedStage, pool: PoolFacts, season_seed: int) -> bool:
    """Return whether the stage has nothing left to schedule and nothing in flight."""
    stage = planned.stage
    assert isinstance(stage, PolicyEval)
    present = max(pool.members, len(pool.active))  # failed policies count as present
    if pool.in_flight or present < (stage.min_policies or 1) or len(pool.active) < stage.policies_per_team:
        return False
    return all(
        pool.played.get(key, 0) >= stage.matches_per_combo or pool.failed.get(key, 0) >= config.max_failed_attempts
        for key in map(combination_key, combinations_of_stage(planned, pool.active, season_seed))
    )

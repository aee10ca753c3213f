"""Response schemas of seasons."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel

from observatory.policies.schemas import PolicyVersionSummary
from observatory.seasons.stages import StageStatus
from observatory.seasons.tables import SeasonStatus, TournamentType
from observatory.wire import Body

__all__ = [
    "LeaderboardEntry",
    "MembershipHistoryEntry",
    "PolicyPoolSummary",
    "PolicySummary",
    "PoolConfigInfo",
    "PoolInfo",
    "ProgressStage",
    "ScorePoliciesLeaderboardEntry",
    "SeasonDetail",
    "SeasonSummary",
    "SeasonVersionInfo",
    "StageStats",
    "SubmitRequest",
    "SubmitResponse",
    "TeamCog",
    "TeamSummary",
    "TeamTournamentProgress",
]

StageKind = Literal["policy_eval", "sample_teams", "team_eval", "score_policies"]


class PoolInfo(BaseModel):
    id: uuid.UUID | None
    name: str
    description: str
    config_id: uuid.UUID | None


class SeasonSummary(BaseModel):
    """A season in a list."""

    id: uuid.UUID
    name: str
    display_name: str
    version: int
    canonical: bool
    summary: str
    game_description: str | None
    entry_pool: str | None
    leaderboard_pool: str | None
    is_default: bool
    status: SeasonStatus
    compat_version: str | None
    created_at: datetime
    public: bool
    tournament_type: TournamentType
    auto_roll_hour_utc: int | None
    pools: list[PoolInfo]


class SeasonDetail(SeasonSummary):
    """A season with its details; `seed` in digits once it has ended."""

    seed: str | None = None
    started_at: datetime | None
    entrant_count: int
    active_entrant_count: int
    match_count: int
    stage_count: int


class SeasonVersionInfo(BaseModel):
    version: int
    canonical: bool
    disabled_at: datetime | None
    created_at: datetime
    compat_version: str | None


class StageStats(BaseModel):
    """How a pool is doing; the two last are None when it has no teams."""

    name: str
    policy_count: int = 0
    match_count: int = 0
    completion_pct: float = 0.0
    team_count: int | None = None
    eliminated_count: int | None = None


class ProgressStage(BaseModel):
    index: int
    name: str
    kind: StageKind
    description: str
    input_pool: str
    output_pool: str
    status: StageStatus


class PhaseDetail(BaseModel):
    """Where the active stage plays."""

    pool: str
    stage_index: int


class TeamTournamentProgress(BaseModel):
    """How far a team season is."""

    phase: StageKind | Literal["complete"]
    phase_detail: PhaseDetail | dict[str, str]
    stages: list[StageStats]
    stage_flow: list[ProgressStage]
    started: bool


class TeamCog(BaseModel):
    position: int
    policy: PolicyVersionSummary


class TeamSummary(BaseModel):
    id: uuid.UUID
    pool_name: str
    eliminated: bool
    score: float | None
    matches: int
    cogs: list[TeamCog]
    created_at: datetime


class LeaderboardEntry(BaseModel):
    rank: int
    policy: PolicyVersionSummary
    score: float
    score_stddev: float | None
    score_percentiles: dict[str, float] | None
    matches: int


class ScorePoliciesLeaderboardEntry(BaseModel):
    """A row of the final table; lower placement scores are better."""

    rank: int
    policy: PolicyVersionSummary
    placement_score: float
    team_appearances: int
    team_ranks: list[int]


class PoolConfigInfo(BaseModel):
    """The game that a pool plays."""

    pool_name: str
    game_engine: str
    config: dict[str, Any]


class PolicyPoolSummary(BaseModel):
    pool_name: str
    active: bool
    completed: int
    failed: int
    pending: int


class PolicySummary(BaseModel):
    """A policy in a season."""

    policy: PolicyVersionSummary
    pools: list[PolicyPoolSummary]
    entered_at: datetime


class SubmitRequest(Body):
    policy_version_id: uuid.UUID


class SubmitResponse(BaseModel):
    """The pools that the policy entered."""

    pools: list[str]


class MembershipHistoryEntry(BaseModel):
    season_name: str
    season_version: int | None
    pool_name: str
    action: str
    notes: str | None
    created_at: datetime

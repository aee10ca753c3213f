"""Responses about seasons, their pools and the policies in them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from softmax.wire.base import Nullable, ResponseModel, Timestamp
from softmax.wire.policies import PolicyVersionSummary
from softmax.wire.states import SeasonStatus, TournamentType

__all__ = [
    "LeaderboardEntry",
    "MembershipHistoryEntry",
    "PolicySummary",
    "PoolConfigInfo",
    "PoolInfo",
    "PoolMembership",
    "SeasonDetail",
    "SeasonSummary",
    "SeasonVersionInfo",
    "SubmitResponse",
    "WithdrawResponse",
]


class PoolInfo(ResponseModel):
    id: Nullable[UUID] = None
    name: str
    description: str
    config_id: Nullable[UUID] = None


class SeasonSummary(ResponseModel):
    """A season in a list."""

    id: UUID
    name: str
    display_name: str
    version: int
    canonical: bool
    summary: str
    game_description: Nullable[str] = None
    entry_pool: Nullable[str] = None
    leaderboard_pool: Nullable[str] = None
    is_default: bool
    status: SeasonStatus
    compat_version: Nullable[str] = None
    created_at: Timestamp
    public: bool
    tournament_type: TournamentType
    auto_roll_hour_utc: Nullable[int] = None
    pools: list[PoolInfo]


class SeasonDetail(SeasonSummary):
    """A season with its details; `seed` in digits once it has ended."""

    seed: str | None = None
    started_at: Nullable[Timestamp] = None
    entrant_count: int
    active_entrant_count: int
    match_count: int
    stage_count: int


class SeasonVersionInfo(ResponseModel):
    version: int
    canonical: bool
    disabled_at: Nullable[Timestamp] = None
    created_at: Timestamp
    compat_version: Nullable[str] = None


class LeaderboardEntry(ResponseModel):
    rank: int
    policy: PolicyVersionSummary
    score: float
    score_stddev: Nullable[float] = None
    score_percentiles: Nullable[dict[str, float]] = None
    matches: int


class PoolConfigInfo(ResponseModel):
    """The game that a pool plays."""

    pool_name: str
    game_engine: str
    config: dict[str, Any]


class PoolMembership(ResponseModel):
    pool_name: str
    active: bool
    completed: int
    failed: int
    pending: int


class PolicySummary(ResponseModel):
    """A policy in a season."""

    policy: PolicyVersionSummary
    pools: list[PoolMembership]
    entered_at: Timestamp


class SubmitResponse(ResponseModel):
    """The pools that the policy entered."""

    pools: list[str]


class WithdrawResponse(ResponseModel):
    """The pools that the policy left."""

    pools: list[str]


class MembershipHistoryEntry(ResponseModel):
    season_name: str
    season_version: Nullable[int] = None
    pool_name: str
    action: str
    notes: Nullable[str] = None
    created_at: Timestamp

"""Responses about seasons played in teams: their stages, teams and final table."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from softmax.wire.base import SENT, DescribedAs, Nullable, ResponseModel, Timestamp
from softmax.wire.policies import PolicyVersionSummary
from softmax.wire.states import StageKind, StageStatus

__all__ = [
    "PhaseDetail",
    "ProgressStage",
    "ScorePoliciesLeaderboardEntry",
    "StageStats",
    "TeamCogSummary",
    "TeamSummary",
    "TeamTournamentProgress",
]


class StageStats(ResponseModel):
    """How a pool is doing; the two last are None when it has no teams."""

    name: str
    policy_count: int = 0
    match_count: int = 0
    completion_pct: float = 0.0
    team_count: int | None = None
    eliminated_count: int | None = None


class ProgressStage(ResponseModel):
    index: int
    name: str
    kind: StageKind
    description: str
    input_pool: str
    output_pool: str
    status: StageStatus


class PhaseDetail(ResponseModel):
    """Where the active stage plays."""

    pool: str
    stage_index: int


class TeamTournamentProgress(ResponseModel):
    """How far a team season is."""

    phase: Annotated[str, DescribedAs(StageKind | Literal["complete"])]
    phase_detail: Annotated[dict[str, Any] | None, SENT, DescribedAs(PhaseDetail | dict[str, str])] = None
    stages: list[StageStats]
    stage_flow: Annotated[list[ProgressStage] | None, SENT, DescribedAs(list[ProgressStage])] = None
    started: Annotated[bool | None, SENT, DescribedAs(bool)] = False


class TeamCogSummary(ResponseModel):
    position: int
    policy: PolicyVersionSummary


class TeamSummary(ResponseModel):
    id: UUID
    pool_name: str
    eliminated: bool
    score: Nullable[float] = None
    matches: Annotated[int | None, SENT, DescribedAs(int)] = 0
    cogs: list[TeamCogSummary]
    created_at: Timestamp


class ScorePoliciesLeaderboardEntry(ResponseModel):
    """A row of the final table; lower placement scores are better."""

    rank: int
    policy: PolicyVersionSummary
    placement_score: float
    team_appearances: int
    team_ranks: list[int]

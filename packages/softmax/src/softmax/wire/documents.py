"""Models of server responses. Required fields must be present; unknown fields are preserved and printed."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from softmax.wire.states import AssayAxisName, AssayStatus, SeasonStatus, StageKind, StageStatus, TournamentType

__all__ = [
    "AssayAxis",
    "AssayResultsResponse",
    "AssayRunResponse",
    "EpisodeQueryResponse",
    "EpisodeResponse",
    "EpisodeWithTags",
    "LeaderboardEntry",
    "MatchPlayer",
    "MatchReproduction",
    "MatchResponse",
    "MembershipHistoryEntry",
    "MissionMetrics",
    "MissionSpec",
    "PlayerCredential",
    "PlayerCredentialCreateResponse",
    "PlayerCredentialDeleteResponse",
    "PlayerLoginResponse",
    "PlayerResponse",
    "PoliciesResponse",
    "PolicyResult",
    "PolicyRow",
    "PolicySummary",
    "PolicyVersionResponse",
    "PolicyVersionRow",
    "PolicyVersionSummary",
    "PolicyVersionsResponse",
    "PoolConfigInfo",
    "PoolInfo",
    "PoolMembership",
    "PresignedUploadUrlResponse",
    "ProgressStage",
    "ReproducedArtifact",
    "ReproducedPolicy",
    "ScorePoliciesLeaderboardEntry",
    "SeasonDetail",
    "SeasonSummary",
    "SeasonVersionInfo",
    "StageStats",
    "SubmitResponse",
    "TeamMember",
    "TeamSummary",
    "TeamTournamentProgress",
    "UserRow",
    "WhoAmIResponse",
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="allow")


class WhoAmIResponse(_Model):
    user_email: str
    is_softmax_team_member: bool = False
    is_softmax_admin: bool = False
    subject_type: str = "user"
    subject_id: str | None = None
    owner_user_id: str | None = None
    scopes: list[str] = Field(default_factory=list)


class PoolInfo(_Model):
    id: UUID | None = None
    name: str
    description: str
    config_id: UUID | None = None


class SeasonSummary(_Model):
    id: UUID
    name: str
    display_name: str
    version: int
    canonical: bool
    summary: str
    game_description: str | None = None
    entry_pool: str | None = None
    leaderboard_pool: str | None = None
    is_default: bool
    status: SeasonStatus
    compat_version: str | None = None
    created_at: str
    public: bool
    tournament_type: TournamentType
    auto_roll_hour_utc: int | None = None
    pools: list[PoolInfo]


class SeasonDetail(SeasonSummary):
    started_at: str | None = None
    entrant_count: int
    active_entrant_count: int
    match_count: int
    stage_count: int


class SeasonVersionInfo(_Model):
    version: int
    canonical: bool
    disabled_at: str | None = None
    created_at: str
    compat_version: str | None = None


class StageStats(_Model):
    name: str
    policy_count: int = 0
    match_count: int = 0
    completion_pct: float = 0.0
    team_count: int | None = None
    eliminated_count: int | None = None


class ProgressStage(_Model):
    index: int
    name: str
    kind: StageKind
    description: str
    input_pool: str
    output_pool: str
    status: StageStatus


class TeamTournamentProgress(_Model):
    phase: str
    phase_detail: dict[str, Any] | None = None
    stages: list[StageStats]
    stage_flow: list[ProgressStage] | None = None
    started: bool | None = False


class PolicyVersionSummary(_Model):
    id: UUID
    name: str | None = None
    version: int | None = None

    @property
    def label(self) -> str:
        """Return `name:vN`; the id replaces a missing name, and a missing version is omitted."""
        name = self.name or str(self.id)
        return name if self.version is None else f"{name}:v{self.version}"


class TeamMember(_Model):
    position: int
    policy: PolicyVersionSummary


class TeamSummary(_Model):
    id: UUID
    pool_name: str
    eliminated: bool
    score: float | None = None
    matches: int | None = 0
    cogs: list[TeamMember]
    created_at: str


class LeaderboardEntry(_Model):
    rank: int
    policy: PolicyVersionSummary
    score: float
    score_stddev: float | None = None
    score_percentiles: dict[str, float] | None = None
    matches: int


class ScorePoliciesLeaderboardEntry(_Model):
    rank: int
    policy: PolicyVersionSummary
    placement_score: float
    team_appearances: int
    team_ranks: list[int]


class PoolConfigInfo(_Model):
    pool_name: str
    game_engine: str
    config: dict[str, Any]


class PoolMembership(_Model):
    pool_name: str
    active: bool
    completed: int
    failed: int
    pending: int


class PolicySummary(_Model):
    policy: PolicyVersionSummary
    pools: list[PoolMembership]
    entered_at: str


class SubmitResponse(_Model):
    pools: list[str]


class AgentResult(_Model):
    agent_id: int
    reward: float
    metrics: dict[str, float]


class PolicyResult(_Model):
    position: int
    policy: PolicyVersionSummary
    num_agents: int
    avg_reward: float
    avg_metrics: dict[str, float]
    agents: list[AgentResult]


class EpisodeResponse(_Model):
    id: UUID
    replay_url: str | None = None
    thumbnail_url: str | None = None
    tags: dict[str, str]
    game_stats: dict[str, float]
    policy_results: list[PolicyResult]
    steps: int | None = None
    created_at: datetime


class MatchPlayer(_Model):
    policy: PolicyVersionSummary
    num_agents: int
    score: float | None = None


class MatchResponse(_Model):
    id: UUID
    season_name: str
    pool_name: str
    status: str
    assignments: list[int]
    players: list[MatchPlayer]
    error: str | None = None
    error_type: str | None = None
    episode_id: UUID | None = None
    job_id: UUID | None = None
    episode: EpisodeResponse | None = None
    created_at: datetime


class EpisodeWithTags(_Model):
    id: UUID
    replay_url: str | None = None
    thumbnail_url: str | None = None
    attributes: dict[str, Any] | None = None
    eval_task_id: UUID | None = None
    created_at: Any
    tags: dict[str, str] | None = None
    avg_rewards: dict[str, float] | None = None
    job_id: UUID | None = None


class EpisodeQueryResponse(_Model):
    episodes: list[EpisodeWithTags]


class MembershipHistoryEntry(_Model):
    season_name: str
    season_version: int | None = None
    pool_name: str
    action: str
    notes: str | None = None
    created_at: str


class UserRow(_Model):
    id: str
    name: str | None = None
    email: str | None = None
    is_softmax_team_member: bool | None = None
    discord_id: str | None = None
    created_at: datetime | None = None


class PolicyVersionRow(_Model):
    user_id: str
    user: UserRow | None = None
    id: UUID
    policy_id: UUID
    name: str
    version: int
    created_at: datetime
    policy_created_at: datetime
    tags: dict[str, str] | None = None
    attributes: dict[str, Any] | None = None
    internal_id: int | None = None
    s3_path: str | None = None
    container_image_id: str | None = None

    @property
    def label(self) -> str:
        return f"{self.name}:v{self.version}"


class PolicyVersionsResponse(_Model):
    entries: list[PolicyVersionRow]
    total_count: int


class PolicyRow(_Model):
    user_id: str
    user: UserRow | None = None
    id: UUID
    name: str
    created_at: datetime
    attributes: dict[str, Any]
    version_count: int
    latest_version_id: UUID | None = None
    latest_version: int | None = None
    latest_version_created_at: datetime | None = None


class PoliciesResponse(_Model):
    entries: list[PolicyRow]
    total_count: int


class PresignedUploadUrlResponse(_Model):
    upload_url: str
    s3_key: str
    upload_id: UUID


class PolicyVersionResponse(_Model):
    id: UUID
    name: str
    version: int
    pools: list[str] | None = None
    submit_error: str | None = None


class ReproducedPolicy(_Model):
    name: str
    policy_version_id: UUID | None = None
    bundle_url: str | None = None
    bundle_sha256: str | None = None
    why_not: str | None = None


class ReproducedArtifact(_Model):
    url: str
    sha256: str


class MatchReproduction(_Model):
    match_id: UUID
    season_name: str
    season_version: int
    pool_name: str
    spec: dict[str, Any]
    policies: list[ReproducedPolicy]
    artifacts: dict[str, ReproducedArtifact]
    versions: dict[str, str] = Field(default_factory=dict)


class MissionSpec(_Model):
    mission_name: str = Field(min_length=1)
    env_config: dict[str, Any]
    num_episodes: int = Field(default=3, gt=0)
    max_steps: int = Field(default=10000, gt=0)


class AssayRunResponse(_Model):
    id: UUID
    policy_version_id: UUID
    user_id: str
    name: str | None = None
    compat_version: str | None = None
    status: AssayStatus
    total_jobs: int
    completed_jobs: int
    failed_jobs: int
    error: str | None = None
    created_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None


class MissionMetrics(_Model):
    reward_variance: float = 0.0
    non_zero_episode_pct: float = 0.0
    timeout_rate: float = 0.0
    mean_move_success: float = 0.0
    mean_action_failed: float = 0.0
    mean_stuck_steps: float = 0.0


class AssayAxis(_Model):
    axis: AssayAxisName
    score: float
    derived_metrics: MissionMetrics


class AssayResultsResponse(_Model):
    status: str
    missions: dict[str, MissionMetrics]
    axes: list[AssayAxis]


class PlayerResponse(_Model):
    user_id: str
    user: UserRow | None = None
    id: str
    name: str
    is_default: bool
    avatar_url: str | None = None
    created_at: datetime
    disabled_at: datetime | None = None


class PlayerLoginResponse(_Model):
    player_id: str
    token: str
    expires_at: datetime


class PlayerCredential(_Model):
    id: UUID
    player_id: str
    name: str
    token_preview: str
    created_at: datetime
    expires_at: datetime | None = None
    scopes: list[str]


class PlayerCredentialCreateResponse(PlayerCredential):
    token: str


class PlayerCredentialDeleteResponse(_Model):
    id: UUID

"""The parts of the messages between a platform and a commissioner. Unknown keys are ignored."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

__all__ = [
    "CommissionerCalcStep",
    "CommissionerChangelogEntry",
    "CommissionerEntrantReport",
    "CommissionerRoundReport",
    "DivisionConfig",
    "DivisionDescription",
    "DivisionInfo",
    "DivisionRanking",
    "EpisodeRequest",
    "EpisodeScore",
    "LeaderboardRoundResultInfo",
    "LeagueInfo",
    "MembershipChange",
    "MembershipInfo",
    "PersistentPlayerRuntimeRequest",
    "PolicyMembershipEventChange",
    "PolicyMembershipEventEvidence",
    "RankingEntry",
    "RecentResult",
    "RecordedEpisodeSpec",
    "RoundConfig",
    "RoundInfo",
    "RoundResultInfo",
    "RoundSpec",
    "StageConfig",
    "VariantInfo",
]

PlayerId = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class LeagueInfo(BaseModel):
    """The league a commissioner works for."""

    id: UUID
    commissioner_key: str | None = None
    commissioner_config: dict[str, Any] | None = None


class DivisionInfo(BaseModel):
    """A division of the league; the highest level is the top."""

    id: UUID
    name: str
    level: int
    type: str = "competition"


class DivisionConfig(BaseModel):
    """The configuration of a division."""

    name: str
    level: int
    type: str = "competition"
    description: str | None = None
    previous_name: str | None = None


class MembershipInfo(BaseModel):
    """A policy version in a division."""

    id: UUID
    league_id: UUID
    division_id: UUID
    policy_version_id: UUID
    player_id: str | None = None
    player_name: str | None = None
    preferences: dict[str, Any] = Field(default_factory=dict)
    status: str = "competing"
    substatus: str | None = None
    is_champion: bool = False


class RecentResult(BaseModel):
    """The result of a policy version in an earlier round."""

    round_id: UUID
    division_id: UUID
    round_number: int
    policy_version_id: UUID
    rank: int
    score: float
    player_id: str | None = None
    player_name: str | None = None
    result_metadata: dict[str, Any] = Field(default_factory=dict)
    completed_at: str | None = None


class VariantInfo(BaseModel):
    """A way to play. `num_agents` is deprecated: the configuration says it."""

    id: str
    name: str
    game_config: dict[str, Any]
    num_agents: Annotated[int, Field(gt=0)] = 1


class EpisodeRequest(BaseModel):
    """One episode that a commissioner wants played."""

    request_id: str
    variant_id: str
    policy_version_ids: list[UUID]
    seed: int | None = None
    tags: dict[str, str] = Field(default_factory=dict)
    game_config_overrides: dict[str, Any] = Field(default_factory=dict)


class EpisodeScore(BaseModel):
    """The scores of one policy version; `scores` always has `score`."""

    policy_version_id: UUID
    player_id: str | None = None
    score: float
    scores: dict[str, float] = Field(default_factory=dict)

    @model_validator(mode="after")
    def fill_scores(self) -> Self:
        self.scores = {"score": self.score, **self.scores}
        return self


class RoundInfo(BaseModel):
    """A round of a division."""

    id: UUID
    public_id: str | None = None
    division_id: UUID
    round_number: int
    status: str
    round_config: dict[str, Any] = Field(default_factory=dict)
    created_at: str | None = None
    started_at: str | None = None
    completed_at: str | None = None


class RoundResultInfo(BaseModel):
    """A result of a round."""

    round_id: UUID
    policy_version_id: UUID
    rank: int
    score: float
    result_metadata: dict[str, Any] = Field(default_factory=dict)


class LeaderboardRoundResultInfo(RoundResultInfo):
    """A result of a round, with its player."""

    player_id: str
    player_name: str | None = None


class StageConfig(BaseModel):
    """A stage of a round."""

    label: str = "Round"
    num_episodes: Annotated[int, Field(gt=0)] = 1
    min_episodes_per_entrant: Annotated[int, Field(gt=0)] | None = None
    self_play: bool = False


class RoundConfig(BaseModel):
    """The stages and the entrants of a round."""

    stages: list[StageConfig] | None = None
    entrant_policy_version_ids: list[UUID] | None = None


class RecordedEpisodeSpec(BaseModel):
    """An episode that was played elsewhere and counts for the round."""

    model_config = ConfigDict(extra="forbid")

    source_id: Key
    policy_version_id: UUID
    player_id: PlayerId
    score: float
    scores: dict[str, float] = Field(default_factory=dict)
    game_results: dict[str, Any]
    replay_url: str | None = None
    started_at: datetime
    ended_at: datetime
    tags: dict[str, str] = Field(default_factory=dict)
    realized_config_stamp: dict[str, Any] | None = None

    @model_validator(mode="after")
    def validate_times(self) -> Self:
        if self.started_at.utcoffset() is None or self.ended_at.utcoffset() is None:
            raise ValueError("started_at and ended_at must include a timezone")
        if self.ended_at <= self.started_at:
            raise ValueError("ended_at must be after started_at")
        return self


class RoundSpec(BaseModel):
    """A round that a commissioner wants."""

    division_id: UUID
    round_config: RoundConfig
    execution_backend: str = "dispatch"
    notes: str | None = None
    idempotency_key: Key | None = None
    recorded_episodes: list[RecordedEpisodeSpec] = Field(default_factory=list)

    @model_validator(mode="after")
    def validate_recorded(self) -> Self:
        if self.recorded_episodes and self.idempotency_key is None:
            raise ValueError("a RoundSpec with recorded_episodes requires an idempotency_key")
        sources = [episode.source_id for episode in self.recorded_episodes]
        if len(set(sources)) != len(sources):
            raise ValueError("recorded_episodes must have unique source_id values")
        return self


class PersistentPlayerRuntimeRequest(BaseModel):
    """A player that a commissioner wants to keep running."""

    model_config = ConfigDict(extra="forbid")

    player_id: PlayerId
    policy_version_id: UUID
    tags: dict[str, str] = Field(default_factory=dict)
    game_config_overrides: dict[str, Any] = Field(default_factory=dict)
    config_overlay_secret: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$")] | None = (
        None
    )


class PolicyMembershipEventEvidence(BaseModel):
    """Why a membership changes."""

    type: str
    public_id: str | None = None
    title: str
    summary: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class PolicyMembershipEventChange(BaseModel):
    """A membership that changes."""

    league_policy_membership_id: UUID
    from_division_id: UUID | None = None
    to_division_id: UUID | None = None
    status: str
    substatus: str | None = None
    reason: str
    end_time: str | None = None
    notes: str | None = None
    evidence: list[PolicyMembershipEventEvidence] = Field(default_factory=list)


class MembershipChange(BaseModel):
    """The older form of a membership that changes."""

    membership_id: UUID
    from_division_id: UUID
    to_division_id: UUID | None = None
    is_active: bool = True
    reason: str


class RankingEntry(BaseModel):
    """A place in the result of a round."""

    policy_version_id: UUID
    player_id: str | None = None
    rank: int
    score: float
    result_metadata: dict[str, Any] = Field(default_factory=dict)


class DivisionRanking(BaseModel):
    """The result of a round in one division."""

    division_id: UUID
    rankings: list[RankingEntry]


class CommissionerCalcStep(BaseModel):
    """One step of the calculation of an outcome."""

    label: str
    value: Any = None
    inputs: dict[str, Any] = Field(default_factory=dict)
    passed: bool | None = None


class CommissionerEntrantReport(BaseModel):
    """The calculation of one entrant's outcome."""

    policy_version_id: UUID
    player_id: str | None = None
    outcome: str
    score: float | None = None
    passed: bool | None = None
    steps: list[CommissionerCalcStep] = Field(default_factory=list)
    summary: str | None = None


class CommissionerRoundReport(BaseModel):
    """How a commissioner decided. `render_html` must be safe; `coworld.report.assert_safe_render_html` checks it."""

    rule_id: str
    rule_description: str
    division_id: UUID | None = None
    entrants: list[CommissionerEntrantReport] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    extra: dict[str, Any] = Field(default_factory=dict)
    render_html: str | None = None


class CommissionerChangelogEntry(BaseModel):
    """A change of the rules."""

    date: str
    title: str
    detail: str | None = None
    category: str | None = None


class DivisionDescription(BaseModel):
    """A division in words."""

    round_schedule: str | None = None
    next_round: str | None = None
    round_structure: str | None = None
    leaderboard_rules: str | None = None
    scoring_mechanics: str | None = None
    changelog: list[CommissionerChangelogEntry] = Field(default_factory=list)

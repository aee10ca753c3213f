"""The messages between a platform and a commissioner. On the wire each is its fields and its `type`."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Self
from uuid import UUID

from pydantic import BaseModel, Field, field_validator, model_validator

from coworld.commissioner.leaderboards import (
    DivisionLeaderboard,
    DivisionLeaderboardAxis,
    DivisionLeaderboardEntry,
    DivisionLeaderboardTable,
    DivisionLeaderboardView,
    axes_of_views,
    leaderboard_of_results,
    table_of_view,
    view_of_table,
)
from coworld.commissioner.shapes import (
    CommissionerRoundReport,
    DivisionConfig,
    DivisionDescription,
    DivisionInfo,
    DivisionRanking,
    EpisodeRequest,
    EpisodeScore,
    LeaderboardRoundResultInfo,
    LeagueInfo,
    MembershipChange,
    MembershipInfo,
    PersistentPlayerRuntimeRequest,
    PolicyMembershipEventChange,
    RecentResult,
    RoundConfig,
    RoundInfo,
    RoundResultInfo,
    RoundSpec,
    VariantInfo,
)

COMMISSIONER_STATE_MAX_BYTES = 10 << 20
"""the largest `state` of a `round_complete`, as JSON"""


class Message(BaseModel):
    """One message. `message_type` is its `type` on the wire."""

    message_type: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """Return the message as a JSON object."""
        return {**self.model_dump(mode="json"), "type": self.message_type}


# Platform to commissioner


class ScheduleRoundsRequest(Message):
    """Which rounds should there be?"""

    message_type = "schedule_rounds_request"
    league: LeagueInfo
    divisions: list[DivisionInfo]
    active_memberships: list[MembershipInfo]
    recent_rounds: list[RoundInfo]


class LeagueMigrationConfigRequest(Message):
    """Which divisions should there be?"""

    message_type = "league_migration_config_request"
    league: LeagueInfo
    divisions: list[DivisionInfo]


class LeagueMigrationRequest(Message):
    """Who belongs in which division now?"""

    message_type = "league_migration_request"
    league: LeagueInfo
    divisions: list[DivisionInfo]
    memberships: list[MembershipInfo]


class EpisodeAccepted(Message):
    """These episodes will be played."""

    message_type = "episodes_accepted"
    request_ids: list[str]


class EpisodesRejected(Message):
    """These will not, and why."""

    message_type = "episodes_rejected"
    request_ids: list[str]
    errors: dict[str, str]


class EpisodeResult(Message):
    """An episode was played."""

    message_type = "episode_result"
    request_id: str
    scores: list[EpisodeScore]
    game_results: dict[str, Any] | None = None


class EpisodeFailed(Message):
    """An episode could not be played."""

    message_type = "episode_failed"
    request_id: str
    error: str
    error_type: str | None = None
    failed_policy_index: Annotated[int, Field(ge=0)] | None = None
    failed_policy_version_id: UUID | None = None


class RoundStart(Message):
    """Run this round."""

    message_type = "round_start"
    round_id: UUID
    round_number: int
    league: LeagueInfo
    divisions: list[DivisionInfo]
    memberships: list[MembershipInfo]
    recent_results: list[RecentResult]
    variants: list[VariantInfo]
    completed_episodes: list[EpisodeResult] = Field(default_factory=list)
    state: Any = None


class RoundAbort(Message):
    """Stop: the round is cancelled."""

    message_type = "round_abort"
    reason: str


class RankDivisionRequest(Message):
    """What does the leaderboard look like?"""

    message_type = "rank_division_request"
    league: LeagueInfo
    division: DivisionInfo
    completed_rounds: list[RoundInfo]
    recent_rounds: list[RoundInfo]
    round_results: list[LeaderboardRoundResultInfo]


class DescribeDivisionRequest(Message):
    """What are the rules?"""

    message_type = "describe_division_request"
    league: LeagueInfo
    division: DivisionInfo
    active_memberships: list[MembershipInfo]
    recent_rounds: list[RoundInfo]


class RoundCompletedRequest(Message):
    """A round is over: who moves?"""

    message_type = "round_completed_request"
    league: LeagueInfo
    division: DivisionInfo
    all_divisions: list[DivisionInfo]
    round_config: RoundConfig
    round_results: list[RoundResultInfo]
    division_memberships: list[MembershipInfo]
    recent_results: list[RoundResultInfo]
    commissioner_config: dict[str, Any] | None = None


class EpisodeCompletedRequest(Message):
    """An episode is over: what next?"""

    message_type = "episode_completed_request"
    round_start: RoundStart
    episode_result: EpisodeResult | None = None
    episode_failed: EpisodeFailed | None = None
    completed_episode_results: list[EpisodeResult] = Field(default_factory=list)
    failed_episodes: list[EpisodeFailed] = Field(default_factory=list)

    @model_validator(mode="after")
    def validate_outcome(self) -> Self:
        if (self.episode_result is None) == (self.episode_failed is None):
            raise ValueError("exactly one of episode_result or episode_failed is required")
        return self


# Commissioner to platform


class ScheduleRoundsResponse(Message):
    """These rounds, and these players kept running."""

    message_type = "schedule_rounds_response"
    rounds: list[RoundSpec] = Field(default_factory=list)
    persistent_players: list[PersistentPlayerRuntimeRequest] = Field(default_factory=list)

    @model_validator(mode="after")
    def validate_players(self) -> Self:
        for key in ("player_id", "policy_version_id"):
            values = [getattr(player, key) for player in self.persistent_players]
            if len(set(values)) != len(values):
                raise ValueError(f"persistent_players must have unique {key} values")
        return self


class LeagueMigrationConfigResponse(Message):
    """These divisions."""

    message_type = "league_migration_config_response"
    divisions: list[DivisionConfig] = Field(default_factory=list)


class LeagueMigrationResponse(Message):
    """These memberships change."""

    message_type = "league_migration_response"
    policy_membership_events: list[PolicyMembershipEventChange] = Field(default_factory=list)


class ScheduleEpisodes(Message):
    """Play these."""

    message_type = "schedule_episodes"
    episodes: list[EpisodeRequest]


class EpisodeCancel(Message):
    """Do not play this."""

    message_type = "episode_cancel"
    request_id: str
    reason: str


class RoundComplete(Message):
    """The round is over, and this came of it."""

    message_type = "round_complete"
    results: list[DivisionRanking] = Field(default_factory=list)
    leaderboards: list[DivisionLeaderboard] = Field(default_factory=list)
    policy_membership_events: list[PolicyMembershipEventChange] = Field(default_factory=list)
    membership_changes: list[MembershipChange] = Field(default_factory=list)
    round_display: dict[str, Any] | None = None
    state: Any = None
    observability: CommissionerRoundReport | None = None

    @field_validator("state")
    @classmethod
    def limit_state(cls, state: Any) -> Any:
        """Refuse a state that a platform would not store. The size counts as written by `json.dumps`."""
        try:
            size = len(json.dumps(state))  # ASCII: one byte per character
        except (TypeError, RecursionError) as error:
            raise ValueError(f"state must be a JSON value: {error}") from None
        if size > COMMISSIONER_STATE_MAX_BYTES:
            limit = COMMISSIONER_STATE_MAX_BYTES >> 20
            raise ValueError(f"state must not exceed {limit} MB; it has {size} bytes of JSON")
        return state

    @model_validator(mode="after")
    def derive_leaderboards(self) -> Self:
        """Derive leaderboards from the older `results` where a commissioner sends none."""
        if not self.leaderboards:
            self.leaderboards = [leaderboard_of_results(ranking) for ranking in self.results]
        return self


class RankDivisionResponse(Message):
    """The leaderboard, as views and in the older forms; missing forms are derived from the given ones."""

    message_type = "rank_division_response"
    default_view_key: str = "score"
    axes: list[DivisionLeaderboardAxis] = Field(default_factory=list)
    views: list[DivisionLeaderboardView] = Field(default_factory=list)
    primary_table_id: str | None = None
    tables: list[DivisionLeaderboardTable] = Field(default_factory=list)
    rankings: list[DivisionLeaderboardEntry] = Field(default_factory=list)

    @model_validator(mode="after")
    def derive_other_forms(self) -> Self:
        if not self.views:
            given = [DivisionLeaderboardTable(rankings=self.rankings)] if self.rankings else []
            self.views = [view_of_table(table) for table in self.tables or given] or [DivisionLeaderboardView()]
            self.default_view_key = self.primary_table_id or self.default_view_key
        keys = [view.key for view in self.views]
        self.axes = self.axes or axes_of_views(self.views)
        if self.default_view_key not in keys:
            self.default_view_key = keys[0]
        self.tables = self.tables or [table_of_view(view) for view in self.views]
        self.primary_table_id = self.primary_table_id or self.default_view_key
        if not self.rankings:
            default_view = self.views[keys.index(self.default_view_key)]
            self.rankings = table_of_view(default_view).rankings
        return self


class DescribeDivisionResponse(Message):
    """The rules in words."""

    message_type = "describe_division_response"
    description: DivisionDescription


class RoundCompletedResponse(Message):
    """These memberships change, and these rounds follow."""

    message_type = "round_completed_response"
    policy_membership_events: list[PolicyMembershipEventChange] = Field(default_factory=list)
    membership_changes: list[MembershipChange] = Field(default_factory=list)
    follow_up_rounds: list[RoundSpec] = Field(default_factory=list)


class EpisodeCompletedResponse(Message):
    """Play these next, and these memberships change."""

    message_type = "episode_completed_response"
    episodes: list[EpisodeRequest] = Field(default_factory=list)
    policy_membership_events: list[PolicyMembershipEventChange] = Field(default_factory=list)


PLATFORM_MESSAGES: tuple[type[Message], ...] = (
    ScheduleRoundsRequest,
    LeagueMigrationConfigRequest,
    LeagueMigrationRequest,
    RoundStart,
    EpisodeAccepted,
    EpisodesRejected,
    EpisodeResult,
    EpisodeFailed,
    RoundAbort,
    RankDivisionRequest,
    DescribeDivisionRequest,
    RoundCompletedRequest,
    EpisodeCompletedRequest,
)
COMMISSIONER_MESSAGES: tuple[type[Message], ...] = (
    ScheduleRoundsResponse,
    LeagueMigrationConfigResponse,
    LeagueMigrationResponse,
    ScheduleEpisodes,
    EpisodeCancel,
    RoundComplete,
    RankDivisionResponse,
    DescribeDivisionResponse,
    RoundCompletedResponse,
    EpisodeCompletedResponse,
)

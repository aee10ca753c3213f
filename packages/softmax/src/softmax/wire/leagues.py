"""Responses about leagues, their divisions, members and rounds.

Clients of three generations read them: some fields repeat others under an older name.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from softmax.wire.base import Nullable, ResponseModel

__all__ = [
    "Competition",
    "CompetitionDivision",
    "CompetitionEventRow",
    "CompetitionGame",
    "CompetitionMembership",
    "CompetitionPlayer",
    "CompetitionPolicy",
    "CompetitionPolicyVersion",
    "CompetitionPool",
    "CompetitionPoolDetail",
    "CompetitionPoolEntry",
    "CompetitionRound",
    "CompetitionRoundDetail",
    "CompetitionRoundPage",
    "CompetitionRoundResult",
    "CompetitionSeed",
    "CompetitionSubmission",
    "CreditRequest",
    "CreditStatus",
    "Credits",
    "DivisionLadderEntry",
    "DivisionLeaderboardEntry",
    "DivisionLeaderboards",
    "FeatureFlags",
    "FeedCheck",
    "FeedRound",
    "GradesRequested",
    "LeaderboardColumn",
    "LeaderboardRow",
    "LeaderboardView",
    "LeagueLocks",
    "LeagueSettings",
    "LeagueSetup",
    "LeagueSetupProposal",
    "LobbyAccess",
    "PersistentPlayer",
    "PortfolioSeat",
    "PowerAnalysis",
    "PowerAnchor",
    "PowerMode",
    "PowerModeMix",
    "PowerRow",
    "PowerWindow",
    "RecentRound",
    "RecordedWindowRow",
    "SeedBinding",
    "SeedCounts",
    "SeedPolicies",
    "SeedRebind",
    "SeedRebindResult",
]


class CompetitionPlayer(ResponseModel):
    """A player as all callers see it."""

    id: str
    name: Nullable[str] = None
    avatar_url: Nullable[str] = None


class CompetitionPolicy(ResponseModel):
    id: UUID
    name: str


class CompetitionPolicyVersion(ResponseModel):
    id: UUID
    policy: CompetitionPolicy
    version: int
    player_id: Nullable[str] = None

    @property
    def label(self) -> str:
        return f"{self.policy.name}:v{self.version}"


class CompetitionGame(ResponseModel):
    id: str
    name: str
    slug: Nullable[str] = None
    coworld_name: Nullable[str] = None
    coworld_id: Nullable[str] = Field(default=None, description="the version that the league plays now")
    description: Nullable[str] = None
    created_at: datetime


class Competition(ResponseModel):
    """A league."""

    id: str
    name: str
    slug: Nullable[str] = None
    game: CompetitionGame
    participation_url: str
    forum_markdown_url: Nullable[str] = None
    wiki_markdown_url: Nullable[str] = None
    commissioner_key: Nullable[str] = None
    commissioner_config: Nullable[dict[str, Any]] = None
    public: bool = False
    hidden: bool = False
    is_game_of_week: bool = False
    created_at: datetime
    disabled_at: Nullable[datetime] = None
    rounds_paused_at: Nullable[datetime] = None


class LeagueLocks(ResponseModel):
    submissions_locked: bool
    submissions_locked_at: Nullable[datetime] = None
    game_version_locked: bool
    locked_game_version: Nullable[str] = None
    canonical_game_version: str = Field(description="empty while no version of the game is canonical")


class CompetitionDivision(ResponseModel):
    id: str
    name: str
    level: int
    type: Literal["competition", "staging"]
    hidden: bool
    league: Competition
    description: Nullable[str] = None
    archived_at: Nullable[datetime] = None
    commissioner_description: Nullable[dict[str, Any]] = None
    created_at: datetime


class DivisionLadderEntry(ResponseModel):
    id: str
    name: str
    level: int
    member_count: int


class CompetitionMembership(ResponseModel):
    """A policy version in a division."""

    id: str
    status: str
    substatus: Nullable[str] = None
    is_champion: bool = False
    is_active: bool = Field(default=True, description="live; for clients of the first generation")
    start_time: Nullable[datetime] = None
    end_time: Nullable[datetime] = None
    league: Competition
    division: CompetitionDivision
    policy_version: CompetitionPolicyVersion
    player: Nullable[CompetitionPlayer] = None
    created_at: datetime


class CompetitionSubmission(ResponseModel):
    id: str
    auto_champion: str = "always"
    status: str
    league: Competition
    policy_version: CompetitionPolicyVersion
    player: Nullable[CompetitionPlayer] = None
    league_policy_membership_id: Nullable[str] = None
    preferences: dict[str, Any] = Field(default={})
    notes: Nullable[str] = None
    created_at: datetime


class CompetitionRound(ResponseModel):
    id: str
    round_number: int
    commissioner_key: str
    execution_backend: str
    round_config: dict[str, Any]
    round_display: Nullable[dict[str, Any]] = None
    status: str
    error: Nullable[str] = None
    started_at: Nullable[datetime] = None
    completed_at: Nullable[datetime] = None
    division: CompetitionDivision
    created_at: datetime


class GradesRequested(ResponseModel):
    """Champions of a continuous league that are graded again; `waiting` are those that no round has yet."""

    league_id: str
    idempotency_key: str
    policy_version_ids: list[UUID]
    waiting: list[UUID]
    created_at: datetime


class CompetitionRoundPage(ResponseModel):
    entries: list[CompetitionRound]
    next_cursor: Nullable[str] = None
    total_count: int = 0
    limit: int = 0
    offset: int = 0


class CompetitionRoundResult(ResponseModel):
    id: UUID
    rank: int
    score: float
    result_metadata: Nullable[dict[str, Any]] = None
    policy_version: CompetitionPolicyVersion
    player: Nullable[CompetitionPlayer] = None
    created_at: datetime


class CompetitionPool(ResponseModel):
    """The one pool of a round, for clients of the first generation."""

    id: str
    round_id: Nullable[str] = None
    pool_index: Nullable[int] = None
    label: str
    pool_type: str
    env_config: Nullable[dict[str, Any]] = None
    coworld_id: Nullable[str] = None
    config: dict[str, Any]
    status: str
    error: Nullable[str] = None
    started_at: Nullable[datetime] = None
    completed_at: Nullable[datetime] = None
    created_at: datetime


class CompetitionPoolEntry(ResponseModel):
    id: UUID
    pool_id: str
    league_policy_membership_id: Nullable[str] = None
    policy_version: CompetitionPolicyVersion
    player: Nullable[CompetitionPlayer] = None
    seed_order: int
    metadata: Nullable[dict[str, Any]] = None
    created_at: datetime


class CompetitionPoolDetail(CompetitionPool):
    entries: list[CompetitionPoolEntry]


class CompetitionRoundDetail(CompetitionRound):
    results: list[CompetitionRoundResult]
    pools: list[CompetitionPool]


class RecentRound(ResponseModel):
    id: str
    round_number: int
    status: str
    rank: Nullable[int] = None
    score: Nullable[float] = None
    started_at: Nullable[datetime] = None
    completed_at: Nullable[datetime] = None


class DivisionLeaderboardEntry(ResponseModel):
    rank: Nullable[int] = None
    player_id: str
    player_name: Nullable[str] = None
    score: float
    score_label: str
    avg_score: float = Field(default=0.0, description="the score, for clients of the first generation")
    mean_round_score: Nullable[float] = None
    rounds_played: int
    recent_rounds: Nullable[list[RecentRound]] = None


class LeaderboardColumn(ResponseModel):
    key: str
    label: Nullable[str] = None
    value_type: Literal["number", "integer", "string", "boolean", "percent"]
    sort: Nullable[Literal["asc", "desc"]] = None


class LeaderboardRow(ResponseModel):
    subject_type: str = "player"
    subject_id: str
    subject_name: Nullable[str] = None
    values: dict[str, str | float | bool | None]
    policy_version_ids: list[UUID]
    recent_rounds: Nullable[list[RecentRound]] = None


class LeaderboardView(ResponseModel):
    key: str
    title: Nullable[str] = None
    description: Nullable[str] = None
    primary_column: Nullable[str] = None
    axis_values: dict[str, str]
    columns: list[LeaderboardColumn]
    rows: list[LeaderboardRow]


class DivisionLeaderboards(ResponseModel):
    default_view_key: str
    axes: list[dict[str, Any]]
    views: list[LeaderboardView]


class CompetitionEventRow(ResponseModel):
    id: UUID
    event_type: str
    audience: str
    user_id: Nullable[str] = None
    player: Nullable[CompetitionPlayer] = None
    policy_version: Nullable[CompetitionPolicyVersion] = None
    league: Nullable[Competition] = None
    division: Nullable[CompetitionDivision] = None
    round_id: Nullable[str] = None
    headline: str
    summary: str
    payload: dict[str, Any]
    created_at: datetime


class CompetitionSeed(ResponseModel):
    """What an operator wants a league to be."""

    id: str
    coworld_name: str
    league_key: str
    league_name: str
    default_variant_id: Nullable[str] = None
    template: str
    overrides: Nullable[dict[str, Any]] = None
    enabled: bool
    created_by: str
    created_at: datetime
    league_id: Nullable[str] = None


class FeatureFlags(ResponseModel):
    flags: dict[str, bool | str]


class CreditStatus(ResponseModel):
    balance_credits: float
    max_balance_credits: float
    refill_credits: float
    refill_cadence: str
    next_refill_at: datetime
    credits_per_usd: float
    spent_this_period_credits: float
    enforced: bool


class CreditRequest(ResponseModel):
    experience_request_id: str
    coworld: Nullable[str] = None
    episodes: int
    compute_cost_credits: float
    last_activity_at: datetime


class Credits(ResponseModel):
    status: CreditStatus
    recent_requests: list[CreditRequest]


class LeagueSettings(ResponseModel):
    """How a league is played: the stored document, and the same with every default filled in."""

    settings: dict[str, Any]
    effective_ladder_config: dict[str, Any]
    round_interval_minutes: Nullable[int] = None
    revision: int = Field(description="rises with every change; send it as If-Match to avoid overwriting another's")


class SeedPolicies(ResponseModel):
    """Policy versions for neutral seats that do not score, and how many of them play in an episode."""

    policy_version_ids: list[UUID]
    count: int


class PersistentPlayer(ResponseModel):
    """A player whose lasting game should be running."""

    player_id: str
    policy_version_id: UUID
    tags: dict[str, str]
    game_config_overrides: dict[str, Any]
    config_overlay_secret: str | None = None


class RecordedWindowRow(ResponseModel):
    """An interval of the lasting games of a persistent league."""

    id: str
    source_id: str
    started_at: datetime
    ended_at: datetime
    episodes: list[dict[str, Any]]
    round_id: str | None
    """the round that counts it"""
    created_at: datetime


class LeagueSetupProposal(ResponseModel):
    coworld_id: str
    manifest_hash: str
    certified: bool
    variant_id: str
    players_per_user: Nullable[int] = None


class LeagueSetup(ResponseModel):
    """What setting up a league would do, or did."""

    league_id: str
    status: Literal["ready_for_approval", "configured", "already_configured"]
    division_id: Nullable[str] = None
    proposal: Nullable[LeagueSetupProposal] = None
    revision: Nullable[str] = Field(default=None, description="of the proposal; approving needs it")
    daily_budget_usd: float
    round_interval_minutes: Nullable[int] = None


class LobbyAccess(ResponseModel):
    allowed: bool
    reason: Nullable[str] = None


class PortfolioSeat(ResponseModel):
    """A live membership of the caller."""

    player_id: str
    league_id: str
    game_name: str
    division_id: str
    policy_label: str
    status: str
    substatus: Nullable[str] = None


class SeedBinding(ResponseModel):
    coworld_name: str
    league_key: str
    default_variant_id: Nullable[str] = None
    effective_variant_id: Nullable[str] = None


class SeedCounts(ResponseModel):
    """What a league keeps when its seed is bound to another game."""

    divisions: int
    memberships: int
    submissions: int
    active_rounds: int


class SeedRebindResult(ResponseModel):
    seed_id: str
    league_id: Nullable[str] = None
    league_name: str
    current: SeedBinding
    proposed: SeedBinding
    commissioner_key: Nullable[str] = None
    canonical_coworld_id: Nullable[str] = None
    counts: SeedCounts
    blocking_reasons: list[str]


class SeedRebind(ResponseModel):
    dry_run: bool
    applied: bool
    results: list[SeedRebindResult]


class FeedRound(ResponseModel):
    league_id: str
    league_name: str
    round_id: str
    round_number: int
    closed_at: datetime


class FeedCheck(ResponseModel):
    """What a client should post to a game's feed; empty where the server has no feed."""

    human_name: Nullable[str] = None
    rounds: list[FeedRound]
    sensei_due: Nullable[dict[str, Any]] = None


class PowerAnchor(ResponseModel):
    policy_ref: str
    policy_version_id: UUID


class PowerWindow(ResponseModel):
    """The history that a power analysis is based on."""

    rounds: int
    episodes_scanned: int
    oldest_round_at: datetime


class PowerModeMix(ResponseModel):
    fractions: dict[str, float]
    source: Literal["campaign_board", "history"]


class PowerMode(ResponseModel):
    """The outcomes of a policy in one variant of the game."""

    episodes_used: int
    ally_episodes_excluded: int
    episodes_dropped_unclean: int
    wins: int
    ties_mutual_loss: int
    ties_zero: int
    losses: int
    operating_point: float = Field(description="the mean outcome: 1 for a win, 0.5 for a tie, 0 for a loss")
    score_variance: float
    pairs_detected: int
    pair_correlation: float
    design_effect: float
    aleatoric: Nullable[dict[str, Any]] = None
    flags: list[str]


class PowerRow(ResponseModel):
    """How many episodes show a difference of this many Elo points."""

    elo: float
    per_mode_n_per_arm: dict[str, int | None]
    blended_n_per_arm: Nullable[int] = None
    blended_n_range: Nullable[tuple[int, int]] = None
    one_arm_n: Nullable[int] = None
    anchor: str


class PowerAnalysis(ResponseModel):
    division_id: str
    anchor: Nullable[PowerAnchor] = None
    note: Nullable[str] = None
    window: PowerWindow
    mode_mix: PowerModeMix
    modes: dict[str, PowerMode]
    league_pooled: dict[str, PowerMode]
    table: list[PowerRow]

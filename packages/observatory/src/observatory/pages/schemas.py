"""Response schemas for pages. Times are UTC; an unknown number is null."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, Field

from observatory.database.tables.seasons import SeasonStatus, TournamentType

__all__ = [
    "CommissionerNote",
    "EntryState",
    "FailureLine",
    "HeadToHead",
    "HistoryLine",
    "JobKind",
    "JobLine",
    "Leader",
    "MatchLine",
    "MatchPage",
    "MatchPolicy",
    "MatchesPage",
    "Me",
    "MyEntry",
    "PartnerLine",
    "PolicyPage",
    "PolicyRef",
    "PolicySeason",
    "PolicyVersionLine",
    "QueuePage",
    "QueuedMatch",
    "RunningMatch",
    "ScorePoint",
    "SeasonCard",
    "SeasonPage",
    "SeasonVersionLine",
    "Stage",
    "StageState",
    "Table",
    "TableKind",
    "TableRow",
    "TeamRow",
    "Teams",
    "Timings",
    "WorkerLine",
]


class PolicyRef(BaseModel):
    """A policy version wherever it appears; its page is `/observatory/policies/{id}`."""

    id: uuid.UUID
    policy_id: uuid.UUID
    name: str
    version: int
    author: str
    """the name its owner shows"""
    author_id: str
    """of its owner, whose page is `/observatory/people/{author_id}`"""


class Leader(BaseModel):
    """A policy at the top of a table. `low` to `high` holds the true score in 95 of 100 cases."""

    policy: PolicyRef
    score: float
    low: float | None = None
    high: float | None = None


class SeasonCard(BaseModel):
    """A season in the list of seasons."""

    id: uuid.UUID
    name: str
    version: int
    display_name: str
    summary: str
    tournament_type: TournamentType
    status: SeasonStatus
    is_default: bool
    public: bool
    compat_version: str | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    entrants: int
    active_entrants: int
    matches: int
    """completed ones"""
    failed: int
    running: int
    waiting: int
    leader: Leader | None
    top: list[Leader]
    """the first three, the leader among them"""


class StageState(StrEnum):
    """How far a stage is."""

    OPEN = "open"
    """a pool of a freeplay season, which stays open until the season ends"""
    PENDING = "pending"
    ACTIVE = "active"
    COMPLETE = "complete"


class Stage(BaseModel):
    """A pool, and what is played in it."""

    index: int
    """from 1"""
    pool: str
    title: str
    kind: str
    """`qualifying`, `competition`, `policy_eval`, `sample_teams`, `team_eval`, `score_policies` or `placements`"""
    description: str
    state: StageState
    policies: int
    active: int
    teams: int
    eliminated: int
    """teams that are out"""
    completed: int
    failed: int
    running: int
    waiting: int
    percent: float
    """of the matches made so far, those that ended"""


class EntryState(StrEnum):
    """The state of a submission."""

    WAITING = "waiting"
    """in a pool, no match of it is running or queued now"""
    QUEUED = "queued"
    """a match of it waits for a worker"""
    PLAYING = "playing"
    """a match of it runs"""
    OUT = "out"
    """left all pools"""
    FINISHED = "finished"
    """the season is complete"""


class MyEntry(BaseModel):
    """One of the caller's policies in a season: where it is, what happened last, and why."""

    policy: PolicyRef
    pool: str
    state: EntryState
    place: int | None
    """of its next match in the queue of all jobs, from 1"""
    rank: int | None
    """in the table of its pool"""
    score: float | None
    completed: int
    failed: int
    last_event: str
    last_event_at: datetime
    why: str
    """one sentence: what it waits for, or why it is out"""


class SeasonVersionLine(BaseModel):
    version: int
    canonical: bool
    status: SeasonStatus
    created_at: datetime
    completed_at: datetime | None
    closed_at: datetime | None


class SeasonPage(SeasonCard):
    """A season with its details."""

    canonical: bool
    game_description: str | None
    entry_pool: str | None
    leaderboard_pool: str | None
    auto_roll_hour_utc: int | None
    closed_at: datetime | None
    takes_policies: bool
    why_closed: str | None
    seed: str | None
    """hidden until this version ends"""
    stages: list[Stage]
    versions: list[SeasonVersionLine]
    why_nothing_is_scheduled: str | None
    """what the commissioner said when it last looked and found nothing to play"""
    my_entries: list[MyEntry]
    """empty for visitors who are not signed in"""


class TableKind(StrEnum):
    """The kind of scores in a table."""

    SCORES = "scores"
    """weighted means of match scores; higher is better"""
    PLACEMENTS = "placements"
    """sums of team ranks; lower is better"""


class TableRow(BaseModel):
    """A policy in a table. `low` to `high` holds the true score in 95 of 100 cases."""

    rank: int
    policy: PolicyRef
    score: float
    low: float | None
    high: float | None
    rank_low: int | None
    """the best rank that cannot be ruled out"""
    rank_high: int | None
    """the worst one"""
    stddev: float | None
    matches: int
    failed: int
    """failed matches for which this policy is at fault"""
    failing: bool
    """its last match was one of them"""
    vor: float | None
    """value over replacement"""
    vor_low: float | None
    vor_high: float | None
    trend: float | None
    """by how much its last match has moved the score"""
    last_match_at: datetime | None
    isolation: str | None
    """the isolation of the policy in its last match"""
    active: bool
    team_ranks: list[int] = Field(default_factory=list)
    """in a table of placements"""


class Table(BaseModel):
    season: str
    season_version: int
    pool: str
    kind: TableKind
    lower_is_better: bool
    maps: int
    """different maps played so far: matches on the same map are not independent evidence"""
    matches: int
    updated_at: datetime | None
    rows: list[TableRow]


class TeamRow(BaseModel):
    """A team. `rank` is its place in its pool; None while it has no score."""

    id: uuid.UUID
    pool: str
    rank: int | None
    score: float | None
    low: float | None
    high: float | None
    matches: int
    eliminated: bool
    notes: str | None
    """why it is out"""
    parent_team_id: uuid.UUID | None
    members: list[PolicyRef]
    """by seat; a policy may have several"""


class Teams(BaseModel):
    season: str
    season_version: int
    pools: list[str]
    """of teams, in order"""
    total: int
    rows: list[TeamRow]


class MatchPolicy(BaseModel):
    policy: PolicyRef
    num_agents: int
    score: float | None
    to_blame: bool


class MatchLine(BaseModel):
    """A match in a list. `status` is waiting, running, completed or failed."""

    id: uuid.UUID
    season: str
    season_version: int
    pool: str
    status: str
    players: list[MatchPolicy]
    team_id: uuid.UUID | None
    why: str | None
    """why it is played"""
    error: str | None
    error_type: str | None
    created_at: datetime
    completed_at: datetime | None
    has_replay: bool
    watch_url: str | None
    """the viewer with the running match, if it may be watched"""


class MatchesPage(BaseModel):
    rows: list[MatchLine]
    total: int
    """of all that fit, whatever the cursor"""
    next_cursor: str | None
    """None at the end"""


class Timings(BaseModel):
    """Seconds."""

    waited: float | None
    """from queued to leased"""
    played: float | None
    """from leased to ended"""


class MatchPage(MatchLine):
    """A match with its details."""

    season_display_name: str
    job_id: uuid.UUID | None
    episode_id: uuid.UUID | None
    assignments: list[int]
    """for each agent a position in `players`"""
    rewards: list[float] | None
    """of each agent"""
    steps: int | None
    sample: int | None
    """which of the season's maps; the same number is the same map for all policies"""
    seed: str | None
    """hidden until the season ends"""
    worker: str | None
    """shown to administrators only"""
    attempts: int
    timings: Timings
    isolation: list[str]
    """of each player, the level that was shown to hold"""
    runtime: dict[str, object]
    """versions and timings that the worker reported"""
    digests: dict[str, str]
    """SHA-256 of results and replay, by file"""
    replay_url: str | None
    viewer_url: str | None
    my_policies: list[uuid.UUID]
    """of the players, those whose logs the caller may read"""


class PolicyVersionLine(BaseModel):
    """A version of a policy with its score in the chosen pool.

    `low` to `high` holds the true score in 95 of 100 cases.
    """

    id: uuid.UUID
    version: int
    created_at: datetime
    seasons: list[str]
    rank: int | None
    score: float | None
    low: float | None
    high: float | None
    matches: int


class HistoryLine(BaseModel):
    """What happened to a policy version in a pool."""

    season: str
    season_version: int
    pool: str
    action: str
    notes: str | None
    at: datetime


class ScorePoint(BaseModel):
    """A match score, and the running score after it with its interval."""

    match_id: uuid.UUID
    at: datetime
    match_score: float
    score: float
    low: float | None = None
    high: float | None = None


class HeadToHead(BaseModel):
    """Matches with one other policy: our mean score, theirs, and the difference with its interval."""

    opponent: PolicyRef
    matches: int
    score: float
    opponent_score: float
    difference: float
    low: float | None
    high: float | None


class PartnerLine(BaseModel):
    """Matches with one partner in a game with a shared reward.

    `difference` is the mean of the score in each of these matches minus the policy's mean on the same map with all its
    partners; `low` to `high` holds the true difference in 95 of 100 cases.
    """

    partner: PolicyRef
    matches: int
    score: float
    average: float
    """of the policy on the same maps"""
    difference: float
    low: float | None
    high: float | None


class PolicySeason(BaseModel):
    """A policy version in a pool of a season."""

    season: str
    season_version: int
    display_name: str
    pool: str
    active: bool
    rank: int | None
    of: int
    score: float | None
    low: float | None
    high: float | None
    vor: float | None
    matches: int
    failed: int


class FailureLine(BaseModel):
    match_id: uuid.UUID
    season: str
    pool: str
    error: str | None
    error_type: str | None
    at: datetime


class PolicyPage(BaseModel):
    """Everything public about a policy version. Points and rows are those of `pool` in `season`."""

    policy: PolicyRef
    created_at: datetime
    bundle_bytes: int | None
    public_bundle: bool
    mine: bool
    versions: list[PolicyVersionLine]
    """of the same name, the newest first"""
    seasons: list[PolicySeason]
    history: list[HistoryLine]
    season: str | None
    pool: str | None
    points: list[ScorePoint]
    shared_reward: bool
    """no match of this pool gave its players different scores: they are partners and cannot beat each other"""
    head_to_head: list[HeadToHead]
    """empty with a shared reward"""
    partners: list[PartnerLine]
    """empty without a shared reward; the best partner first"""
    mean_seconds: float | None
    """a match takes, over its last hundred"""
    failures: list[FailureLine]
    card_url: str


class JobKind(StrEnum):
    """The purpose of a job."""

    MATCH = "match"
    """of a season"""
    EPISODE = "episode"
    """of a round, of a request, or of a new version of a game"""
    FRIENDLY = "friendly"
    """a friendly match"""
    COMMISSIONER = "commissioner"
    """a conversation with the commissioner of a league"""
    CERTIFICATION = "certification"
    """of a version of a game"""
    REPORT = "report"
    """a reporter, grader or diagnoser looks at an episode"""
    HOSTED_GAME = "hosted_game"
    """a game that people play in their browsers, or a replay that its game serves"""
    ASSAY = "assay"
    PRIVATE = "private"
    """not for the caller"""


class JobLine(BaseModel):
    """A job in the queue, as far as the caller may see it."""

    kind: JobKind
    title: str
    """what is played or run; a sentence for private jobs"""
    url: str | None
    """its page"""
    about: str
    """the season, league or request it belongs to"""
    about_url: str | None
    match: MatchLine | None
    is_live: bool = False
    """whether its page shows it while it is played"""


class RunningMatch(JobLine):
    """A job that a worker is running."""

    since: datetime | None
    worker: str | None


class QueuedMatch(JobLine):
    place: int
    queued_at: datetime
    why: str
    """what it waits for"""


class QueueShareLine(BaseModel):
    """A season, a league or a kind of job with waiting jobs, and its share of the workers' time."""

    title: str
    url: str | None
    weight: float
    share: float
    """its part of the time while all of these have waiting jobs, from 0 to 1"""
    waiting: int
    running: int
    ahead_seconds: float
    """how much more time it has had than the one that is next, for its weight; 0 for the next"""


class WorkerLine(BaseModel):
    name: str
    seen_seconds_ago: float


class CommissionerNote(BaseModel):
    """The commissioner's decisions in its last pass over a season."""

    season: str
    at: datetime
    scheduled: int
    """matches created in this pass"""
    sentence: str
    """why no more than that"""
    failed: bool
    """the season could not be checked"""


class QueuePage(BaseModel):
    running: list[RunningMatch]
    queued: list[QueuedMatch]
    """the first of them"""
    queued_total: int
    shares: list[QueueShareLine]
    """who shares the workers, the next one first"""
    workers: list[WorkerLine]
    commissioner: list[CommissionerNote]


class Me(BaseModel):
    """The current user. Send `csrf` in the header `X-CSRF-Token` of requests that change something."""

    signed_in: bool
    user_id: str | None
    name: str | None
    email: str | None
    is_admin: bool
    csrf: str

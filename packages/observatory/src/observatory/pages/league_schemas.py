"""Responses for the pages of leagues and divisions. Times are UTC; an unknown number is null."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from observatory.leagues.settings_form import SettingsField
from observatory.pages.schemas import PolicyRef
from softmax.wire.leagues import LeaderboardColumn

__all__ = [
    "BoardPlace",
    "CoworldRef",
    "DivisionCard",
    "DivisionLines",
    "DivisionPage",
    "DivisionRef",
    "DivisionRow",
    "DivisionState",
    "DivisionTable",
    "DivisionView",
    "EnterCommand",
    "EventLine",
    "EventsPage",
    "FormPoint",
    "LeagueCard",
    "LeagueEntry",
    "LeagueEntryState",
    "LeagueLocksRead",
    "LeaguePage",
    "LeagueRef",
    "LeagueSettingsForm",
    "LeagueState",
    "MemberLine",
    "MembersPage",
    "PlayerRef",
    "RefusedSubmission",
    "RoundLine",
    "RoundsPage",
    "RulesText",
    "WaitingChampion",
]


class PlayerRef(BaseModel):
    """A player wherever it appears; its page is `/observatory/players/{id}`."""

    id: str
    name: str


class LeagueRef(BaseModel):
    id: str
    name: str


class CoworldRef(BaseModel):
    """The game of a league; its page is `/observatory/coworlds/{coworld_name}`."""

    name: str
    coworld_name: str
    coworld_id: str | None
    """the version that the league plays now"""
    version: str | None
    description: str


class DivisionRef(BaseModel):
    id: str
    name: str
    level: int
    """the highest is the best"""
    type: str
    """`competition` or `staging`"""
    hidden: bool


class DivisionState(StrEnum):
    """The current state of a division."""

    PLAYING = "playing"
    WAITING = "waiting"
    """no round is due; `why` and `next_at` say what it waits for"""
    PAUSED = "paused"
    OFF = "off"
    """the owner has not enabled rounds"""
    FAILED = "failed"
    """rounds cannot begin; `why` says the problem"""
    CLOSED = "closed"


class LeagueState(BaseModel):
    """The state of a league in one line."""

    state: DivisionState
    sentence: str
    next_at: datetime | None
    """when the next round is due, if a time is known"""


class RoundLine(BaseModel):
    """A round in a list. `ended` counts episodes of the plan whose last attempt has ended."""

    id: str
    number: int
    division: DivisionRef
    status: str
    kind: str
    """`ladder`, `grading`, `qualification` or `commissioner`"""
    entrants: int | None
    episodes: int
    ended: int
    failed: int
    running: int
    waiting: int
    winner: PlayerRef | None
    winner_policy: PolicyRef | None
    error: str | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None


class RoundsPage(BaseModel):
    rows: list[RoundLine]
    total: int
    next_cursor: str | None
    """None at the end"""


class BoardPlace(BaseModel):
    """One of the best players of a division. `low` to `high` is the 95 % interval of `measured`."""

    rank: int
    player: PlayerRef
    policy: PolicyRef | None
    score: float | None
    measured: float | None = None
    low: float | None = None
    high: float | None = None


class DivisionCard(DivisionRef):
    description: str
    members: int
    champions: int
    state: DivisionState
    why: str
    next_at: datetime | None
    round: RoundLine | None
    """the one that is being played"""
    score_label: str
    best: list[BoardPlace]


class LeagueCard(BaseModel):
    """A league in the list of leagues."""

    id: str
    name: str
    game: CoworldRef
    public: bool
    hidden: bool
    is_game_of_week: bool
    commissioner: str
    """`platform`, or `container` for a program of the game's author"""
    state: LeagueState
    players: int
    members: int
    divisions: int
    rounds: int
    """completed ones"""
    playing: list[RoundLine]
    leader: BoardPlace | None
    leader_label: str
    best: list[BoardPlace]
    """the first three of the best division with a table, the leader among them"""
    best_division: str | None
    created_at: datetime


class LeagueEntryState(StrEnum):
    """The state of one of the caller's policy versions in a league."""

    PLAYING = "playing"
    """an entrant of the round that is being played"""
    CHAMPION = "champion"
    """plays in the next round"""
    BENCHED = "benched"
    """another version of the player is its champion"""
    QUALIFYING = "qualifying"
    WAITING = "waiting"
    DISQUALIFIED = "disqualified"
    RETIRED = "retired"


class LeagueEntry(BaseModel):
    """One of the caller's policy versions in a league."""

    membership_id: str
    player: PlayerRef
    policy: PolicyRef
    division: DivisionRef
    state: LeagueEntryState
    is_champion: bool
    status: str
    substatus: str | None
    rank: int | None
    score: float | None
    score_label: str
    why: str
    """one sentence: what it waits for, or why it does not play"""
    last_event: str
    last_event_at: datetime
    can_be_champion: bool
    can_retire: bool


class RefusedSubmission(BaseModel):
    """A submission of the caller that was not placed."""

    policy: PolicyRef
    status: str
    notes: str | None
    created_at: datetime


class EnterCommand(BaseModel):
    """One step of entering a league on a command line."""

    title: str
    commands: list[str]


class RulesText(BaseModel):
    """How a division is played, in words: of its commissioner, or of the platform ladder."""

    division: DivisionRef
    round_schedule: str | None = None
    next_round: str | None = None
    round_structure: str | None = None
    leaderboard_rules: str | None = None
    scoring_mechanics: str | None = None
    changelog: list[dict[str, Any]]


class LeagueLocksRead(BaseModel):
    submissions_locked: bool
    game_version_locked: bool
    locked_game_version: str | None
    canonical_game_version: str


class LeaguePage(LeagueCard):
    """A league with its details."""

    division_cards: list[DivisionCard]
    """the best division first"""
    takes_policies: bool
    why_closed: str | None
    players_per_user: int
    guide_url: str
    commands: list[EnterCommand]
    rules: list[RulesText]
    locks: LeagueLocksRead
    paused_at: datetime | None
    owner: str
    commissioner_problem: str | None
    may_manage: bool
    my_entries: list[LeagueEntry]
    my_refused: list[RefusedSubmission]


class LeagueSettingsForm(BaseModel):
    """The settings of a league for its owner. Saving them names the revision, so that no change is overwritten."""

    settings: dict[str, Any]
    revision: int
    fields: list[SettingsField]


class EventLine(BaseModel):
    id: str
    kind: str
    headline: str
    summary: str
    player: PlayerRef | None
    division: DivisionRef | None
    round_id: str | None
    at: datetime


class EventsPage(BaseModel):
    rows: list[EventLine]
    next_cursor: str | None


class DivisionLines(BaseModel):
    """When players leave a division. A line is null where no such move exists."""

    promote_above: float | None
    promote_to: DivisionRef | None
    relegate_below: float | None
    relegate_to: DivisionRef | None
    disqualify_after: int | None
    """rounds in a row in which a policy was at fault"""
    gate: float | None
    """the score that a member of a staging division needs"""
    gate_to: DivisionRef | None
    sentences: list[str]


class DivisionPage(DivisionCard):
    league: LeagueRef
    game: CoworldRef
    archived_at: datetime | None
    lines: DivisionLines
    rules: RulesText | None
    rounds: int
    ladder: list[DivisionRef]
    """all divisions of the league, the best first"""
    may_manage: bool


class FormPoint(BaseModel):
    """A player's result in a recent round."""

    round_id: str
    number: int
    rank: int
    of: int
    score: float
    rating: float | None
    """after the round"""


class DivisionRow(BaseModel):
    """A player in a view of a division's table. `low` to `high` is the 95 % interval of `measured`."""

    rank: int
    subject_id: str
    player: PlayerRef | None
    """None for a row that is not about a player"""
    name: str
    policy: PolicyRef | None
    score: float | None
    measured: float | None
    low: float | None
    high: float | None
    rounds: int | None
    settling: bool
    zone: str | None
    """`promotion` or `relegation`: beyond a line"""
    values: dict[str, str | float | bool | None]
    form: list[FormPoint]
    """oldest first"""


class DivisionView(BaseModel):
    key: str
    title: str
    description: str
    axis_values: dict[str, str]


class WaitingChampion(BaseModel):
    player: PlayerRef
    policy: PolicyRef
    since: datetime


class DivisionTable(BaseModel):
    """One view of a division's table."""

    division: DivisionRef
    views: list[DivisionView]
    view: str | None
    """the key of this view; None before the first round"""
    score_label: str
    score_key: str | None
    measured_label: str | None
    columns: list[LeaderboardColumn]
    """those that are not shown in a column of their own"""
    rows: list[DivisionRow]
    lines: DivisionLines
    waiting: list[WaitingChampion]
    """champions without a place in the table yet"""
    settled_rounds: int


class MemberLine(BaseModel):
    membership_id: str
    player: PlayerRef
    policy: PolicyRef
    status: str
    substatus: str | None
    is_champion: bool
    since: datetime
    ended_at: datetime | None
    reason: str
    reason_at: datetime
    is_mine: bool
    can_retire: bool
    can_be_champion: bool


class MembersPage(BaseModel):
    rows: list[MemberLine]
    live: int
    total: int
    next_cursor: str | None

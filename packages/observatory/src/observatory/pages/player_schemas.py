"""Responses for the page of a player."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel

from observatory.pages.league_schemas import DivisionRef, LeagueRef, PlayerRef
from observatory.pages.schemas import PolicyRef

__all__ = [
    "HistoryEvent",
    "HistoryPage",
    "PlayerEpisode",
    "PlayerMembership",
    "PlayerPage",
    "PlayerPolicy",
    "PlayerRound",
    "PlayerSeason",
    "RatingPoint",
    "Ratings",
]


class PlayerMembership(BaseModel):
    """A policy version of the player in a league."""

    id: str
    league: LeagueRef
    division: DivisionRef
    policy: PolicyRef
    status: str
    substatus: str | None
    is_champion: bool
    is_live: bool
    since: datetime
    ended_at: datetime | None
    rank: int | None
    of: int
    score: float | None
    score_label: str
    settling: bool


class PlayerPolicy(BaseModel):
    """A policy of the player, by its newest version."""

    policy: PolicyRef
    versions: int
    created_at: datetime


class PlayerSeason(BaseModel):
    """A policy of the same owner in a season."""

    season: str
    season_version: int
    display_name: str
    policy: PolicyRef
    pool: str
    active: bool


class RatingPoint(BaseModel):
    round_id: str
    number: int
    division: DivisionRef
    policy: PolicyRef
    at: datetime
    before: float | None
    after: float | None
    rank: int
    of: int
    score: float


class Ratings(BaseModel):
    """The results of the player in one league, oldest first. `label` is that of the ratings; None without ratings."""

    league: LeagueRef
    label: str | None
    points: list[RatingPoint]


class PlayerRound(RatingPoint):
    league: LeagueRef


class PlayerEpisode(BaseModel):
    """A recent episode; its page is `/observatory/episodes/{id}`."""

    id: str
    league: LeagueRef
    round_id: str
    round_number: int
    status: str
    score: float | None
    opponents: list[PlayerRef]
    at: datetime


class PlayerPage(BaseModel):
    player: PlayerRef
    owner: str
    """the name that the owner of the player shows"""
    mine: bool
    created_at: datetime
    memberships: list[PlayerMembership]
    """live ones first, then the newest"""
    policies: list[PlayerPolicy]
    seasons: list[PlayerSeason]
    ratings: list[Ratings]
    rounds: list[PlayerRound]
    """the last ones, newest first"""
    episodes: list[PlayerEpisode]


class HistoryEvent(BaseModel):
    """A change of a membership. A division that the caller may not see is null."""

    id: str
    membership_id: str
    league: LeagueRef
    policy: PolicyRef
    from_division: DivisionRef | None
    to_division: DivisionRef | None
    move: str
    """`entered`, `promoted`, `relegated`, `left`, `disqualified` or `changed`"""
    status: str
    substatus: str | None
    reason: str
    notes: str | None
    evidence: list[dict[str, Any]]
    at: datetime


class HistoryPage(BaseModel):
    rows: list[HistoryEvent]
    next_cursor: str | None

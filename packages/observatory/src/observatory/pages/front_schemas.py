"""Response schemas of the front page and of the profile."""

from __future__ import annotations

import uuid
from datetime import datetime

from pydantic import BaseModel

from observatory.database.tables.hosted import HostedKind, HostedStatus
from observatory.database.tables.leagues import SubmissionStatus
from observatory.database.tables.requests import ExperienceStatus
from observatory.pages.episode_schemas import EpisodeLine
from observatory.pages.league_schemas import LeagueCard
from observatory.pages.player_schemas import PlayerMembership
from observatory.pages.schemas import PolicyRef, SeasonCard

__all__ = [
    "FrontPage",
    "HostedLine",
    "PlayerLine",
    "PolicyLeagues",
    "Profile",
    "RequestLine",
    "SeasonEntryLine",
    "SubmissionLine",
    "TokenLine",
]


class SeasonEntryLine(BaseModel):
    """One of the caller's policies in a season."""

    policy: PolicyRef
    season: str
    display_name: str
    pool: str
    active: bool
    rank: int | None
    of: int
    score: float | None
    entered_at: datetime


class FrontPage(BaseModel):
    """Seasons and leagues together: those that play now first."""

    seasons: list[SeasonCard]
    leagues: list[LeagueCard]
    coworlds: int
    """games that the caller may see"""
    my_seasons: list[SeasonEntryLine]
    my_leagues: list[PlayerMembership]


class SubmissionLine(BaseModel):
    id: str
    policy: PolicyRef
    league_id: str
    league: str
    player: str
    status: SubmissionStatus
    notes: str | None
    created_at: datetime


class RequestLine(BaseModel):
    """An experience request of the caller."""

    id: str
    title: str
    coworld_id: str
    coworld: str
    status: ExperienceStatus
    episodes: int
    ended: int
    failed: int
    first_episode: str | None
    created_at: datetime


class HostedLine(BaseModel):
    """A game that the caller hosts in the browser."""

    id: str
    kind: HostedKind
    coworld_id: str
    coworld: str
    status: HostedStatus
    url: str | None
    """its page"""
    created_at: datetime
    ended_at: datetime | None


class PlayerLine(BaseModel):
    id: str
    name: str
    is_default: bool
    created_at: datetime


class TokenLine(BaseModel):
    id: uuid.UUID
    name: str
    kind: str
    preview: str
    created_at: datetime
    expires_at: datetime | None


class Profile(BaseModel):
    """Everything of the current user, in one place."""

    seasons: list[SeasonEntryLine]
    leagues: list[PlayerMembership]
    submissions: list[SubmissionLine]
    requests: list[RequestLine]
    episodes: list[EpisodeLine]
    """the last ones with a policy of the user, or requested by the user"""
    hosted: list[HostedLine]
    players: list[PlayerLine]
    tokens: list[TokenLine]
    """valid ones; their values are not stored"""


class PolicyLeagues(BaseModel):
    """Where a policy version plays besides seasons."""

    leagues: list[PlayerMembership]
    episodes: list[EpisodeLine]
    """the last ones that the caller may see"""

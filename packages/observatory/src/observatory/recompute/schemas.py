"""Response schemas of a recomputation."""

from __future__ import annotations

import uuid
from enum import StrEnum

from pydantic import BaseModel, Field

from observatory.wire import Body

__all__ = [
    "Finding",
    "FindingKind",
    "LeagueRecomputeReport",
    "LeagueRecomputeRequest",
    "RecomputeReport",
    "RecomputeRequest",
]


class FindingKind(StrEnum):
    """The kind of a difference between stored and recomputed data."""

    FILE = "file"
    """a file of a match is missing, or was changed after the match"""
    SCORE = "score"
    """the score of a policy in a match"""
    TABLE = "table"
    """a row of a table as it is shown"""
    MEMBER = "member"
    """who is in a pool"""
    TEAM = "team"
    """who is in a team, its score, whether it is out"""
    SEASON = "season"
    """whether a season is complete"""


class RecomputeRequest(Body):
    """Without a season all of them. `check` changes nothing."""

    season: str | None = Field(default=None, max_length=200)
    check: bool = True


class Finding(BaseModel):
    """One difference, in a sentence."""

    kind: FindingKind
    season: str
    match_id: uuid.UUID | None = None
    sentence: str


class RecomputeReport(BaseModel):
    seasons: int
    matches: int
    files: int
    repaired: int
    findings: list[Finding]
    sentence: str


class LeagueRecomputeRequest(Body):
    """`check` changes nothing."""

    check: bool = True


class LeagueRecomputeReport(BaseModel):
    """What the logs of a league's rounds give, compared bit by bit with what is stored."""

    rounds: int
    results: int
    players: int
    repaired: int
    differences: list[str]
    sentence: str

"""Responses for the page of a person."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from observatory.pages.front_schemas import SeasonEntryLine
from observatory.pages.player_schemas import PlayerMembership, PlayerPolicy
from observatory.pages.schemas import MatchLine, PolicyRef

__all__ = ["BestResult", "PersonPage"]


class BestResult(BaseModel):
    """A high place in a table."""

    kind: Literal["season", "league"]
    title: str
    """of the season or league"""
    url: str
    policy: PolicyRef
    rank: int
    of: int
    score: float | None
    is_final: bool
    """whether the season has ended"""
    at: datetime


class PersonPage(BaseModel):
    """The public data of a person. Never the address to sign in with."""

    id: str
    key: str
    """the page is `/observatory/people/{key}`: the name, or the id where the name does not identify one person"""
    name: str
    mine: bool
    since: datetime
    policies: list[PlayerPolicy]
    """by their newest versions, the newest first"""
    seasons: list[SeasonEntryLine]
    leagues: list[PlayerMembership]
    best: list[BestResult]
    """the best places first"""
    matches: list[MatchLine]
    """the last ones with a policy of the person"""

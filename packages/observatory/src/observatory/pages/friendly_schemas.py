"""Requests and responses about friendly matches."""

from __future__ import annotations

import uuid
from datetime import datetime

from pydantic import BaseModel, Field

from observatory.database.tables.friendlies import FriendlyStatus
from observatory.database.tables.notices import ChallengeRule
from observatory.pages.schemas import PolicyRef
from observatory.wire import Body

__all__ = ["ChallengeCreate", "ChallengeOptions", "FriendlyLine", "FriendlyPage", "FriendlyPolicy", "MissionOption"]


class ChallengeCreate(Body):
    """A friendly match to be played: a policy version of the caller's against another one."""

    policy_version_id: uuid.UUID
    opponent_version_id: uuid.UUID
    mission: str = Field(max_length=300)
    """a `key` of the list of missions"""


class MissionOption(BaseModel):
    key: str
    title: str


class ChallengeOptions(BaseModel):
    """What the caller can choose for a challenge to a policy version."""

    opponent: PolicyRef
    rule: ChallengeRule
    """how the owner of that policy answers challenges"""
    why_not: str | None
    """why a challenge is not possible"""
    policies: list[PolicyRef]
    """versions of the caller that can play: the newest of each policy"""
    missions: list[MissionOption]


class FriendlyPolicy(BaseModel):
    """A policy in a friendly match."""

    policy: PolicyRef
    num_agents: int
    score: float | None
    to_blame: bool
    """it is at fault for a failure"""


class FriendlyLine(BaseModel):
    """A challenge, or the friendly match that came of it."""

    id: uuid.UUID
    status: FriendlyStatus
    expired: bool
    """whether the challenge was not answered in time"""
    players: list[FriendlyPolicy]
    """the challenger first"""
    mission: str
    season: str | None
    """the season whose game it is"""
    mine: bool
    """whether the caller is the challenger"""
    can_answer: bool
    can_withdraw: bool
    created_at: datetime
    completed_at: datetime | None


class FriendlyPage(FriendlyLine):
    error: str | None
    error_type: str | None
    assignments: list[int]
    rewards: list[float] | None
    steps: int | None
    job_id: uuid.UUID | None
    episode_id: uuid.UUID | None
    replay_url: str | None
    viewer_url: str | None
    watch_url: str | None
    """the viewer with the running match, if it may be watched"""

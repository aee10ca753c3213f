"""Response schemas of episode pages. Times are UTC; an unknown number is null."""

from __future__ import annotations

import uuid
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel

from observatory.database.tables.requests import EpisodeRequestStatus, RequestSource
from observatory.pages.schemas import PolicyRef, Timings

__all__ = [
    "EpisodeCoworld",
    "EpisodeFault",
    "EpisodeFileLine",
    "EpisodeFrames",
    "EpisodeLine",
    "EpisodeOutput",
    "EpisodePage",
    "EpisodeReplay",
    "EpisodeRole",
    "EpisodeRoleRun",
    "EpisodeRound",
    "FaultKind",
    "ReplayKind",
    "SeatLine",
]


class FaultKind(StrEnum):
    """The party that a failed episode blames."""

    POLICY = "policy"
    GAME = "game"
    SERVER = "server"
    UNKNOWN = "unknown"


class EpisodeFault(BaseModel):
    """Why an episode failed."""

    kind: FaultKind
    seat: int | None
    """the seat at fault"""
    error_type: str
    message: str


class EpisodeCoworld(BaseModel):
    """A version of a game; its page is `/observatory/coworlds/{id}`."""

    id: str
    name: str
    version: str
    variant_id: str | None
    variant: str | None
    """its name in the manifest"""


class EpisodeRound(BaseModel):
    """The round that an episode belongs to."""

    id: str
    number: int
    division_id: str
    division: str
    league_id: str
    league: str


class SeatLine(BaseModel):
    """A seat: a policy version, or a player that comes with the game."""

    position: int
    name: str
    policy: PolicyRef | None
    player_id: str | None
    player: str | None
    is_filler: bool
    score: float | None
    rank: int | None
    """among all seats with a score, from 1; equal scores share a rank"""
    at_fault: bool
    mine: bool
    """the caller may read the log and the artifact of the seat"""
    has_log: bool
    has_artifact: bool


class EpisodeLine(BaseModel):
    """An episode in a list."""

    id: str
    status: EpisodeRequestStatus
    source: RequestSource
    coworld: EpisodeCoworld
    round: EpisodeRound | None
    seats: list[SeatLine]
    sentence: str
    """what happened"""
    created_at: datetime
    completed_at: datetime | None
    has_replay: bool
    is_live: bool
    """whether it can be watched now, on its page"""


class ReplayKind(StrEnum):
    """How a replay is shown."""

    VIEWER = "viewer"
    """in the replay viewer of this server"""
    BUNDLE = "bundle"
    """in the game's own page, a static bundle"""
    HOSTED = "hosted"
    """in the game's own page, which the game serves when it is started"""
    NONE = "none"


class EpisodeReplay(BaseModel):
    kind: ReplayKind
    download_url: str | None
    why: str | None
    """why there is none"""


class EpisodeFileLine(BaseModel):
    """A file that the caller may download."""

    title: str
    name: str
    url: str
    kind: Literal["log", "json", "archive", "replay"]
    seat: int | None


class EpisodeRole(BaseModel):
    """A reporter, grader or diagnoser of the game."""

    role: Literal["reporter", "grader", "diagnoser"]
    id: str
    name: str
    description: str


class EpisodeOutput(BaseModel):
    """A file that a role wrote."""

    id: uuid.UUID
    name: str
    type: str
    size_bytes: int


class EpisodeRoleRun(BaseModel):
    """A run of a role on the episode."""

    id: uuid.UUID
    role: Literal["reporter", "grader", "diagnoser"]
    role_id: str
    seat: int | None
    status: Literal["pending", "running", "completed", "failed"]
    error: str | None
    outputs: list[EpisodeOutput]
    completed_at: datetime | None


class EpisodePage(EpisodeLine):
    """An episode with its details, as far as the caller may see them."""

    requester: str
    """the name of the user who requested it"""
    request_id: str | None
    """the experience request, shown to those who may read it"""
    request_title: str | None
    seed: int | None
    max_steps: int | None
    steps: int | None
    attempts: int
    timings: Timings
    fault: EpisodeFault | None
    replay: EpisodeReplay
    sees_results: bool
    results_schema: dict[str, Any]
    """of the game; titles and descriptions of the results"""
    game_config: dict[str, Any]
    files: list[EpisodeFileLine]
    bundle_url: str
    roles: list[EpisodeRole]
    runs: list[EpisodeRoleRun]
    may_run_roles: bool


class EpisodeFrames(BaseModel):
    """Addresses of third-party pages, for frames. They need no credentials and expire."""

    page_url: str | None
    """of the page that shows the replay; None if the game has to be started for it"""
    replay_url: str | None
    """of the replay: for a page of the game, which takes it after `#replay=`, or to start the game with"""
    output_urls: dict[str, str]
    """of outputs of roles, by id"""
    live_url: str | None
    """of the game's own page for spectators, while the episode is played"""

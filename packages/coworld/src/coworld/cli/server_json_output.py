"""The `--json` output of commands that call a server: responses of the server, and documents about files."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from coworld.server.pages import (
    CompetitionEventPage,
    CoworldPage,
    ImagePage,
    LeaguePolicyMembershipPage,
    LeagueSubmissionPage,
)
from coworld.server.reproduction import Reproduction
from softmax.wire.accounts import PlayerResponse
from softmax.wire.coworlds import CertificationStatus, CoworldResponse, CoworldSecretRow, CoworldVisibility
from softmax.wire.images import ContainerImageRow
from softmax.wire.leagues import (
    Competition,
    CompetitionDivision,
    CompetitionMembership,
    CompetitionPool,
    CompetitionPoolDetail,
    CompetitionRoundDetail,
    CompetitionRoundPage,
    CompetitionSeed,
    CompetitionSubmission,
    Credits,
    DivisionLadderEntry,
    DivisionLeaderboardEntry,
    LeagueLocks,
    LeagueSettings,
    LeagueSetup,
    PowerAnalysis,
    SeedRebind,
)
from softmax.wire.lobbies import CompetitionLobby
from softmax.wire.policies import PolicyVersionResponse
from softmax.wire.requests import (
    BulkEpisodePage,
    EpisodeRequestList,
    EpisodeRequestRow,
    EpisodeRequestSummary,
    ExperienceRequestDetail,
    ExperienceRequestPage,
    PolicyArtifactInfo,
    RequestedEpisodeStats,
)

__all__ = [
    "SERVER_DOCUMENTS",
    "ActivePlayerDocument",
    "CoworldStatusDocument",
    "DownloadedFileDocument",
    "DownloadedFilesDocument",
    "LogDocument",
    "NextVersionDocument",
    "ReplayIndexDocument",
    "SavedFilesDocument",
    "WatchDocument",
]


class SavedFilesDocument(BaseModel):
    """`download`, and downloads of logs and annotations."""

    files: list[str]
    missing: list[str] = Field(default_factory=list, description="Files that should be there and are not")


class DownloadedFileDocument(BaseModel):
    """A file of an episode."""

    episode_request_id: str
    category: str
    path: str | None
    problem: str | None = Field(
        description="Why the file could not be saved; null if it was saved or the episode has no such file"
    )


class DownloadedFilesDocument(BaseModel):
    """`xp-request download`."""

    files: list[DownloadedFileDocument]


class WatchDocument(BaseModel):
    """`xp-request watch`, when it is over."""

    requests: dict[str, str] = Field(description="The status of each request")
    episodes: dict[str, int] = Field(description="How many episodes have each status")
    timed_out: bool


class LogDocument(BaseModel):
    """`episode-logs` of the game or of one seat."""

    log: str


class NextVersionDocument(BaseModel):
    """`next-version`."""

    name: str
    version: str


class ActivePlayerDocument(BaseModel):
    """`player use` and `player unset`."""

    player_id: str | None
    name: str | None = None
    expires_at: datetime | None = None


class CoworldStatusDocument(BaseModel):
    """`status`."""

    coworld_id: str
    name: str
    version: str
    canonical: bool
    hosted_smoke: list[EpisodeRequestSummary]
    certification: CertificationStatus


class ReplayIndexDocument(BaseModel):
    """One replay in `index.json`."""

    episode_request_id: str
    episode_id: str | None
    coworld_id: str | None
    replay_url: str | None
    path: str = Field(description="The file, beside `index.json`")
    policy_version_ids: list[str]
    created_at: datetime


SERVER_DOCUMENTS: dict[str, Any] = {
    "leagues": list[Competition] | Competition,
    "divisions": list[CompetitionDivision] | CompetitionDivision,
    "results": list[DivisionLadderEntry] | list[DivisionLeaderboardEntry] | CompetitionRoundDetail,
    "rounds": CompetitionRoundPage | CompetitionRoundDetail,
    "pools": list[CompetitionPool] | CompetitionPoolDetail,
    "events": CompetitionEventPage,
    "submit": CompetitionSubmission,
    "submissions": LeagueSubmissionPage,
    "memberships": LeaguePolicyMembershipPage,
    "champion": CompetitionMembership,
    "retire-membership": CompetitionMembership,
    "league": CompetitionSeed
    | list[CompetitionSeed]
    | SeedRebind
    | LeagueSetup
    | LeagueLocks
    | LeagueSettings
    | Competition
    | CompetitionRoundDetail,
    "power-analysis": PowerAnalysis,
    "list": CoworldPage,
    "show": CoworldResponse,
    "status": CoworldStatusDocument,
    "download": SavedFilesDocument,
    "next-version": NextVersionDocument,
    "upload-coworld": CoworldResponse,
    "resolve-and-upload": CoworldResponse,
    "retry-certification": CertificationStatus,
    "patch-commissioner": CoworldResponse,
    "visibility": CoworldVisibility,
    "images": ImagePage | ContainerImageRow,
    "upload-policy": PolicyVersionResponse,
    "secret": CoworldSecretRow | list[CoworldSecretRow],
    "player": PlayerResponse | list[PlayerResponse] | ActivePlayerDocument,
    "credits": Credits,
    "hosted-game": dict[str, Any],
    "lobby": CompetitionLobby,
    "xp-request": ExperienceRequestDetail
    | ExperienceRequestPage
    | BulkEpisodePage
    | WatchDocument
    | DownloadedFilesDocument,
    "episodes": EpisodeRequestList | EpisodeRequestRow,
    "episode-stats": RequestedEpisodeStats,
    "episode-results": dict[str, Any],
    "episode-logs": list[PolicyArtifactInfo] | SavedFilesDocument | LogDocument,
    "episode-annotations": SavedFilesDocument,
    "replays": EpisodeRequestList | list[ReplayIndexDocument],
    "replay-open": dict[str, Any],
    "reproduce": Reproduction,
}
"""the type of each command's output; a command group has the union of its commands"""

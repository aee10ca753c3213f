"""Compatibility names for the request that a container reporter of an older generation gets.

The request is in the environment variable `COGAME_REPORT_REQUEST`, as JSON. The reporter writes a zip to `report_uri`,
which `coworld.report.validate_report_zip` checks. `coworld.examples.paintarena.reporter` has two such reporters.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

__all__ = [
    "REPORT_REQUEST_ENV_VAR",
    "ArtifactEncoding",
    "BundleToken",
    "EpisodeStatus",
    "ReportRequest",
    "ReporterArtifactRef",
    "ReporterEpisodeArtifacts",
    "ReporterEpisodeInlineJson",
    "ReporterEpisodeInput",
    "ReporterEpisodeManifest",
    "ReporterErrorInfo",
]

REPORT_REQUEST_ENV_VAR = "COGAME_REPORT_REQUEST"

ArtifactEncoding = Literal["identity", "zlib"]
BundleToken = Literal["results", "replay", "error_info", "game_logs", "player_logs", "player_artifact"]
EpisodeStatus = Literal["success", "failed"]


class ReporterArtifactRef(BaseModel):
    """The URI of an episode's file."""

    uri: str
    media_type: str
    encoding: ArtifactEncoding = "identity"


class ReporterErrorInfo(BaseModel):
    """The failure of an episode, and the party at fault."""

    error_type: str | None
    error: str | None
    failed_policy_index: int | None = None
    failed_agent_index: int | None = None


class ReporterEpisodeManifest(BaseModel):
    """The files of an episode: one name, or names by slot."""

    ereq_id: str
    status: EpisodeStatus
    include: list[BundleToken]
    files: dict[BundleToken, str | dict[str, str]]


class ReporterEpisodeArtifacts(BaseModel):
    """The files of an episode; logs and artifacts of players by slot."""

    results: ReporterArtifactRef | None = None
    replay: ReporterArtifactRef | None = None
    game_logs: dict[str, ReporterArtifactRef] = Field(default_factory=dict)
    player_logs: dict[str, ReporterArtifactRef] = Field(default_factory=dict)
    player_artifact: dict[str, ReporterArtifactRef] = Field(default_factory=dict)


class ReporterEpisodeInlineJson(BaseModel):
    """Small documents that come with the request itself."""

    error_info: ReporterErrorInfo | None = None


class ReporterEpisodeInput(BaseModel):
    """One episode to report on."""

    episode_request_id: str
    status: EpisodeStatus
    manifest: ReporterEpisodeManifest
    artifacts: ReporterEpisodeArtifacts
    inline_json: ReporterEpisodeInlineJson = Field(default_factory=ReporterEpisodeInlineJson)


class ReportRequest(BaseModel):
    """The episodes to report on, and the destination of the report."""

    type: Literal["report_request"] = "report_request"
    request_id: str
    episodes: list[ReporterEpisodeInput]
    report_uri: str

"""Typed calls about experience requests: create, read, follow their changes, list their files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel

from coworld.server.connection import SLOW_SECONDS, LeagueConnection
from softmax.client.api import path_part
from softmax.client.errors import Refused
from softmax.wire.requests import (
    BulkEpisodePage,
    DownloadManifest,
    EpisodeChanges,
    EpisodeRequestRow,
    ExperienceRequestDetail,
    ExperienceRequestPage,
)

__all__ = ["EpisodeFeedRestart", "EpisodeFeedRetry", "EpisodeView", "RequestCalls"]

EpisodeView = Literal["progress", "results"]


class EpisodeFeedRetry(BaseModel):
    """The feed has too many readers: ask again later."""

    retry_after_seconds: float


class EpisodeFeedRestart(BaseModel):
    """The cursor has expired: start with a new snapshot."""

    status: int


class RequestCalls(LeagueConnection):
    """Ask for episodes and follow them."""

    def create_experience_request(self, body: Mapping[str, Any]) -> ExperienceRequestDetail:
        path = "/v2/experience-requests"
        return self._post(path, ExperienceRequestDetail, "Experience request", json=dict(body), timeout=SLOW_SECONDS)

    def list_experience_requests(
        self, *, mine: bool = False, limit: int = 50, cursor: str | None = None, offset: int | None = None
    ) -> ExperienceRequestPage:
        params = {"mine": mine, "limit": limit, "cursor": cursor, "offset": offset}
        return self._get("/v2/experience-requests", ExperienceRequestPage, "Experience requests", params)

    def get_experience_request(self, experience_request_id: str) -> ExperienceRequestDetail:
        path = f"/v2/experience-requests/{path_part(experience_request_id)}"
        return self._get(path, ExperienceRequestDetail, f"Experience request {experience_request_id}")

    def cancel_experience_request(self, experience_request_id: str) -> ExperienceRequestDetail:
        path = f"/v2/experience-requests/{path_part(experience_request_id)}/cancel"
        return self._post(path, ExperienceRequestDetail, f"Experience request {experience_request_id}")

    def list_experience_request_episodes(self, experience_request_id: str) -> list[EpisodeRequestRow]:
        path = f"/v2/experience-requests/{path_part(experience_request_id)}/episodes"
        return self._get(path, list[EpisodeRequestRow], f"Experience request {experience_request_id}")

    def list_bulk_episodes(
        self,
        ids: list[str],
        *,
        view: EpisodeView = "progress",
        statuses: list[str] | None = None,
        limit: int = 200,
        cursor: str | None = None,
    ) -> BulkEpisodePage:
        params = {"ids": ids, "view": view, "status": statuses, "limit": limit, "cursor": cursor}
        return self._get("/v2/episode-requests", BulkEpisodePage, "Episodes", params)

    def episode_changes(
        self,
        ids: list[str],
        *,
        view: EpisodeView = "progress",
        limit: int = 200,
        cursor: str | None = None,
        wait_seconds: float = 0,
    ) -> EpisodeChanges | EpisodeFeedRetry | EpisodeFeedRestart:
        """Return what has changed since the cursor, or how to continue: wait, or start with a new snapshot."""
        params = {"ids": ids, "view": view, "limit": limit, "cursor": cursor, "wait_seconds": wait_seconds or None}
        try:
            return self._get(
                "/v2/episode-requests/changes", EpisodeChanges, "Episodes", params, timeout=30.0 + wait_seconds
            )
        except Refused as error:
            if error.status == 429:
                return EpisodeFeedRetry(retry_after_seconds=error.retry_after or 1.0)
            if error.status in (404, 409, 410) and cursor is not None:
                return EpisodeFeedRestart(status=error.status)
            raise

    def episode_download_manifest(
        self,
        ids: list[str],
        *,
        include: list[str],
        agents: list[int] | None = None,
        limit: int = 200,
        cursor: str | None = None,
    ) -> DownloadManifest:
        params = {"ids": ids, "include": include, "agent": agents, "limit": limit, "cursor": cursor}
        return self._get("/v2/episode-requests/download-manifest", DownloadManifest, "Episodes", params)

"""Typed calls about episodes: rows, statistics, logs, artifacts and replays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from coworld.server.connection import LeagueConnection
from softmax.client.api import path_part, query_of
from softmax.wire.requests import (
    EpisodeReproduction,
    EpisodeRequestList,
    EpisodeRequestPage,
    EpisodeRequestRow,
    PolicyArtifactInfo,
    RequestedEpisodeStats,
)

__all__ = ["CoworldReplaySessionResponse", "EpisodeCalls"]


class CoworldReplaySessionResponse(BaseModel):
    """Where a replay can be watched."""

    viewer_url: str
    ready: bool = True


class EpisodeCalls(LeagueConnection):
    """Read episodes and their files."""

    def list_episode_requests(
        self,
        *,
        division_id: str | None = None,
        round_id: str | None = None,
        league_id: str | None = None,
        player_id: str | None = None,
        policy_version_id: UUID | None = None,
        mine: bool = False,
        limit: int = 200,
        offset: int = 0,
        cursor: str | None = None,
    ) -> EpisodeRequestList:
        params = {
            "division_id": division_id,
            "round_id": round_id,
            "league_id": league_id,
            "player_id": player_id,
            "policy_version_id": policy_version_id,
            "mine": mine or None,
            "limit": limit,
            "offset": offset or None,
            "cursor": cursor,
        }
        return self._get("/v2/episode-requests", EpisodeRequestList, "Episodes", params)

    def list_round_episode_requests(
        self, round_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> EpisodeRequestPage:
        return self._summaries(f"/v2/rounds/{path_part(round_id)}", f"Round {round_id}", limit, cursor)

    def list_policy_version_episode_requests(
        self, policy_version_id: UUID, *, limit: int = 50, cursor: str | None = None
    ) -> EpisodeRequestPage:
        resource = f"Policy version {policy_version_id}"
        return self._summaries(f"/v2/policy-versions/{policy_version_id}", resource, limit, cursor)

    def list_coworld_episode_requests(
        self, coworld_id: str, *, source: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> EpisodeRequestPage:
        path = f"/v2/coworlds/{path_part(coworld_id)}"
        return self._summaries(path, f"Coworld {coworld_id}", limit, cursor, source=source)

    def list_experience_request_episode_summaries(
        self, experience_request_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> EpisodeRequestPage:
        path = f"/v2/experience-requests/{path_part(experience_request_id)}"
        return self._summaries(path, f"Experience request {experience_request_id}", limit, cursor)

    def _summaries(self, path: str, resource: str, limit: int, cursor: str | None, **more: Any) -> EpisodeRequestPage:
        params = {"limit": limit, "cursor": cursor, **more}
        return self._get(f"{path}/episode-requests", EpisodeRequestPage, resource, params)

    def get_episode_request(self, episode_request_id: str) -> EpisodeRequestRow:
        return self._get(_episode(episode_request_id), EpisodeRequestRow, f"Episode {episode_request_id}")

    def get_episode_request_episode_stats(self, episode_request_id: str) -> RequestedEpisodeStats:
        path = f"{_episode(episode_request_id)}/episode-stats"
        return self._get(path, RequestedEpisodeStats, f"Statistics of {episode_request_id}")

    def get_episode_request_artifact_bytes(self, episode_request_id: str, artifact_type: str) -> bytes:
        path = f"{_episode(episode_request_id)}/artifacts/{path_part(artifact_type)}"
        resource = f"{artifact_type.replace('-', ' ').capitalize()} of {episode_request_id}"
        return self._call("GET", path, resource, follow_redirects=True).content

    def get_episode_request_artifact_text(self, episode_request_id: str, artifact_type: str) -> str:
        return self.get_episode_request_artifact_bytes(episode_request_id, artifact_type).decode(errors="replace")

    def get_episode_request_bundle(self, episode_request_id: str, include: Iterable[str] | None = None) -> bytes:
        params = query_of({"include": None if include is None else ",".join(include)})
        return self.get_bytes(f"{_episode(episode_request_id)}/bundle", params=params)

    def list_episode_request_policy_artifacts(self, episode_request_id: str) -> list[PolicyArtifactInfo]:
        path = f"{_episode(episode_request_id)}/policy-artifacts"
        return self._get(path, list[PolicyArtifactInfo], f"Episode {episode_request_id}")

    def get_episode_request_policy_log(self, episode_request_id: str, policy_version_id: UUID, agent_idx: int) -> str:
        path = f"{_episode(episode_request_id)}/{policy_version_id}/policy-logs/{agent_idx}"
        return self._call("GET", path, f"Log of seat {agent_idx}", follow_redirects=True).text

    def get_episode_request_policy_artifact(
        self, episode_request_id: str, policy_version_id: UUID, agent_idx: int
    ) -> bytes:
        path = f"{_episode(episode_request_id)}/{policy_version_id}/policy-artifact/{agent_idx}"
        return self._call("GET", path, f"Artifact of seat {agent_idx}", follow_redirects=True).content

    def get_episode_request_policy_annotations(self, episode_request_id: str, policy_version_id: UUID) -> bytes:
        path = f"{_episode(episode_request_id)}/{policy_version_id}/annotations"
        return self._call("GET", path, f"Annotations of {policy_version_id}", follow_redirects=True).content

    def create_replay_session(
        self, *, coworld_id: str, episode_id: UUID | None, replay_uri: str
    ) -> CoworldReplaySessionResponse:
        body = {
            "coworld_id": coworld_id,
            "episode_id": None if episode_id is None else str(episode_id),
            "replay_uri": replay_uri,
        }
        return self._post("/v2/coworlds/replays/session", CoworldReplaySessionResponse, "Replay", json=body)

    def get_episode_reproduction(self, episode_request_id: str) -> EpisodeReproduction:
        """Return everything needed to play an episode again, with what the caller may have."""
        path = f"{_episode(episode_request_id)}/reproduction"
        return self._get(path, EpisodeReproduction, f"Episode {episode_request_id}")

    # Jobs, for clients of the first two generations

    def get_job_artifact_bytes(self, job_id: UUID, artifact_type: str) -> bytes:
        return self.get_bytes(f"/jobs/{job_id}/artifacts/{path_part(artifact_type)}")

    def get_job_artifact_text(self, job_id: UUID, artifact_type: str) -> str:
        return self.get_job_artifact_bytes(job_id, artifact_type).decode(errors="replace")

    def get_job_episode_stats(self, job_id: UUID) -> RequestedEpisodeStats:
        return self._get(f"/jobs/{job_id}/episode-stats", RequestedEpisodeStats, f"Job {job_id}")

    def list_job_policy_logs(self, job_id: UUID) -> list[str]:
        return self._get(f"/jobs/{job_id}/policy-logs", list[str], f"Job {job_id}")

    def get_job_policy_log(self, job_id: UUID, agent_idx: int) -> str:
        return self.get_bytes(f"/jobs/{job_id}/policy-logs/{agent_idx}").decode(errors="replace")

    def list_job_policy_artifacts(self, job_id: UUID) -> list[str]:
        return self._get(f"/jobs/{job_id}/policy-artifact", list[str], f"Job {job_id}")

    def get_job_policy_artifact(self, job_id: UUID, agent_idx: int) -> bytes:
        return self.get_bytes(f"/jobs/{job_id}/policy-artifact/{agent_idx}")


def _episode(episode_request_id: str) -> str:
    return f"/v2/episode-requests/{path_part(episode_request_id)}"

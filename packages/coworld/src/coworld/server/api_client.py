"""Typed calls to a league server, one method per call. Names, parameters and models are the published ones.

from coworld.api_client import CoworldApiClient

with CoworldApiClient.from_login(server_url="http://127.0.0.1:8000") as client:
    for league in client.list_leagues():
        print(league.id, league.name)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self, TypeVar
from urllib.parse import urljoin
from uuid import UUID

from pydantic import BaseModel

from coworld.server.pages import (
    CompetitionEventPage,
    LeaguePolicyMembershipPage,
    LeagueSubmissionPage,
    ReporterListPage,
    Rows,
)
from softmax.client.addresses import resolve_addresses
from softmax.client.api import ApiClient, path_part, query_of
from softmax.client.credentials import current_token
from softmax.client.errors import ClientError, NotAuthenticated, Refused
from softmax.client.transport import parse
from softmax.wire.coworlds import CoworldVisibility as CoworldVisibilityResponse
from softmax.wire.coworlds import ReporterRow as ReporterPublic
from softmax.wire.coworlds import ReporterRowDetail as ReporterDetailPublic
from softmax.wire.leagues import Competition as LeaguePublic
from softmax.wire.leagues import CompetitionDivision as DivisionPublic
from softmax.wire.leagues import CompetitionEventRow as CompetitionEventPublic
from softmax.wire.leagues import CompetitionGame as GamePublic
from softmax.wire.leagues import CompetitionMembership as LeaguePolicyMembershipPublic
from softmax.wire.leagues import CompetitionPlayer as PlayerPublic
from softmax.wire.leagues import CompetitionPolicy as PolicyPublic
from softmax.wire.leagues import CompetitionPolicyVersion as PolicyVersionPublic
from softmax.wire.leagues import CompetitionPool as PoolPublic
from softmax.wire.leagues import CompetitionPoolDetail as PoolDetailPublic
from softmax.wire.leagues import CompetitionRound as RoundPublic
from softmax.wire.leagues import CompetitionRoundDetail as RoundDetailPublic
from softmax.wire.leagues import CompetitionRoundPage as RoundListPublic
from softmax.wire.leagues import CompetitionRoundResult as RoundResultPublic
from softmax.wire.leagues import CompetitionSubmission as LeagueSubmissionPublic
from softmax.wire.leagues import Credits as MyCreditsResponse
from softmax.wire.leagues import DivisionLadderEntry as DivisionLadderEntryPublic
from softmax.wire.leagues import DivisionLeaderboardEntry as LeaderboardEntryPublic
from softmax.wire.leagues import DivisionLeaderboards as DivisionLeaderboardsPublic
from softmax.wire.leagues import FeatureFlags as MyFlags
from softmax.wire.leagues import LeagueLocks as LeagueLockSettings
from softmax.wire.policies import PolicyVersionRow
from softmax.wire.requests import BulkEpisode as BulkEpisodeEntry
from softmax.wire.requests import (
    BulkEpisodePage,
    EpisodeReproduction,
    EpisodeRequestList,
    EpisodeRequestSummary,
    ExperienceRequestDetail,
    ExperienceRequestPage,
    ExperienceRequestRow,
)
from softmax.wire.requests import DownloadManifest as EpisodeDownloadPage
from softmax.wire.requests import EpisodeChanges as EpisodeChangePage
from softmax.wire.requests import EpisodeRequestPage as EpisodeRequestSummaryPage
from softmax.wire.requests import EpisodeRequestRow as V2EpisodeRequestRow
from softmax.wire.requests import PolicyArtifactInfo as EpisodeRequestPolicyArtifactInfo
from softmax.wire.requests import RequestedEpisodeStats as EpisodeStatsResponse

__all__ = [
    "AutoChampion",
    "BulkEpisodeEntry",
    "BulkEpisodePage",
    "CompetitionEventPage",
    "CompetitionEventPublic",
    "CoworldApiClient",
    "CoworldReplaySessionResponse",
    "CoworldVisibilityResponse",
    "DivisionLadderEntryPublic",
    "DivisionLeaderboardsPublic",
    "DivisionPublic",
    "EpisodeChangePage",
    "EpisodeDownloadPage",
    "EpisodeFeedRestart",
    "EpisodeFeedRetry",
    "EpisodeRequestPolicyArtifactInfo",
    "EpisodeRequestSummaryPage",
    "EpisodeStatsResponse",
    "ExperienceRequestDetail",
    "ExperienceRequestPage",
    "ExperienceRequestRow",
    "GamePublic",
    "LeaderboardEntryPublic",
    "LeagueLockSettings",
    "LeaguePolicyMembershipPage",
    "LeaguePolicyMembershipPublic",
    "LeaguePublic",
    "LeagueSubmissionPage",
    "LeagueSubmissionPublic",
    "MyCreditsResponse",
    "MyFlags",
    "PlayerPublic",
    "PolicyPublic",
    "PolicyVersionPublic",
    "PolicyVersionRow",
    "PoolDetailPublic",
    "PoolPublic",
    "ReporterDetailPublic",
    "ReporterListPage",
    "ReporterPublic",
    "RoundDetailPublic",
    "RoundListPublic",
    "RoundPublic",
    "RoundResultPublic",
    "V2EpisodeRequestRow",
    "V2EpisodeRequestSummary",
]

AnyPage = TypeVar("AnyPage", bound="Rows[Any]")
EpisodeView = Literal["progress", "results"]
V2EpisodeRequestSummary = EpisodeRequestSummary

NEXT_CURSOR = "X-Next-Cursor"
SLOW_SECONDS = 120.0
"""for calls that create many rows"""


class AutoChampion(StrEnum):
    """When a new version becomes its player's champion."""

    always = "always"
    never = "never"
    lineage = "lineage"


class CoworldReplaySessionResponse(BaseModel):
    """Where a replay can be watched."""

    viewer_url: str
    ready: bool = True


class EpisodeFeedRetry(BaseModel):
    """The feed has too many readers: ask again later."""

    retry_after_seconds: float


class EpisodeFeedRestart(BaseModel):
    """The cursor has expired: start with a new snapshot."""

    status: int


class CoworldApiClient(ApiClient):
    """A client of one server. Errors are those of `softmax.client.errors`."""

    _elevated: ClassVar[bool] = False

    def __init__(self, *, server_url: str, token: str | None = None) -> None:
        super().__init__(server_url, token)

    @classmethod
    def set_elevated(cls, elevated: bool) -> None:
        """Let calls of all clients ask for an administrator's rights, or not."""
        cls._elevated = elevated

    @classmethod
    def from_login(cls, server_url: str | None = None, login_server: str | None = None) -> Self:
        """Return a client with the saved token of the active session.

        Raises:
            NotAuthenticated: no token is saved for this server.
        """
        client = cls.maybe_signed_in(server_url, login_server)
        if client.token is None:
            raise NotAuthenticated(f"You are not signed in to {client.server_url}.", [_login_command(client)])
        return client

    @classmethod
    def maybe_signed_in(cls, server_url: str | None = None, login_server: str | None = None) -> Self:
        """Return a client with the saved token, or without one if none is saved: public rows can be read."""
        addresses = resolve_addresses(server_url, login_server)
        return cls(server_url=api_base(addresses.api), token=current_token(addresses.login))

    def _headers(self) -> dict[str, str]:
        if self._elevated and (self.token or "").startswith("ply_"):
            raise ClientError(
                "--elevated needs your own account, and the active session is a player's", ["coworld player unset"]
            )
        token = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {**token, **({"X-Use-Elevated-Privileges": "true"} if self._elevated else {})}

    def _rows(self, path: str, page: type[AnyPage], params: Mapping[str, Any], resource: str) -> AnyPage:
        """Return a bare list and the cursor in its header as a page."""
        response = self._call("GET", path, resource, params=query_of(params))
        kind: Any = page.model_fields["entries"].annotation
        rows = parse(response, kind)
        return page(entries=rows, next_cursor=response.headers.get(NEXT_CURSOR))

    def get_bytes(self, path: str, **content: Any) -> bytes:
        return self._call("GET", path, "File", follow_redirects=True, **content).content

    def get_text(self, path: str, *, timeout: float | None = None) -> str:
        content: dict[str, Any] = {} if timeout is None else {"timeout": timeout}
        return self._call("GET", path, "File", **content).text

    # The account

    def get_my_credits(self) -> MyCreditsResponse:
        return self._get("/usage/me/credits", MyCreditsResponse, "Credits")

    def get_my_flags(self) -> MyFlags:
        return self._get("/flags/me", MyFlags, "Flags")

    # Leagues

    def list_games(self) -> list[GamePublic]:
        return self._get("/v2/games", list[GamePublic], "Games")

    def list_leagues(self, *, game_id: str | None = None) -> list[LeaguePublic]:
        return self._get("/v2/leagues", list[LeaguePublic], "Leagues", {"game_id": game_id})

    def get_league(self, league_id: str) -> LeaguePublic:
        return self._get(f"/v2/leagues/{path_part(league_id)}", LeaguePublic, f"League {league_id}")

    def get_game_of_week_league(self) -> LeaguePublic | None:
        return self._get("/v2/leagues/game-of-week", LeaguePublic | None, "League")  # type: ignore[arg-type]

    def get_league_locks(self, league_id: str) -> LeagueLockSettings:
        return self._get(f"/v2/leagues/{path_part(league_id)}/locks", LeagueLockSettings, f"League {league_id}")

    def set_league_locks(
        self, league_id: str, *, submissions_locked: bool, game_version_locked: bool
    ) -> LeagueLockSettings:
        body = {"submissions_locked": submissions_locked, "game_version_locked": game_version_locked}
        return self._post(
            f"/v2/leagues/{path_part(league_id)}/locks", LeagueLockSettings, f"League {league_id}", json=body
        )

    def get_league_division_ladder(self, league_id: str) -> list[DivisionLadderEntryPublic]:
        path = f"/v2/leagues/{path_part(league_id)}/division-ladder"
        return self._get(path, list[DivisionLadderEntryPublic], f"League {league_id}")

    def list_divisions(self, *, league_id: str | None = None) -> list[DivisionPublic]:
        return self._get("/v2/divisions", list[DivisionPublic], "Divisions", {"league_id": league_id})

    def get_division(self, division_id: str) -> DivisionPublic:
        return self._get(f"/v2/divisions/{path_part(division_id)}", DivisionPublic, f"Division {division_id}")

    def get_division_leaderboard(
        self, division_id: str, *, include_recent_rounds: bool | int = False
    ) -> list[LeaderboardEntryPublic]:
        path = f"/v2/divisions/{path_part(division_id)}/leaderboard"
        rows = self._get(
            path,
            list[LeaderboardEntryPublic] | None,  # type: ignore[arg-type]
            f"Division {division_id}",
            {"include_recent_rounds": include_recent_rounds or None},
        )
        return rows or []

    def get_division_leaderboards(self, division_id: str) -> DivisionLeaderboardsPublic | None:
        path = f"/v2/divisions/{path_part(division_id)}/leaderboards"
        return self._get(path, DivisionLeaderboardsPublic | None, f"Division {division_id}")  # type: ignore[arg-type]

    def power_analysis(self, division_id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        path = f"/v2/divisions/{path_part(division_id)}/power-analysis"
        return self._post(path, dict[str, Any], f"Division {division_id}", json=dict(body))

    # Rounds

    def list_rounds(
        self,
        *,
        league_id: str | None = None,
        division_id: str | None = None,
        status: str | None = None,
        limit: int = 25,
        cursor: str | None = None,
        offset: int | None = None,
    ) -> RoundListPublic:
        params = {"league_id": league_id, "division_id": division_id, "status": status}
        page = {"limit": limit, "cursor": cursor, "offset": offset}
        return self._get("/v2/rounds", RoundListPublic, "Rounds", {**params, **page})

    def get_round(self, round_id: str) -> RoundDetailPublic:
        return self._get(f"/v2/rounds/{path_part(round_id)}", RoundDetailPublic, f"Round {round_id}")

    def list_pools(self, *, round_id: str | None = None, limit: int = 50, offset: int = 0) -> list[PoolPublic]:
        params = {"round_id": round_id, "limit": limit, "offset": offset}
        return self._get("/v2/pools", list[PoolPublic], "Pools", params)

    def get_pool(self, pool_id: str) -> PoolDetailPublic:
        return self._get(f"/v2/pools/{path_part(pool_id)}", PoolDetailPublic, f"Pool {pool_id}")

    # Members

    def list_memberships(
        self,
        *,
        league_id: str | None = None,
        division_id: str | None = None,
        policy_version_id: UUID | None = None,
        player_id: str | None = None,
        active_only: bool = False,
        champions_only: bool = False,
        mine: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> LeaguePolicyMembershipPage:
        params = {
            "league_id": league_id,
            "division_id": division_id,
            "policy_version_id": policy_version_id,
            "player_id": player_id,
            "active_only": active_only,
            "champions_only": champions_only,
            "mine": mine,
            "limit": limit,
            "cursor": cursor,
        }
        return self._rows("/v2/league-policy-memberships", LeaguePolicyMembershipPage, params, "Memberships")

    def retire_membership(self, membership_id: str, *, reason: str | None = None) -> LeaguePolicyMembershipPublic:
        body = {} if reason is None else {"json": {"reason": reason}}
        path = f"/v2/league-policy-memberships/{path_part(membership_id)}/retire"
        return self._post(path, LeaguePolicyMembershipPublic, f"Membership {membership_id}", **body)

    def make_champion(self, membership_id: str) -> LeaguePolicyMembershipPublic:
        path = f"/v2/league-policy-memberships/{path_part(membership_id)}/champion"
        return self._post(path, LeaguePolicyMembershipPublic, f"Membership {membership_id}")

    def list_submissions(
        self,
        *,
        league_id: str | None = None,
        player_id: str | None = None,
        policy_version_id: UUID | None = None,
        mine: bool = False,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> LeagueSubmissionPage:
        params = {
            "league_id": league_id,
            "player_id": player_id,
            "policy_version_id": policy_version_id,
            "mine": mine,
            "limit": limit,
            "cursor": cursor,
        }
        return self._rows("/v2/league-submissions", LeagueSubmissionPage, params, "Submissions")

    def submit_to_league(
        self,
        league_id: str,
        policy_version_id: UUID,
        *,
        auto_champion: AutoChampion | str = AutoChampion.always,
        preferences: Mapping[str, Any] | None = None,
        player_id: str | None = None,
    ) -> LeagueSubmissionPublic:
        body = {
            "league_id": league_id,
            "policy_version_id": str(policy_version_id),
            "auto_champion": str(auto_champion),
            **({} if preferences is None else {"preferences": dict(preferences)}),
            **({} if player_id is None else {"player_id": player_id}),
        }
        path = "/v2/league-submissions"
        return self._post(path, LeagueSubmissionPublic, f"League {league_id}", json=body, timeout=SLOW_SECONDS)

    def list_events(
        self,
        *,
        league_id: str | None = None,
        division_id: str | None = None,
        round_id: str | None = None,
        event_type: str | None = None,
        audience: str | None = None,
        player_id: str | None = None,
        policy_version_id: UUID | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> CompetitionEventPage:
        params = {
            "league_id": league_id,
            "division_id": division_id,
            "round_id": round_id,
            "event_type": event_type,
            "audience": audience,
            "player_id": player_id,
            "policy_version_id": policy_version_id,
            "limit": limit,
            "cursor": cursor,
        }
        return self._rows("/v2/competition-events", CompetitionEventPage, params, "Events")

    # Policies

    def lookup_policy_version(self, *, name: str, version: int | None = None) -> PolicyVersionRow | None:
        """Return your newest version of this name, or the given one; None if there is none."""
        params = {"mine": True, "name_exact": name, "limit": 100, "version": version}
        page = self._get("/stats/policy-versions", dict[str, Any], "Policies", params)
        entries = [PolicyVersionRow.model_validate(entry) for entry in page["entries"]]
        return entries[0] if entries else None

    # Episodes

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
    ) -> EpisodeRequestSummaryPage:
        return self._summaries(f"/v2/rounds/{path_part(round_id)}", f"Round {round_id}", limit, cursor)

    def list_policy_version_episode_requests(
        self, policy_version_id: UUID, *, limit: int = 50, cursor: str | None = None
    ) -> EpisodeRequestSummaryPage:
        resource = f"Policy version {policy_version_id}"
        return self._summaries(f"/v2/policy-versions/{policy_version_id}", resource, limit, cursor)

    def list_coworld_episode_requests(
        self, coworld_id: str, *, source: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> EpisodeRequestSummaryPage:
        path = f"/v2/coworlds/{path_part(coworld_id)}"
        return self._summaries(path, f"Coworld {coworld_id}", limit, cursor, source=source)

    def list_experience_request_episode_summaries(
        self, experience_request_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> EpisodeRequestSummaryPage:
        path = f"/v2/experience-requests/{path_part(experience_request_id)}"
        return self._summaries(path, f"Experience request {experience_request_id}", limit, cursor)

    def _summaries(
        self, path: str, resource: str, limit: int, cursor: str | None, **more: Any
    ) -> EpisodeRequestSummaryPage:
        params = {"limit": limit, "cursor": cursor, **more}
        return self._get(f"{path}/episode-requests", EpisodeRequestSummaryPage, resource, params)

    def get_episode_request(self, episode_request_id: str) -> V2EpisodeRequestRow:
        return self._get(_episode(episode_request_id), V2EpisodeRequestRow, f"Episode {episode_request_id}")

    def get_episode_request_episode_stats(self, episode_request_id: str) -> EpisodeStatsResponse:
        path = f"{_episode(episode_request_id)}/episode-stats"
        return self._get(path, EpisodeStatsResponse, f"Statistics of {episode_request_id}")

    def get_episode_request_artifact_bytes(self, episode_request_id: str, artifact_type: str) -> bytes:
        path = f"{_episode(episode_request_id)}/artifacts/{path_part(artifact_type)}"
        resource = f"{artifact_type.replace('-', ' ').capitalize()} of {episode_request_id}"
        return self._call("GET", path, resource, follow_redirects=True).content

    def get_episode_request_artifact_text(self, episode_request_id: str, artifact_type: str) -> str:
        return self.get_episode_request_artifact_bytes(episode_request_id, artifact_type).decode(errors="replace")

    def get_episode_request_bundle(self, episode_request_id: str, include: Iterable[str] | None = None) -> bytes:
        params = query_of({"include": None if include is None else ",".join(include)})
        return self.get_bytes(f"{_episode(episode_request_id)}/bundle", params=params)

    def list_episode_request_policy_artifacts(self, episode_request_id: str) -> list[EpisodeRequestPolicyArtifactInfo]:
        path = f"{_episode(episode_request_id)}/policy-artifacts"
        return self._get(path, list[EpisodeRequestPolicyArtifactInfo], f"Episode {episode_request_id}")

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

    # Experience requests

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

    def list_experience_request_episodes(self, experience_request_id: str) -> list[V2EpisodeRequestRow]:
        path = f"/v2/experience-requests/{path_part(experience_request_id)}/episodes"
        return self._get(path, list[V2EpisodeRequestRow], f"Experience request {experience_request_id}")

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
    ) -> EpisodeChangePage | EpisodeFeedRetry | EpisodeFeedRestart:
        """Return what has changed since the cursor, or how to continue: wait, or start with a new snapshot."""
        params = {"ids": ids, "view": view, "limit": limit, "cursor": cursor, "wait_seconds": wait_seconds or None}
        try:
            return self._get(
                "/v2/episode-requests/changes", EpisodeChangePage, "Episodes", params, timeout=30.0 + wait_seconds
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
    ) -> EpisodeDownloadPage:
        params = {"ids": ids, "include": include, "agent": agents, "limit": limit, "cursor": cursor}
        return self._get("/v2/episode-requests/download-manifest", EpisodeDownloadPage, "Episodes", params)

    def fetch_signed(self, url: str, *, etag: str | None = None, size: int | None = None) -> bytes:
        """Return the bytes at a signed address, without the token; `ValueError` if there are more or fewer of them."""
        headers = {} if etag is None else {"If-Match": etag}
        address = urljoin(f"{self.server_url}/", url)
        response = self._transport.call("GET", address, headers=headers, resource="File", timeout=SLOW_SECONDS)
        if size is not None and len(response.content) != size:
            raise ValueError(f"the server sent {len(response.content)} bytes of {size}")
        return response.content

    def get_episode_reproduction(self, episode_request_id: str) -> EpisodeReproduction:
        """Return everything needed to play an episode again, with what the caller may have."""
        path = f"{_episode(episode_request_id)}/reproduction"
        return self._get(path, EpisodeReproduction, f"Episode {episode_request_id}")

    # Jobs, for clients of the first two generations

    def get_job_artifact_bytes(self, job_id: UUID, artifact_type: str) -> bytes:
        return self.get_bytes(f"/jobs/{job_id}/artifacts/{path_part(artifact_type)}")

    def get_job_artifact_text(self, job_id: UUID, artifact_type: str) -> str:
        return self.get_job_artifact_bytes(job_id, artifact_type).decode(errors="replace")

    def get_job_episode_stats(self, job_id: UUID) -> EpisodeStatsResponse:
        return self._get(f"/jobs/{job_id}/episode-stats", EpisodeStatsResponse, f"Job {job_id}")

    def list_job_policy_logs(self, job_id: UUID) -> list[str]:
        return self._get(f"/jobs/{job_id}/policy-logs", list[str], f"Job {job_id}")

    def get_job_policy_log(self, job_id: UUID, agent_idx: int) -> str:
        return self.get_bytes(f"/jobs/{job_id}/policy-logs/{agent_idx}").decode(errors="replace")

    def list_job_policy_artifacts(self, job_id: UUID) -> list[str]:
        return self._get(f"/jobs/{job_id}/policy-artifact", list[str], f"Job {job_id}")

    def get_job_policy_artifact(self, job_id: UUID, agent_idx: int) -> bytes:
        return self.get_bytes(f"/jobs/{job_id}/policy-artifact/{agent_idx}")

    # Coworlds and reporters

    def update_coworld_visibility(self, coworld_name: str, visibility: str) -> CoworldVisibilityResponse:
        path = f"/v2/coworlds/{path_part(coworld_name)}/visibility"
        body = {"visibility": visibility}
        return self._post(path, CoworldVisibilityResponse, f"Coworld {coworld_name}", json=body)

    def list_reporters(
        self,
        *,
        q: str | None = None,
        types: Iterable[str] | None = None,
        mode: str = "all",
        author: str | None = None,
        schema_uri: str | None = None,
        limit: int = 200,
        cursor: str | None = None,
    ) -> ReporterListPage:
        params = {
            "mode": mode,
            "limit": limit,
            "q": q,
            "type": list(types or []),
            "author": author,
            "schema_uri": schema_uri,
            "cursor": cursor,
        }
        return self._rows("/v2/reporters", ReporterListPage, params, "Reporters")

    def get_reporter(self, reporter_id: str) -> ReporterDetailPublic:
        return self._get(f"/v2/reporters/{path_part(reporter_id)}", ReporterDetailPublic, f"Reporter {reporter_id}")


def api_base(server: str) -> str:
    """Return where the API of a server is: an address that ends in `/api` stands for `/api/observatory`."""
    return f"{server}/observatory" if server.endswith("/api") else server


def _episode(episode_request_id: str) -> str:
    return f"/v2/episode-requests/{path_part(episode_request_id)}"


def _login_command(client: CoworldApiClient) -> str:
    return f"softmax login --server {client.server_url}"

"""A client of the seasons API: one typed method per call, with one-sentence errors."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from softmax import wire as models
from softmax.client.api import path_part, query_of
from softmax.client.errors import ClientError, NotAuthenticated, NotFound, TokenRejected
from softmax.client.players import PlayersClient
from softmax.client.transport import parse, same_host

if TYPE_CHECKING:
    import httpx

__all__ = ["TournamentServerClient"]

T = TypeVar("T")
Id = UUID | str
OWN_VERSIONS = 100
PRESIGN_SECONDS, COMPLETE_SECONDS, UPLOAD_SECONDS = 60.0, 120.0, 600.0


class TournamentServerClient(PlayersClient):
    """A client of the seasons API of one server, with a token or without."""

    sign_in = "cogames auth login"
    """the command that signs in to this server, for hints"""

    def require_token(self) -> None:
        """Raise `NotAuthenticated` without a token."""
        if self.token is None:
            raise NotAuthenticated(hints=[self.sign_in])

    def check_token(self) -> None:
        """Raise `NotAuthenticated` without a token, and `TokenRejected` if the server rejects it.

        Other errors are ignored: if the server is down, the next call reports it.
        """
        self.require_token()
        try:
            self.whoami()
        except TokenRejected as error:
            error.hints = [f"{self.sign_in} --force"]
            raise
        except ClientError:
            pass

    # Seasons

    def get_seasons(self) -> list[models.SeasonSummary]:
        return self._get("/tournament/seasons", list[models.SeasonSummary], "Seasons")

    def get_default_season(self) -> models.SeasonSummary:
        """Return the server's default season, else its first."""
        seasons = self.get_seasons()
        if not seasons:
            raise ClientError(f"{self.server_url} has no seasons")
        return next((season for season in seasons if season.is_default), seasons[0])

    def get_season(self, season_name: str) -> models.SeasonDetail:
        return self._season(season_name, "", models.SeasonDetail)

    def get_season_versions(self, season_name: str) -> list[models.SeasonVersionInfo]:
        return self._season(season_name, "/versions", list[models.SeasonVersionInfo])

    def get_stages(self, season_name: str) -> list[models.StageStats]:
        return self._season(season_name, "/stages", list[models.StageStats])

    def get_progress(self, season_name: str) -> models.TeamTournamentProgress:
        return self._season(season_name, "/progress", models.TeamTournamentProgress)

    def get_teams(
        self,
        season_name: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        pool_name: str | None = None,
        eliminated: bool | None = None,
        policy_version_id: Id | None = None,
    ) -> list[models.TeamSummary]:
        params = {
            "limit": limit,
            "offset": offset,
            "pool_name": pool_name,
            "eliminated": eliminated,
            "policy_version_id": policy_version_id,
        }
        return self._season(season_name, "/teams", list[models.TeamSummary], params)

    def get_leaderboard(self, season_name: str) -> list[models.LeaderboardEntry]:
        return self._season(season_name, "/leaderboard", list[models.LeaderboardEntry])

    def get_score_policies_leaderboard(self, season_name: str) -> list[models.ScorePoliciesLeaderboardEntry]:
        return self._season(season_name, "/score-policies-leaderboard", list[models.ScorePoliciesLeaderboardEntry])

    def get_stage_leaderboard(
        self, season_name: str, leaderboard_type: str, pool_name: str
    ) -> list[models.LeaderboardEntry] | list[models.TeamSummary] | list[models.ScorePoliciesLeaderboardEntry]:
        """Return the standings of one pool; `leaderboard_type` is policy, team or score-policies."""
        kinds: dict[str, Any] = {
            "policy": list[models.LeaderboardEntry],
            "team": list[models.TeamSummary],
            "score-policies": list[models.ScorePoliciesLeaderboardEntry],
        }
        path = f"/leaderboard/{path_part(leaderboard_type)}/{path_part(pool_name)}"
        response: Any = self._season(season_name, path, kinds[leaderboard_type], resource=f"Pool '{pool_name}'")
        return response

    def get_season_matches(
        self,
        season_name: str,
        policy_version_ids: Sequence[Id] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        pool_names: Sequence[str] | None = None,
    ) -> list[models.MatchResponse]:
        """Return matches, newest first; with policy versions, only matches in which one of them plays."""
        params = {
            "policy_version_ids": [str(version) for version in policy_version_ids or []],
            "pool_names": list(pool_names or []),
            "limit": limit,
            "offset": offset,
        }
        return self._season(season_name, "/matches", list[models.MatchResponse], params)

    def get_season_policies(self, season_name: str, mine: bool = False) -> list[models.PolicySummary]:
        return self._season(season_name, "/policies", list[models.PolicySummary], {"mine": True if mine else None})

    def submit_to_season(self, season_name: str, policy_version_id: Id) -> models.SubmitResponse:
        body = {"policy_version_id": str(policy_version_id)}
        return self._season(season_name, "/submissions", models.SubmitResponse, method="POST", json=body)

    def withdraw_from_season(self, season_name: str, policy_version_id: Id) -> models.WithdrawResponse:
        path = f"/submissions/{path_part(policy_version_id)}"
        return self._season(season_name, path, models.WithdrawResponse, method="DELETE")

    def get_pool_config(self, season_name: str, pool_name: str) -> models.PoolConfigInfo:
        path = f"/pools/{path_part(pool_name)}/config"
        return self._season(season_name, path, models.PoolConfigInfo, resource=f"Config of pool '{pool_name}'")

    def get_optional_pool_config(self, season_name: str, pool_name: str) -> models.PoolConfigInfo | None:
        """Return the config of a pool; None for a pool that plays no games."""
        try:
            return self.get_pool_config(season_name, pool_name)
        except NotFound:
            return None

    def get_config(self, config_id: Id) -> dict[str, Any]:
        return self._get(f"/tournament/configs/{path_part(config_id)}", dict[str, Any], f"Config {config_id}")

    # Matches

    def get_match(self, match_id: Id) -> models.MatchResponse:
        return self._get(f"/tournament/matches/{path_part(match_id)}", models.MatchResponse, f"Match {match_id}")

    def get_match_explanation(self, match_id: Id) -> models.MatchExplanation:
        """Return what decided a match; places in logs only for policies of the caller's."""
        path = f"/tournament/matches/{path_part(match_id)}/explanation"
        return self._get(path, models.MatchExplanation, f"Match {match_id}")

    def list_match_policy_logs(self, match_id: Id, policy_version_id: Id) -> list[str]:
        path = f"/tournament/matches/{path_part(match_id)}/{path_part(policy_version_id)}/policy-logs"
        return self._get(path, list[str], f"Logs of match {match_id}")

    def get_match_policy_log(self, match_id: Id, policy_version_id: Id, agent_idx: int) -> str:
        path = f"/tournament/matches/{path_part(match_id)}/{path_part(policy_version_id)}/policy-logs/{agent_idx}"
        return self._call("GET", path, f"Log of agent {agent_idx}").text

    def get_match_artifact(self, match_id: Id, policy_version_id: Id, artifact_type: str) -> httpx.Response:
        """Return the raw response: text or bytes."""
        match, policy = path_part(match_id), path_part(policy_version_id)
        path = f"/tournament/matches/{match}/{policy}/artifacts/{path_part(artifact_type)}"
        return self._call("GET", path, f"Artifact '{artifact_type}' of match {match_id}")

    def get_match_artifacts(self, match_id: Id, policy_version_id: Id, artifact_type: str) -> str:
        return self.get_match_artifact(match_id, policy_version_id, artifact_type).text

    def get_match_reproduction(self, match_id: Id) -> models.MatchReproduction:
        """Return everything needed to replay a match; only administrators get it before the season ends."""
        path = f"/tournament/matches/{path_part(match_id)}/reproduction"
        headers = {"X-Use-Elevated-Privileges": "true"}  # has no effect for other users
        return parse(self._call("GET", path, f"Match {match_id}", headers=headers), models.MatchReproduction)

    def download(self, url: str, target: Path, name: str, *, sha256: str | None = None) -> None:
        """Save the file at a signed URL and check its digest. Without a token, so redirects are safe to follow."""
        import hashlib
        from urllib.parse import urljoin

        response = self._transport.send(
            "GET", urljoin(f"{self.server_url}/", url), timeout=UPLOAD_SECONDS, follow_redirects=True
        )
        if not response.is_success:
            raise ClientError(f"{name} cannot be downloaded: status {response.status_code}")
        if sha256 is not None and hashlib.sha256(response.content).hexdigest() != sha256:
            raise ClientError(f"The download of {name} is damaged: its SHA-256 is not {sha256[:12]}...")
        target.write_bytes(response.content)

    # Policies

    def get_my_policy_versions(
        self, name: str | None = None, version: int | None = None
    ) -> list[models.PolicyVersionRow]:
        """Return the user's own policy versions, newest first."""
        params = {"mine": True, "limit": OWN_VERSIONS, "name_exact": name, "version": version}
        return self._get("/stats/policy-versions", models.PolicyVersionsResponse, "Policies", params).entries

    def lookup_policy_version(self, name: str, version: int | None = None) -> models.PolicyVersionRow | None:
        """Return the user's own policy version of that name, by default the latest; None if there is none."""
        versions = self.get_my_policy_versions(name, version)
        return versions[0] if versions else None

    def get_policy_version(self, policy_version_id: Id) -> models.PolicyVersionRow:
        path = f"/stats/policy-versions/{path_part(policy_version_id)}"
        return self._get(path, models.PolicyVersionRow, f"Policy version {policy_version_id}")

    def get_policy_bundle(self, policy_version_id: Id) -> models.PolicyBundleResponse:
        """Return where to download the bundle of the user's own policy version."""
        path = f"/stats/policy-versions/{path_part(policy_version_id)}/bundle"
        return self._get(path, models.PolicyBundleResponse, f"Bundle of policy version {policy_version_id}")

    def delete_policy_version(self, policy_version_id: Id) -> models.PolicyDeleteResponse:
        """Delete the user's own policy version; `Refused` with status 409 if a match or another record names it."""
        path = f"/stats/policy-versions/{path_part(policy_version_id)}"
        return parse(self._call("DELETE", path, f"Policy version {policy_version_id}"), models.PolicyDeleteResponse)

    def delete_policy(self, policy_id: Id) -> models.PolicyDeleteResponse:
        """Delete the user's own policy with all versions; `Refused` with status 409 if a record names one of them."""
        path = f"/stats/policies/{path_part(policy_id)}"
        return parse(self._call("DELETE", path, f"Policy {policy_id}"), models.PolicyDeleteResponse)

    def browse_policies(
        self,
        *,
        name_exact: str | None = None,
        name_fuzzy: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> models.PoliciesResponse:
        params = {"name_exact": name_exact, "name_fuzzy": name_fuzzy, "limit": limit, "offset": offset}
        return self._get("/stats/policies", models.PoliciesResponse, "Policies", params)

    def get_my_memberships(self) -> dict[str, list[str]]:
        """Return the names of seasons by policy version id."""
        return self._get("/tournament/my-memberships", dict[str, list[str]], "Memberships")

    def get_policy_memberships(self, policy_version_id: Id) -> list[models.MembershipHistoryEntry]:
        path = f"/tournament/policies/{path_part(policy_version_id)}/memberships"
        return self._get(path, list[models.MembershipHistoryEntry], f"Policy version {policy_version_id}")

    # Uploads

    def get_presigned_upload_url(self) -> models.PresignedUploadUrlResponse:
        path = "/stats/policies/submit/presigned-url"
        return self._post(path, models.PresignedUploadUrlResponse, "Upload", timeout=PRESIGN_SECONDS)

    def upload_bundle(self, upload: models.PresignedUploadUrlResponse, bundle: Path, hosts: Sequence[str] = ()) -> None:
        """Upload a bundle to the server's upload URL, which must be on the server's own host or one of `hosts`."""
        from urllib.parse import urlsplit

        url = upload.upload_url
        host = urlsplit(url).hostname
        if not same_host(url, self.server_url) and host not in hosts:
            raise ClientError(
                f"{self.server_url} asks to upload the bundle to {host}, a host you did not allow",
                [f"to allow it, pass --upload-host {host} or set upload_hosts: [{host}] in ~/.metta/config.yaml"],
            )
        headers = {"Content-Type": "application/zip", "Content-Length": str(bundle.stat().st_size)}
        with bundle.open("rb") as file:
            self._transport.call(
                "PUT", url, headers=headers, content=file, timeout=UPLOAD_SECONDS, resource="The upload URL"
            )

    def complete_policy_upload(
        self, upload_id: Id, name: str, season: str | None = None, secret_env: Mapping[str, str] | None = None
    ) -> models.PolicyVersionResponse:
        body: dict[str, Any] = {"upload_id": str(upload_id), "name": name}
        if season is not None:
            body["season"] = season
        if secret_env:
            body["policy_secret_env"] = dict(secret_env)
        path = "/stats/policies/submit/complete"
        return self._post(path, models.PolicyVersionResponse, "Upload", json=body, timeout=COMPLETE_SECONDS)

    # Episodes (public: requests carry no token)

    def list_episodes(
        self, policy_version_id: Id | None = None, tags: str | None = None, limit: int = 50, offset: int = 0
    ) -> list[models.EpisodeResponse]:
        params = {"limit": limit, "offset": offset, "policy_version_id": policy_version_id, "tags": tags}
        return self._parsed(self._anonymous("/episodes", "Episodes", params), list[models.EpisodeResponse])

    def get_episode(self, episode_id: Id) -> models.EpisodeResponse:
        response = self._anonymous(f"/episodes/{path_part(episode_id)}", f"Episode {episode_id}")
        return self._parsed(response, models.EpisodeResponse)

    def query_episodes(
        self,
        *,
        primary_policy_version_ids: Sequence[Id] | None = None,
        policy_version_ids: Sequence[Id] | None = None,
        episode_ids: Sequence[Id] | None = None,
        tag_filters: Mapping[str, Sequence[str] | None] | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> models.EpisodeQueryResponse:
        body: dict[str, Any] = {"tag_filters": tag_filters, "limit": limit, "offset": offset}
        for key, ids in (
            ("primary_policy_version_ids", primary_policy_version_ids),
            ("policy_version_ids", policy_version_ids),
            ("episode_ids", episode_ids),
        ):
            body[key] = None if ids is None else [str(identifier) for identifier in ids]
        body = {key: value for key, value in body.items() if value is not None}
        return self._post("/stats/episodes/query", models.EpisodeQueryResponse, "Episodes", json=body)

    def download_replay(self, episode: models.EpisodeResponse) -> bytes:
        """Download a replay. The request carries no token, so redirects are safe to follow."""
        if episode.replay_url is None:
            raise ClientError(f"Episode {episode.id} has no replay")
        from urllib.parse import urljoin

        url = urljoin(f"{self.server_url}/", episode.replay_url)
        response = self._transport.send("GET", url, timeout=UPLOAD_SECONDS, follow_redirects=True)
        if not response.is_success:
            raise ClientError(f"The replay of episode {episode.id} cannot be downloaded: status {response.status_code}")
        return bytes(response.content)

    # Assays

    def create_assay_run(
        self,
        *,
        policy_version_id: Id,
        missions: Sequence[models.MissionSpec],
        name: str | None = None,
        compat_version: str | None = None,
    ) -> models.AssayRunResponse:
        body: dict[str, Any] = {
            "policy_version_id": str(policy_version_id),
            "missions": [mission.model_dump(mode="json") for mission in missions],
        }
        if name is not None:
            body["name"] = name
        if compat_version is not None:
            body["compat_version"] = compat_version
        return self._post("/assay/runs", models.AssayRunResponse, "Policy", json=body, timeout=COMPLETE_SECONDS)

    def list_assay_runs(self, policy_version_id: Id | None = None) -> list[models.AssayRunResponse]:
        params = {"policy_version_id": policy_version_id}
        return self._get("/assay/runs", list[models.AssayRunResponse], "Assay runs", params)

    def get_assay_run(self, run_id: Id) -> models.AssayRunResponse:
        return self._get(f"/assay/runs/{path_part(run_id)}", models.AssayRunResponse, f"Assay run {run_id}")

    def get_assay_results(self, run_id: Id) -> models.AssayResultsResponse:
        return self._get(f"/assay/runs/{path_part(run_id)}/results", models.AssayResultsResponse, f"Assay run {run_id}")

    def finalize_assay_run(self, run_id: Id) -> models.AssayRunResponse:
        return self._post(f"/assay/runs/{path_part(run_id)}/finalize", models.AssayRunResponse, f"Assay run {run_id}")

    # Helpers

    def _season(
        self,
        season: str,
        path: str,
        kind: type[T],
        params: Mapping[str, Any] | None = None,
        resource: str | None = None,
        method: str = "GET",
        **content: Any,
    ) -> T:
        """Call a route of a season; if the season does not exist, the error suggests similar names."""
        place = f"/tournament/seasons/{path_part(season)}{path}"
        if params:
            content["params"] = query_of(params)
        try:
            return self._parsed(self._call(method, place, resource or f"Season '{season}'", **content), kind)
        except NotFound as error:
            if resource is None:
                error.hints = self._near_seasons(season)
            raise

    def _near_seasons(self, season: str) -> list[str]:
        try:
            names = [summary.name for summary in self.get_seasons()]
        except ClientError:
            return []
        near = [name for name in difflib.get_close_matches(season.partition(":")[0], names, n=3) if name != season]
        return [f"did you mean {' or '.join(near)}?"] if near else ["cogames season list shows the seasons"]

"""Typed calls about what users publish: Coworlds, images, policies, seeds of leagues, secrets and hosted games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal
from urllib.parse import urljoin

from pydantic import BaseModel, ConfigDict

from coworld.server.api_client import CoworldApiClient
from coworld.server.connection import SLOW_SECONDS
from coworld.server.pages import CoworldPage, ImagePage
from softmax.client.api import path_part
from softmax.client.errors import NotFound, Refused
from softmax.client.transport import parse
from softmax.wire.accounts import PlayerLoginResponse, PlayerResponse
from softmax.wire.coworlds import (
    CertificationStatus,
    ContentUpload,
    CoworldResponse,
    CoworldSecretRow,
    CoworldSummaryRow,
    ReporterRegistration,
    ReporterUpload,
    ReporterUploadComplete,
    ViewerBundle,
)
from softmax.wire.images import ContainerImageRow, ImageUpload
from softmax.wire.leagues import CompetitionSeed
from softmax.wire.policies import PolicyVersionResponse

__all__ = ["CoworldPage", "CoworldUploadClient", "FileUpload", "HostedGame", "HostedSeat", "ImagePage"]

ALREADY_STORED = 409


class FileUpload(BaseModel):
    """Where to PUT the bytes of a policy's file; an existing version needs no bytes."""

    upload_url: str | None = None
    existing_policy_version: PolicyVersionResponse | None = None


class HostedGame(BaseModel):
    """A game that the server runs. Fields of other generations of the server are kept."""

    model_config = ConfigDict(extra="allow")

    session_id: str
    lobby_url: str
    player_count: int


class HostedSeat(BaseModel):
    """A place in a game that the server runs. `socket_url`, if the server sends it, is for programs."""

    model_config = ConfigDict(extra="allow")

    entrant_kind: Literal["player", "spectator"]
    target_url: str
    slot: int | None = None


class CoworldUploadClient(CoworldApiClient):
    """A client with the calls that publish; it needs a token."""

    # Coworlds

    def list_coworlds(
        self,
        *,
        limit: int = 200,
        cursor: str | None = None,
        offset: int = 0,
        name: str | None = None,
        canonical: bool | None = None,
    ) -> CoworldPage:
        params = {"limit": limit, "cursor": cursor, "offset": offset or None, "name": name, "canonical": canonical}
        return self._rows("/v2/coworlds/summaries", CoworldPage, params, "Coworlds")

    def iter_coworlds_by_name(self, name: str) -> Iterator[CoworldSummaryRow]:
        """Yield the versions of a name, newest first. The server filters, so few pages are needed."""
        cursor = None
        while True:
            page = self.list_coworlds(name=name, cursor=cursor)
            yield from (row for row in page if name_key(row.name) == name_key(name))
            cursor = page.next_cursor
            if cursor is None:
                return

    def find_canonical_coworld(self, name: str) -> CoworldSummaryRow | None:
        rows = self.list_coworlds(name=name, canonical=True).entries
        return next((row for row in rows if name_key(row.name) == name_key(name) and row.canonical), None)

    def get_coworld(self, coworld_id: str) -> CoworldResponse:
        return self._get(f"/v2/coworlds/{path_part(coworld_id)}", CoworldResponse, f"Coworld {coworld_id}")

    def upload_manifest(self, manifest: Mapping[str, Any], *, visibility: str | None = None) -> CoworldResponse:
        body = {"manifest": dict(manifest), **({} if visibility is None else {"visibility": visibility})}
        return self._post("/v2/coworlds/upload", CoworldResponse, "Coworld", json=body, timeout=SLOW_SECONDS)

    def get_coworld_certification(self, coworld_id: str) -> CertificationStatus:
        path = f"/v2/coworlds/{path_part(coworld_id)}/certification"
        return self._get(path, CertificationStatus, f"Coworld {coworld_id}")

    def retry_coworld_certification(self, coworld_id: str) -> CertificationStatus:
        path = f"/v2/coworlds/{path_part(coworld_id)}/certification/retry"
        return self._post(path, CertificationStatus, f"Coworld {coworld_id}")

    def patch_commissioner(
        self,
        *,
        coworld_name: str,
        container_image_id: str,
        runnable_id: str | None = None,
        version: str | None = None,
    ) -> CoworldResponse:
        body = {"coworld_name": coworld_name, "container_image_id": container_image_id}
        more = {"runnable_id": runnable_id, "version": version}
        body |= {name: text for name, text in more.items() if text is not None}
        return self._post("/v2/coworlds/patch-commissioner", CoworldResponse, f"Coworld {coworld_name}", json=body)

    # Files

    def request_coworld_player_file_upload(self, *, content_hash: str, size_bytes: int) -> ContentUpload:
        return self._upload("/v2/coworlds/player-files/upload", content_hash, size_bytes)

    def request_replay_viewer_bundle_upload(self, *, content_hash: str, size_bytes: int) -> ContentUpload:
        return self._upload("/v2/coworlds/replay-viewer-bundles/upload", content_hash, size_bytes)

    def complete_replay_viewer_bundle_upload(self, *, content_hash: str, size_bytes: int) -> ViewerBundle:
        body = {"content_hash": content_hash, "size_bytes": size_bytes}
        return self._post("/v2/coworlds/replay-viewer-bundles/upload/complete", ViewerBundle, "Viewer", json=body)

    def request_program_upload(self, *, content_hash: str, size_bytes: int) -> ContentUpload:
        return self._upload("/v2/coworlds/programs/upload", content_hash, size_bytes)

    def complete_program_upload(self, *, content_hash: str, size_bytes: int) -> ViewerBundle:
        body = {"content_hash": content_hash, "size_bytes": size_bytes}
        return self._post("/v2/coworlds/programs/upload/complete", ViewerBundle, "Program", json=body)

    def get_replay_viewer_bundle(self, content_hash: str) -> ViewerBundle | None:
        try:
            return self._get(f"/v2/coworlds/replay-viewer-bundles/{content_hash}", ViewerBundle, "Viewer")
        except NotFound:
            return None

    def _upload(self, path: str, content_hash: str, size_bytes: int) -> ContentUpload:
        body = {"content_hash": content_hash, "size_bytes": size_bytes}
        try:
            return self._post(path, ContentUpload, "File", json=body)
        except Refused as error:
            if error.status == ALREADY_STORED:
                return ContentUpload()
            raise

    def put_signed(self, url: str, data: bytes, *, content_type: str = "application/octet-stream") -> None:
        """Send bytes to a signed address, without the token."""
        headers = {"Content-Type": content_type}
        address = urljoin(f"{self.server_url}/", url)
        self._transport.call("PUT", address, headers=headers, content=data, resource="Upload", timeout=3600.0)

    # Images

    def list_images(self, *, limit: int = 200, cursor: str | None = None, offset: int = 0) -> ImagePage:
        params = {"limit": limit, "cursor": cursor, "offset": offset or None}
        return self._rows("/v2/container_images", ImagePage, params, "Images")

    def get_image(self, image_id: str) -> ContainerImageRow:
        return self._get(f"/v2/container_images/{path_part(image_id)}", ContainerImageRow, f"Image {image_id}")

    def request_image_upload(self, *, name: str, client_hash: str) -> ImageUpload:
        body = {"name": name, "client_hash": client_hash}
        return self._post("/v2/container_images/upload", ImageUpload, "Image", json=body)

    def complete_image_upload(self, image_id: str) -> ContainerImageRow:
        path = "/v2/container_images/upload/complete"
        return self._post(path, ContainerImageRow, f"Image {image_id}", json={"id": image_id}, timeout=SLOW_SECONDS)

    # Policies

    def store_policy_secrets(self, secrets: Mapping[str, str]) -> str:
        body = {"policy_secret_env": dict(secrets)}
        return str(self._post("/stats/policy-secret-envs", dict[str, Any], "Secrets", json=body)["id"])

    def complete_docker_image_policy(
        self,
        *,
        name: str | None,
        container_image_id: str,
        run: list[str] | None = None,
        secret_env: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
        resources: Mapping[str, Any] | None = None,
        startup: Mapping[str, Any] | None = None,
    ) -> PolicyVersionResponse:
        body: dict[str, Any] = {"container_image_id": container_image_id}
        more = {"name": name, "run": run, "tags": tags, "resources": resources, "startup": startup}
        body |= {key: value for key, value in more.items() if value}
        if secret_env:
            body["policy_secret_env_id"] = self.store_policy_secrets(secret_env)
        path = "/stats/policies/docker-img/complete"
        return self._post(path, PolicyVersionResponse, "Policy", json=body, timeout=SLOW_SECONDS)

    def request_player_file_upload(
        self, *, name: str | None, content_hash: str, size_bytes: int, tags: Mapping[str, str] | None = None
    ) -> FileUpload:
        body = _file_body(name, content_hash, size_bytes, tags)
        try:
            return self._post("/stats/policies/files/upload", FileUpload, "Policy", json=body)
        except Refused as error:
            if error.status == ALREADY_STORED:
                return FileUpload()
            raise

    def complete_player_file_policy(
        self,
        *,
        name: str | None,
        content_hash: str,
        size_bytes: int,
        tags: Mapping[str, str] | None = None,
        **more: Any,
    ) -> PolicyVersionResponse:
        body = {**_file_body(name, content_hash, size_bytes, tags), **more}
        path = "/stats/policies/files/complete"
        return self._post(path, PolicyVersionResponse, "Policy", json=body, timeout=SLOW_SECONDS)

    # Reporters

    def register_reporter(
        self, *, name: str, display_name: str, description: str, outputs: list[dict[str, Any]]
    ) -> ReporterRegistration:
        body = {"name": name, "display_name": display_name, "description": description, "outputs": outputs}
        return self._post("/v2/reporters/register", ReporterRegistration, "Reporter", json=body)

    def request_reporter_upload(
        self, *, name: str, content_hash: str, size_bytes: int, attributes: Mapping[str, Any]
    ) -> ReporterUpload:
        body = {
            "name": name,
            "content_hash": content_hash,
            "size_bytes": size_bytes,
            "attributes": dict(attributes),
        }
        return self._post("/v2/reporters/upload", ReporterUpload, "Reporter", json=body)

    def complete_reporter_upload(
        self, *, name: str, content_hash: str, attributes: Mapping[str, Any]
    ) -> ReporterUploadComplete:
        body = {"name": name, "content_hash": content_hash, "attributes": dict(attributes)}
        return self._post("/v2/reporters/upload/complete", ReporterUploadComplete, "Reporter", json=body)

    # Leagues

    def create_league_seed(
        self,
        *,
        coworld_name: str,
        league_key: str,
        league_name: str,
        default_variant_id: str | None = None,
        template: str = "commissioner_driven",
        overrides: Mapping[str, Any] | None = None,
        enabled: bool = True,
    ) -> CompetitionSeed:
        body = {
            "coworld_name": coworld_name,
            "league_key": league_key,
            "league_name": league_name,
            "default_variant_id": default_variant_id,
            "template": template,
            "overrides": dict(overrides or {}),
            "enabled": enabled,
        }
        return self._post("/v2/coworld-league-seeds", CompetitionSeed, f"Coworld {coworld_name}", json=body)

    def list_league_seeds(self) -> list[CompetitionSeed]:
        return self._get("/v2/coworld-league-seeds", list[CompetitionSeed], "Seeds")

    def update_league_seed(
        self,
        *,
        seed_id: str,
        overrides: Mapping[str, Any] | None = None,
        default_variant_id: str | None = None,
        clear_default_variant: bool = False,
    ) -> CompetitionSeed:
        body: dict[str, Any] = {} if overrides is None else {"overrides": dict(overrides)}
        if default_variant_id is not None or clear_default_variant:
            body["default_variant_id"] = default_variant_id
        path = f"/v2/coworld-league-seeds/{path_part(seed_id)}"
        return parse(self._call("PATCH", path, f"Seed {seed_id}", json=body), CompetitionSeed)

    def set_league_game_of_week(self, *, seed_id: str) -> CompetitionSeed:
        path = f"/v2/coworld-league-seeds/{path_part(seed_id)}/game-of-week"
        return parse(self._call("PUT", path, f"Seed {seed_id}"), CompetitionSeed)

    def rebind_league_seeds(self, *, changes: list[dict[str, Any]], dry_run: bool = True) -> dict[str, Any]:
        body = {"dry_run": dry_run, "changes": changes}
        return self._post("/v2/coworld-league-seeds/rebind", dict[str, Any], "Seeds", json=body)

    def setup_league(self, league_id: str, *, approve: bool = False, revision: str | None = None) -> dict[str, Any]:
        body = {"approve": approve, "revision": revision}
        path = f"/v2/leagues/{path_part(league_id)}/setup"
        return self._post(path, dict[str, Any], f"League {league_id}", json=body)

    # Secrets

    def put_coworld_secret(self, *, coworld_name: str, secret_name: str, body: bytes) -> CoworldSecretRow:
        headers = {"Content-Type": "application/octet-stream"}
        path = f"/v2/coworlds/secrets/{path_part(coworld_name)}/{path_part(secret_name)}"
        return parse(self._call("PUT", path, f"Coworld {coworld_name}", headers, content=body), CoworldSecretRow)

    def list_coworld_secrets(self, *, coworld_name: str) -> list[CoworldSecretRow]:
        path = f"/v2/coworlds/secrets/{path_part(coworld_name)}"
        return self._get(path, list[CoworldSecretRow], f"Coworld {coworld_name}")

    def delete_coworld_secret(self, *, coworld_name: str, secret_name: str) -> CoworldSecretRow:
        path = f"/v2/coworlds/secrets/{path_part(coworld_name)}/{path_part(secret_name)}"
        return parse(self._call("DELETE", path, f"Secret {secret_name}"), CoworldSecretRow)

    # Players

    def list_players(self) -> list[PlayerResponse]:
        return self._get("/players", list[PlayerResponse], "Players")

    def create_player(self, name: str) -> PlayerResponse:
        return self._post("/players", PlayerResponse, "Players", json={"name": name})

    def login_player(self, player_id: str) -> PlayerLoginResponse:
        return self._post(f"/players/{path_part(player_id)}/login", PlayerLoginResponse, f"Player {player_id}")

    # Games that the server runs

    def create_hosted_game(
        self, *, coworld_id: str, variant_id: str | None = None, allow_spectators: bool = False
    ) -> HostedGame:
        body = {"coworld_id": coworld_id, "variant_id": variant_id, "allow_spectators": allow_spectators}
        return self._post("/v2/coworlds/play/session", HostedGame, f"Coworld {coworld_id}", json=body)

    def join_hosted_game(self, session_id: str) -> HostedSeat:
        path = f"/v2/coworlds/play/session/{path_part(session_id)}/join"
        return self._post(path, HostedSeat, f"Game {session_id}")


def name_key(name: str) -> str:
    """Return a name as the server compares it: `-` and `_` are the same."""
    return name.replace("-", "_").casefold()


def _file_body(name: str | None, content_hash: str, size_bytes: int, tags: Mapping[str, str] | None) -> dict[str, Any]:
    body: dict[str, Any] = {"content_hash": content_hash, "size_bytes": size_bytes, "tags": dict(tags or {})}
    return body if name is None else {"name": name, **body}

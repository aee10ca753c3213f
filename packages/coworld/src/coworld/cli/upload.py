"""Publish Coworlds from a program: the client, its models under their published names, and whole uploads."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from coworld.cli.pairs import text_pairs
from coworld.cli.upload_status import (
    CoworldStatusResult,
    HostedSmokeEpisodeStatus,
    coworld_status,
    get_coworld_status,
    get_hosted_smoke_episode_statuses,
    wait_for_hosted_smoke_certification,
    wait_for_upload_certification,
)
from coworld.models.runnables import MANIFEST_ROLE_SECTIONS
from coworld.server.config import DEFAULT_SUBMIT_SERVER
from coworld.server.coworld_download import FILES, IMAGES, resolve_coworld_id
from coworld.server.coworld_download import agents_md as download_agents_md
from coworld.server.coworld_download import is_downloaded as downloaded_coworld_exists
from coworld.server.coworld_download import manifest_path as downloaded_coworld_manifest_path
from coworld.server.coworld_upload import stored_manifest, updated_manifest
from coworld.server.coworld_upload import upload_coworld as send_coworld
from coworld.server.membership_calls import AutoChampion
from coworld.server.pages import CoworldPage as CoworldListPage
from coworld.server.pages import ImagePage as ContainerImagePage
from coworld.server.policy_upload import UploadError
from coworld.server.upload_client import CoworldUploadClient
from coworld.server.upload_client import FileUpload as PlayerFilePolicyUploadResponse
from coworld.server.upload_client import HostedGame as HostedGameCreateResponse
from coworld.server.upload_client import HostedSeat as HostedGameJoinResponse
from softmax.wire.accounts import WhoAmIResponse
from softmax.wire.coworlds import CertificationFailure as CoworldCertificationFailure
from softmax.wire.coworlds import CertificationStatus as CoworldCertificationStatus
from softmax.wire.coworlds import CertificationStep as CoworldCertificationStepSummary
from softmax.wire.coworlds import ContentUpload as CoworldPlayerFileUploadResponse
from softmax.wire.coworlds import ContentUpload as ReplayViewerBundleUploadResponse
from softmax.wire.coworlds import CoworldResponse as CoworldUploadResponse
from softmax.wire.coworlds import CoworldSecretRow as CoworldSecretResponse
from softmax.wire.coworlds import CoworldSummaryRow as CoworldListEntry
from softmax.wire.coworlds import ManifestSummary as CoworldManifestSummary
from softmax.wire.coworlds import ReporterRegistration as ReporterRegisterResponse
from softmax.wire.coworlds import ReporterUpload as ReporterUploadResponse
from softmax.wire.coworlds import ReporterUploadComplete as ReporterUploadCompleteResponse
from softmax.wire.coworlds import ReporterVersionRow as ReporterVersionResponse
from softmax.wire.coworlds import VariantName as CoworldVariantSummary
from softmax.wire.coworlds import ViewerBundle as ReplayViewerBundleCompleteResponse
from softmax.wire.images import ContainerImageRow as ContainerImageResponse
from softmax.wire.images import ImageUpload as ImageUploadResponse
from softmax.wire.images import PushInfo as EcrPushInfo
from softmax.wire.leagues import CompetitionSeed as CoworldLeagueSeedResponse
from softmax.wire.leagues import CompetitionSubmission as LeagueSubmissionResponse
from softmax.wire.leagues import LeagueSetup as LeagueSetupResponse
from softmax.wire.leagues import LeagueSetupProposal
from softmax.wire.leagues import SeedBinding as CoworldLeagueSeedBinding
from softmax.wire.leagues import SeedCounts as CoworldLeagueSeedPreservedCounts
from softmax.wire.leagues import SeedRebind as CoworldLeagueSeedRebindResponse
from softmax.wire.leagues import SeedRebindResult as CoworldLeagueSeedRebindResult
from softmax.wire.policies import PolicyVersionResponse, PolicyVersionRow, PolicyVersionsResponse

__all__ = [
    "DEFAULT_SUBMIT_SERVER",
    "MANIFEST_ROLE_SECTIONS",
    "AutoChampion",
    "ContainerImagePage",
    "ContainerImageResponse",
    "CoworldCertificationFailure",
    "CoworldCertificationStatus",
    "CoworldCertificationStepSummary",
    "CoworldLeagueSeedBinding",
    "CoworldLeagueSeedPreservedCounts",
    "CoworldLeagueSeedRebindResponse",
    "CoworldLeagueSeedRebindResult",
    "CoworldLeagueSeedResponse",
    "CoworldListEntry",
    "CoworldListPage",
    "CoworldManifestSummary",
    "CoworldPlayerFileUploadResponse",
    "CoworldSecretResponse",
    "CoworldStatusResult",
    "CoworldUploadClient",
    "CoworldUploadResponse",
    "CoworldUploadResult",
    "CoworldVariantSummary",
    "EcrPushInfo",
    "HostedGameCreateResponse",
    "HostedGameJoinResponse",
    "HostedSmokeEpisodeStatus",
    "ImageUploadResponse",
    "LeagueSetupProposal",
    "LeagueSetupResponse",
    "LeagueSubmissionResponse",
    "PlayerFilePolicyUploadResponse",
    "PolicyVersionResponse",
    "PolicyVersionRow",
    "PolicyVersionsResponse",
    "ReplayViewerBundleCompleteResponse",
    "ReplayViewerBundleUploadResponse",
    "ReporterRegisterResponse",
    "ReporterUploadCompleteResponse",
    "ReporterUploadResponse",
    "ReporterVersionResponse",
    "WhoAmIResponse",
    "coworld_status",
    "download_agents_md",
    "download_coworld",
    "downloaded_coworld_exists",
    "downloaded_coworld_images_path",
    "downloaded_coworld_manifest_path",
    "downloaded_coworld_player_files_path",
    "get_coworld_status",
    "get_hosted_smoke_episode_statuses",
    "resolve_coworld_download_id",
    "upload_coworld",
    "upload_coworld_update",
    "wait_for_hosted_smoke_certification",
    "wait_for_upload_certification",
]


@dataclass(frozen=True)
class CoworldUploadResult:
    """A version that was uploaded."""

    id: str
    name: str
    version: str
    manifest_hash: str
    size_bytes: int
    canonical: bool
    hosted_smoke_episode_ids: tuple[str, ...] = ()


def upload_coworld(
    manifest_path: Path,
    *,
    server: str | None = None,
    timeout_seconds: float = 60.0,
    visibility: Literal["public", "private"] | None = None,
    wait_for_hosted_smoke: bool = False,
    hosted_smoke_timeout_seconds: float = 1800.0,
    hosted_smoke_poll_seconds: float = 5.0,
) -> CoworldUploadResult:
    """Certify a Coworld on this machine, publish it, and wait for the server's episodes if asked to.

    Raises:
        UploadError: it cannot be sent, or the server has not tried it in time. `ClientError`: the server refuses.
    """
    from coworld.cli.setting import engine_beside
    from coworld.manifest.package import load_package
    from coworld.server.coworld_upload import certified_here

    engine = engine_beside(manifest_path, "auto", maps=[], unsafe=False)
    certified_here(manifest_path, engine, timeout_seconds=timeout_seconds, say=_quiet)
    with CoworldUploadClient.from_login(server_url=server) as client:
        row = send_coworld(client, load_package(manifest_path, strict=True), visibility=visibility)
        seconds = hosted_smoke_timeout_seconds if wait_for_hosted_smoke else None
        return _result(client, row, wait_seconds=seconds, poll_seconds=hosted_smoke_poll_seconds)


def upload_coworld_update(
    coworld_ref: str,
    *,
    server: str | None = None,
    visibility: Literal["public", "private"] | None = None,
    version: str | None = None,
    patch_update: str | None = None,
    image_updates: list[str] | None = None,
    wait_for_hosted_smoke: bool = False,
    hosted_smoke_timeout_seconds: float = 1800.0,
    hosted_smoke_poll_seconds: float = 5.0,
) -> CoworldUploadResult:
    """Publish a stored manifest again with changes: a version, a JSON merge patch, or images as `TARGET=IMAGE`.

    Raises:
        UploadError: nothing changes, or an image cannot be sent. `ClientError`: the server refuses.
    """
    from coworld.manifest.package import MANIFEST_NAME, load_package

    if version is None and patch_update is None and not image_updates:
        raise UploadError("Give a version, a patch or an image that changes")
    images = text_pairs(image_updates, "--image")
    with CoworldUploadClient.from_login(server_url=server) as client, tempfile.TemporaryDirectory() as folder:
        stored = stored_manifest(client, resolve_coworld_id(client, coworld_ref))
        path = Path(folder) / MANIFEST_NAME
        path.write_text(json.dumps(updated_manifest(stored, version=version, patch=patch_update, images=images)))
        row = send_coworld(client, load_package(path), visibility=visibility)
        seconds = hosted_smoke_timeout_seconds if wait_for_hosted_smoke else None
        return _result(client, row, wait_seconds=seconds, poll_seconds=hosted_smoke_poll_seconds)


def _result(
    client: CoworldUploadClient, row: CoworldUploadResponse, *, wait_seconds: float | None, poll_seconds: float
) -> CoworldUploadResult:
    """Wait for the server's episodes unless `wait_seconds` is None, and return the version as it is then."""
    episodes: tuple[HostedSmokeEpisodeStatus, ...] = ()
    if wait_seconds is not None:
        episodes = wait_for_hosted_smoke_certification(
            client, coworld_id=row.id, timeout_seconds=wait_seconds, poll_seconds=poll_seconds
        )
    row = client.get_coworld(row.id)
    return CoworldUploadResult(
        id=row.id,
        name=row.name,
        version=row.version,
        manifest_hash=row.manifest_hash,
        size_bytes=row.size_bytes,
        canonical=row.canonical,
        hosted_smoke_episode_ids=tuple(episode.id for episode in episodes),
    )


def _quiet(text: str) -> None:
    """Print nothing about the steps of a certification."""


def resolve_coworld_download_id(coworld_ref: str, *, server: str | None = None) -> str:
    """Return the id of a Coworld: as given, or of the canonical version of a name."""
    with CoworldUploadClient.maybe_signed_in(server) as client:
        return resolve_coworld_id(client, coworld_ref)


def download_coworld(coworld_ref: str, *, server: str | None = None) -> CoworldUploadResponse:
    """Return a published Coworld with its manifest; `coworld download` writes its files."""
    with CoworldUploadClient.maybe_signed_in(server) as client:
        return client.get_coworld(resolve_coworld_id(client, coworld_ref))


def downloaded_coworld_images_path(output_dir: Path, coworld_id: str) -> Path:
    return output_dir / coworld_id / IMAGES


def downloaded_coworld_player_files_path(output_dir: Path, coworld_id: str) -> Path:
    return output_dir / coworld_id / FILES

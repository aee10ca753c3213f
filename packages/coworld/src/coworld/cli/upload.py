"""Publish Coworlds from a program: the client, its models under their published names, and whole uploads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from coworld.server.coworld_upload import upload_coworld as send_coworld
from coworld.server.coworld_upload import wait_for_smoke
from coworld.server.pages import CoworldPage as CoworldListPage
from coworld.server.pages import ImagePage as ContainerImagePage
from coworld.server.policy_upload import UploadError
from coworld.server.upload_client import CoworldUploadClient
from coworld.server.upload_client import FileUpload as PlayerFilePolicyUploadResponse
from coworld.server.upload_client import HostedGame as HostedGameCreateResponse
from coworld.server.upload_client import HostedSeat as HostedGameJoinResponse
from softmax.wire.coworlds import CertificationFailure as CoworldCertificationFailure
from softmax.wire.coworlds import CertificationStatus as CoworldCertificationStatus
from softmax.wire.coworlds import CertificationStep as CoworldCertificationStepSummary
from softmax.wire.coworlds import ContentUpload as CoworldPlayerFileUploadResponse
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
from softmax.wire.leagues import LeagueSetup as LeagueSetupResponse
from softmax.wire.leagues import LeagueSetupProposal
from softmax.wire.leagues import SeedRebind as CoworldLeagueSeedRebindResponse
from softmax.wire.policies import PolicyVersionResponse

__all__ = [
    "ContainerImagePage",
    "ContainerImageResponse",
    "CoworldCertificationFailure",
    "CoworldCertificationStatus",
    "CoworldCertificationStepSummary",
    "CoworldLeagueSeedRebindResponse",
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
    "PlayerFilePolicyUploadResponse",
    "PolicyVersionResponse",
    "ReplayViewerBundleCompleteResponse",
    "ReporterRegisterResponse",
    "ReporterUploadCompleteResponse",
    "ReporterUploadResponse",
    "ReporterVersionResponse",
    "coworld_status",
    "get_coworld_status",
    "upload_coworld",
    "wait_for_hosted_smoke_certification",
]

ENDED = frozenset({"completed", "failed", "canceled", "cancelled"})


@dataclass(frozen=True)
class HostedSmokeEpisodeStatus:
    """An episode by which the server tries a version."""

    id: str
    status: str
    error: str | None = None


@dataclass(frozen=True)
class CoworldStatusResult:
    """A version, the episodes by which the server tries it, and its certification."""

    coworld: CoworldUploadResponse
    hosted_smoke_episodes: tuple[HostedSmokeEpisodeStatus, ...]
    certification: CoworldCertificationStatus | None = None

    @property
    def hosted_smoke_episode_ids(self) -> tuple[str, ...]:
        return tuple(episode.id for episode in self.hosted_smoke_episodes)

    @property
    def hosted_smoke_pending(self) -> bool:
        return any(episode.status not in ENDED for episode in self.hosted_smoke_episodes)

    @property
    def hosted_smoke_failed(self) -> bool:
        return any(episode.status in ENDED - {"completed"} for episode in self.hosted_smoke_episodes)

    @property
    def hosted_smoke_passed(self) -> bool:
        return bool(self.hosted_smoke_episodes) and not (self.hosted_smoke_failed or self.hosted_smoke_pending)


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
        episodes: tuple[HostedSmokeEpisodeStatus, ...] = ()
        if wait_for_hosted_smoke:
            episodes = wait_for_hosted_smoke_certification(
                client,
                coworld_id=row.id,
                timeout_seconds=hosted_smoke_timeout_seconds,
                poll_seconds=hosted_smoke_poll_seconds,
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


def coworld_status(
    coworld_id: str,
    *,
    server: str | None = None,
    wait_for_hosted_smoke: bool = False,
    timeout_seconds: float = 1800.0,
    poll_seconds: float = 5.0,
) -> CoworldStatusResult:
    """Return whether the server has tried and certified a version."""
    with CoworldUploadClient.from_login(server_url=server) as client:
        return get_coworld_status(
            client,
            coworld_id=coworld_id,
            wait_for_hosted_smoke=wait_for_hosted_smoke,
            timeout_seconds=timeout_seconds,
            poll_seconds=poll_seconds,
        )


def get_coworld_status(
    client: CoworldUploadClient,
    *,
    coworld_id: str,
    wait_for_hosted_smoke: bool = False,
    timeout_seconds: float = 1800.0,
    poll_seconds: float = 5.0,
) -> CoworldStatusResult:
    """Return the same with a client."""
    seconds = timeout_seconds if wait_for_hosted_smoke else 0.0
    episodes = _smoke(client, coworld_id, seconds, poll_seconds, required=wait_for_hosted_smoke)
    return CoworldStatusResult(client.get_coworld(coworld_id), episodes, client.get_coworld_certification(coworld_id))


def wait_for_hosted_smoke_certification(
    client: CoworldUploadClient, *, coworld_id: str, timeout_seconds: float = 1800.0, poll_seconds: float = 5.0
) -> tuple[HostedSmokeEpisodeStatus, ...]:
    """Wait until the server has tried a version; `UploadError` if that takes too long."""
    return _smoke(client, coworld_id, timeout_seconds, poll_seconds, required=True)


def _smoke(
    client: CoworldUploadClient, coworld_id: str, seconds: float, pause: float, *, required: bool
) -> tuple[HostedSmokeEpisodeStatus, ...]:
    from coworld.server.coworld_upload import smoke_status

    status = wait_for_smoke(client, coworld_id, seconds=seconds, pause=pause) if required else None
    if required and status is None:
        raise UploadError(f"The server had not tried {coworld_id} after {seconds:g} seconds")
    episodes = (status or smoke_status(client, coworld_id)).episodes
    return tuple(HostedSmokeEpisodeStatus(episode.id, episode.status) for episode in episodes)

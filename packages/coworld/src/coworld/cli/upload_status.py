"""Whether a server has tried and certified an uploaded Coworld, from a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from coworld.server.coworld_upload import ENDED, smoke_status, wait_for_certification, wait_for_smoke
from coworld.server.policy_upload import UploadError
from coworld.server.upload_client import CoworldUploadClient
from softmax.wire.coworlds import CertificationStatus, CoworldResponse

__all__ = [
    "CoworldStatusResult",
    "HostedSmokeEpisodeStatus",
    "coworld_status",
    "get_coworld_status",
    "get_hosted_smoke_episode_statuses",
    "wait_for_hosted_smoke_certification",
    "wait_for_upload_certification",
]


@dataclass(frozen=True)
class HostedSmokeEpisodeStatus:
    """An episode by which the server tries a version."""

    id: str
    status: str
    error: str | None = None


@dataclass(frozen=True)
class CoworldStatusResult:
    """A version, the episodes by which the server tries it, and its certification."""

    coworld: CoworldResponse
    hosted_smoke_episodes: tuple[HostedSmokeEpisodeStatus, ...]
    certification: CertificationStatus | None = None

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


def get_hosted_smoke_episode_statuses(
    client: CoworldUploadClient, *, coworld_id: str
) -> tuple[HostedSmokeEpisodeStatus, ...]:
    """Return the episodes by which the server tries a version, as they are now."""
    return _smoke(client, coworld_id, 0.0, 0.0, required=False)


def wait_for_upload_certification(
    client: CoworldUploadClient,
    *,
    coworld_id: str,
    timeout_seconds: float,
    poll_seconds: float = 5.0,
    on_step: Callable[[str, str], None] | None = None,
) -> CertificationStatus:
    """Wait until the server has certified a version or not; `UploadError` if that takes too long."""
    steps = on_step or (lambda step, status: None)
    status = wait_for_certification(client, coworld_id, seconds=timeout_seconds, pause=poll_seconds, on_step=steps)
    if status is None:
        raise UploadError(f"The server had not certified {coworld_id} after {timeout_seconds:g} seconds")
    return status


def _smoke(
    client: CoworldUploadClient, coworld_id: str, seconds: float, pause: float, *, required: bool
) -> tuple[HostedSmokeEpisodeStatus, ...]:
    status = wait_for_smoke(client, coworld_id, seconds=seconds, pause=pause) if required else None
    if required and status is None:
        raise UploadError(f"The server had not tried {coworld_id} after {seconds:g} seconds")
    episodes = (status or smoke_status(client, coworld_id)).episodes
    return tuple(HostedSmokeEpisodeStatus(episode.id, episode.status) for episode in episodes)

"""Files of an episode: logs and artifacts of seats, and replays, saved to folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworld.runner.artifacts import write_document, write_file
from softmax.client.errors import NotFound

if TYPE_CHECKING:
    from coworld.bundle import BundleManifest
    from coworld.server.api_client import CoworldApiClient
    from softmax.wire.requests import EpisodeRequestRow, PolicyArtifactInfo

__all__ = ["Saved", "SeatFile", "download_bundle", "download_replays", "download_seats", "fetch_replay", "seats_of"]


@dataclass
class Saved:
    """What a download wrote, and what it could not get."""

    paths: list[Path] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class SeatFile:
    """The files of one seat."""

    client: CoworldApiClient
    episode: str
    seat: PolicyArtifactInfo

    def log(self) -> bytes:
        position = self.seat.position
        return self.client.get_episode_request_policy_log(self.episode, self.seat.policy_version_id, position).encode()

    def artifact(self) -> bytes:
        position = self.seat.position
        return self.client.get_episode_request_policy_artifact(self.episode, self.seat.policy_version_id, position)


def seats_of(client: CoworldApiClient, episode: str) -> list[PolicyArtifactInfo]:
    """Return the seats whose files the caller can access, in order."""
    return sorted(client.list_episode_request_policy_artifacts(episode), key=lambda seat: seat.position)


def download_seats(
    client: CoworldApiClient, episode: str, seats: Sequence[PolicyArtifactInfo], folder: Path, *, logs: bool = True
) -> Saved:
    """Save the logs and artifacts of seats: `policy_agent_0.log`, `policy_artifact_0.zip`, ..."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = Saved()
    for seat in seats:
        file = SeatFile(client, episode, seat)
        wanted = [(f"policy_agent_{seat.position}.log", file.log)] if logs and seat.has_log else []
        if seat.has_artifact:
            wanted.append((f"policy_artifact_{seat.position}.zip", file.artifact))
        for name, read in wanted:
            try:
                data = read()
            except NotFound:
                saved.missing.append(name)
                continue
            write_file(folder / name, data)
            saved.paths.append(folder / name)
    return saved


def download_bundle(server: str | None, episode: str, path: Path, *, include: Sequence[str]) -> BundleManifest:
    """Save an episode's bundle, with the files that the caller can access, and return its manifest.

    Raises:
        BundleError: the server sent something else. `ClientError`: the server refuses.
    """
    from coworld.bundle import opened_bundle
    from coworld.server.api_client import CoworldApiClient

    with CoworldApiClient.maybe_signed_in(server) as client:
        data = client.get_episode_request_bundle(episode, list(include))
    with opened_bundle(data) as bundle:
        manifest = bundle.manifest
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, data)
    return manifest


def fetch_replay(client: CoworldApiClient, row: EpisodeRequestRow) -> bytes:
    """Return the bytes of an episode's replay. Raises `ClientError`."""
    return client.get_episode_request_artifact_bytes(row.id, "replay")


def download_replays(client: CoworldApiClient, rows: Sequence[EpisodeRequestRow], folder: Path) -> list[dict[str, Any]]:
    """Save replays as `ID.replay`, and `index.json` with a line about each; a replay that exists is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for row in rows:
        path = folder / f"{row.id}.replay"
        if not path.is_file():
            write_file(path, fetch_replay(client, row))
        index.append(
            {
                "episode_request_id": row.id,
                "episode_id": None if row.episode_id is None else str(row.episode_id),
                "coworld_id": row.coworld_id,
                "replay_url": row.replay_url,
                "path": path.name,
                "policy_version_ids": [str(each) for each in row.policy_version_ids],
                "created_at": row.created_at.isoformat(),
            }
        )
    write_document(folder / "index.json", index)
    return index

"""Download the files of many episodes: what exists, once, checked, and with a log of what was saved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coworld.runner.artifacts import write_document, write_file
from softmax.client.errors import ClientError, Refused

if TYPE_CHECKING:
    from coworld.server.api_client import CoworldApiClient
    from softmax.wire.requests import DownloadEntry

__all__ = ["CATEGORIES", "Downloaded", "download_evidence"]

CATEGORIES = ("results", "replay", "events", "error_info", "game_logs", "player_logs", "player_artifact")
RECEIPT, LOG = "download.json", "manifest.jsonl"
EXPIRED = (403, 404, 412)


@dataclass(frozen=True)
class Downloaded:
    """One file of an episode: where it is, or why it is not there."""

    entry: DownloadEntry
    path: Path | None
    problem: str | None = None

    @property
    def is_complete(self) -> bool:
        return self.path is not None or self.entry.state == "not_produced"


def download_evidence(
    client: CoworldApiClient,
    ids: Sequence[str],
    folder: Path,
    *,
    include: Sequence[str],
    agents: Sequence[int] | None = None,
    concurrency: int = 4,
) -> list[Downloaded]:
    """Save files at `FOLDER/<sha256 of artifact and version>/<file name>`; files that are there already are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    entries, unavailable = _entries(client, ids, include, agents)
    if unavailable:
        raise ClientError(f"The server has no {', '.join(unavailable)} for you", ["check the ids and who you are"])
    with ThreadPoolExecutor(concurrency) as pool:
        found = list(pool.map(lambda entry: _save(client, entry, folder, include, agents), entries))
    with (folder / LOG).open("a") as log:
        for item in found:
            line = item.entry.model_dump(mode="json", exclude={"url", "inline_json", "expires_at"})
            path = None if item.path is None else str(item.path.relative_to(folder))
            log.write(json.dumps({**line, "path": path, "problem": item.problem}) + "\n")
    return found


def _entries(
    client: CoworldApiClient, ids: Sequence[str], include: Sequence[str], agents: Sequence[int] | None
) -> tuple[list[DownloadEntry], list[str]]:
    entries: list[DownloadEntry] = []
    unavailable: dict[str, None] = {}
    for page in _pages(client, ids, include, agents):
        entries += page[0]
        unavailable.update(dict.fromkeys(page[1]))
    return entries, list(unavailable)


def _pages(
    client: CoworldApiClient, ids: Sequence[str], include: Sequence[str], agents: Sequence[int] | None
) -> Iterator[tuple[list[DownloadEntry], list[str]]]:
    cursor = None
    while True:
        page = client.episode_download_manifest(
            list(ids), include=list(include), agents=None if agents is None else list(agents), cursor=cursor
        )
        yield page.entries, page.unavailable_ids
        cursor = page.next_cursor
        if cursor is None:
            return


def _save(
    client: CoworldApiClient,
    entry: DownloadEntry,
    folder: Path,
    include: Sequence[str],
    agents: Sequence[int] | None,
) -> Downloaded:
    if entry.state != "ready":
        return Downloaded(entry, None, None if entry.state == "not_produced" else f"it is {entry.state}")
    if Path(entry.filename).name != entry.filename or entry.filename in ("", ".", ".."):
        return Downloaded(entry, None, "the server gave it a name that is not a file name")
    place = folder / hashlib.sha256(f"{entry.artifact_id}:{entry.version}".encode()).hexdigest()
    path = place / entry.filename
    if (place / RECEIPT).is_file() and path.is_file():
        return Downloaded(entry, path)
    try:
        data = _bytes(client, entry, include, agents)
    except (ClientError, ValueError) as error:
        return Downloaded(entry, None, str(error))
    place.mkdir(parents=True, exist_ok=True)
    write_file(path, data)
    receipt = {
        "artifact_id": entry.artifact_id,
        "version": entry.version,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    write_document(place / RECEIPT, receipt)
    return Downloaded(entry, path)


def _bytes(
    client: CoworldApiClient, entry: DownloadEntry, include: Sequence[str], agents: Sequence[int] | None
) -> bytes:
    """Return the bytes of a file; ask once for a new address if the first one has expired."""
    if entry.url is None:
        return (json.dumps(entry.inline_json, indent=2) + "\n").encode()
    try:
        return client.fetch_signed(entry.url, etag=entry.etag, size=entry.size)
    except Refused as error:
        if error.status not in EXPIRED:
            raise
    again, _ = _entries(client, [entry.episode_request_id], include, agents)
    fresh = next((each for each in again if each.artifact_id == entry.artifact_id and each.url is not None), None)
    if fresh is None or fresh.url is None:
        raise ValueError("it is no longer there")
    return client.fetch_signed(fresh.url, etag=fresh.etag, size=fresh.size)

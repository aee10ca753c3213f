"""The manifest of a download: where each file of many episodes is, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from observatory.accounts.principal import Principal
from observatory.database.tables.requests import EpisodeRequest, EvidenceState
from observatory.experience.files import Category, EpisodeFile, error_info, readable_files
from observatory.jobs.file_types import file_type
from observatory.jobs.files import replay_files
from observatory.public_ids import public_id
from observatory.settings import Settings
from observatory.store import Store
from softmax.wire.requests import DownloadEntry

__all__ = ["Downloads"]


@dataclass(frozen=True)
class Downloads:
    """Lists the files of episodes with signed addresses, which expire."""

    store: Store
    settings: Settings
    now: datetime

    def entries(
        self,
        episode: EpisodeRequest,
        principal: Principal,
        *,
        include: Sequence[Category],
        agents: Sequence[int] | None,
    ) -> list[DownloadEntry]:
        """Return the files of an episode that the caller may read."""
        files = readable_files(episode, principal, include=include, agents=agents)
        return [self._entry(episode, file) for file in files]

    def _entry(self, episode: EpisodeRequest, file: EpisodeFile) -> DownloadEntry:
        ereq_id = public_id("ereq", episode.id)
        digest = ((episode.job.digests if episode.job is not None else None) or {}).get(file.name)
        entry = DownloadEntry(
            episode_request_id=ereq_id,
            category=file.category,
            position=file.position,
            artifact_id=f"{ereq_id}/{file.name}",
            version="0",
            filename=file.name,
            state="pending",
            media_type=file_type(file.name),
        )
        if episode.evidence is EvidenceState.PENDING:
            return entry
        size = self.store.size(file.key(episode)) if episode.job_id is not None else None
        if size is None:
            return self._absent(episode, file, entry)
        seconds = self.settings.download_url_seconds
        etag = self.store.etag(file.key(episode))
        entry.state, entry.size, entry.etag = "ready", size, etag
        entry.version = digest or str(etag).strip('"')
        entry.url = self.store.download_url(file.key(episode), seconds=seconds)
        entry.expires_at = self.now + timedelta(seconds=seconds)
        return entry

    @staticmethod
    def _absent(episode: EpisodeRequest, file: EpisodeFile, entry: DownloadEntry) -> DownloadEntry:
        if file.category == "error_info" and episode.error_type is not None:
            entry.state, entry.inline_json, entry.version = "ready", error_info(episode), "1"
            return entry
        job = episode.job
        was_removed = job is not None and job.replay_removed_at is not None and file.name in replay_files(job)
        entry.state = "unavailable" if was_removed else "not_produced"
        return entry

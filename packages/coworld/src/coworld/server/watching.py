"""Follow experience requests until their episodes have ended, through the server's change feed.

A checkpoint is the cursor on disk: a watch that was stopped continues where it was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from coworld.runner.artifacts import write_document
from softmax.client.errors import ClientError

if TYPE_CHECKING:
    from coworld.server.api_client import CoworldApiClient
    from softmax.wire.requests import EpisodeChanges

__all__ = ["TERMINAL", "Progress", "WatchStopped", "watch"]

TERMINAL = frozenset({"completed", "failed", "cancelled", "canceled"})
LONGEST_WAIT = 25.0


class WatchStopped(ClientError):
    """The watch cannot continue, or its time is over."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


@dataclass
class Progress:
    """What is known about the requests and their episodes."""

    requests: dict[str, tuple[str, int]] = field(default_factory=dict)
    """status and number of episodes of each"""
    episodes: dict[str, Any] = field(default_factory=dict)
    """the newest revision of each"""

    def add(self, page: EpisodeChanges) -> None:
        for batch in page.batches:
            self.requests[batch.id] = (batch.status, batch.episode_count)
        for entry in page.entries:
            known = self.episodes.get(entry.id)
            if known is None or known.revision <= entry.revision:
                self.episodes[entry.id] = entry

    def is_over(self, *, sealed: bool) -> bool:
        """Return whether every request and episode has ended; with `sealed`, also whether their files are final."""
        live = [entry.episode for entry in self.episodes.values() if not entry.removed and entry.episode is not None]
        if len(live) < sum(count for _, count in self.requests.values()):
            return False
        ended = all(status in TERMINAL for status, _ in self.requests.values())
        ended = ended and all(episode.status in TERMINAL for episode in live)
        return ended and (not sealed or all(episode.evidence_state == "sealed" for episode in live))

    def counts(self) -> dict[str, int]:
        """Return how many episodes have each status."""
        found: dict[str, int] = {}
        for entry in self.episodes.values():
            if entry.episode is not None:
                found[entry.episode.status] = found.get(entry.episode.status, 0) + 1
        return found


def watch(
    client: CoworldApiClient,
    ids: Sequence[str],
    *,
    view: Literal["progress", "results"] = "progress",
    until: Literal["execution", "evidence"] = "execution",
    checkpoint: Path | None = None,
    reset: bool = False,
    timeout: float = 3600.0,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[tuple[EpisodeChanges | None, Progress]]:
    """Yield each page of changes with what is known then, until everything has ended; first None and a checkpoint.

    Raises:
        WatchStopped: the time is over, or the checkpoint belongs to other requests.
    """
    from coworld.server.api_client import EpisodeFeedRestart, EpisodeFeedRetry

    progress, cursor = Progress(), None
    if checkpoint is not None and checkpoint.exists() and not reset:
        progress, cursor = _read_checkpoint(checkpoint, ids)
        yield None, progress
    deadline = time.monotonic() + timeout
    while not (cursor is not None and progress.requests and progress.is_over(sealed=until == "evidence")):
        left = deadline - time.monotonic()
        if left <= 0:
            raise WatchStopped(f"Not everything had ended after {timeout:g} seconds", timed_out=True)
        answer = client.episode_changes(
            list(ids), view=view, cursor=cursor, wait_seconds=min(LONGEST_WAIT, left) if cursor else 0
        )
        if isinstance(answer, EpisodeFeedRetry):
            sleep(min(answer.retry_after_seconds, max(left, 0)))
            continue
        if isinstance(answer, EpisodeFeedRestart):
            progress, cursor = Progress(), None
            continue
        progress.add(answer)
        cursor = answer.next_cursor
        yield answer, progress
        if checkpoint is not None:
            _write_checkpoint(checkpoint, ids, cursor, progress)
        if not answer.has_more and answer.phase == "changes" and not answer.entries:
            sleep(min(answer.poll_after_seconds, max(deadline - time.monotonic(), 0)))


def _read_checkpoint(path: Path, ids: Sequence[str]) -> tuple[Progress, str | None]:
    from softmax.wire.requests import EpisodeChange

    try:
        document = json.loads(path.read_text())
        if document["ids"] != sorted(ids):
            raise WatchStopped(f"{path} belongs to other requests; use another file, or --reset")
        progress = Progress(
            {name: (status, count) for name, (status, count) in document["requests"].items()},
            {entry["id"]: EpisodeChange.model_validate(entry) for entry in document["episodes"]},
        )
        return progress, document["cursor"]
    except (ValueError, KeyError, TypeError):
        raise WatchStopped(f"{path} is not a checkpoint of a watch; use another file, or --reset") from None


def _write_checkpoint(path: Path, ids: Sequence[str], cursor: str | None, progress: Progress) -> None:
    document = {
        "ids": sorted(ids),
        "cursor": cursor,
        "requests": progress.requests,
        "episodes": [entry.model_dump(mode="json") for entry in progress.episodes.values()],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_document(path, document)

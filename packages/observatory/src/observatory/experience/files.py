"""The files of an episode: by the names that bundles and downloads give them, and as responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from observatory.accounts.principal import Principal
from observatory.database.tables.requests import EpisodeRequest, RequestSource
from observatory.errors import NotFound
from observatory.experience import access
from observatory.jobs.schemas import ErrorInfo
from observatory.store import job_key

__all__ = ["CATEGORIES", "Category", "EpisodeFile", "error_info", "readable_files", "seat_file", "spec_document"]

Category = Literal["results", "replay", "events", "error_info", "game_logs", "player_logs", "player_artifact"]
CATEGORIES: tuple[Category, ...] = get_args(Category)

SeatFile = Literal["log", "artifact", "annotations"]
_SEAT_FILES: dict[SeatFile, str] = {
    "log": "policy_agent_{}.log",
    "artifact": "policy_artifact_{}.zip",
    "annotations": "policy_annotations_{}.jsonl",
}


@dataclass(frozen=True)
class EpisodeFile:
    """A file that an episode may have left."""

    category: Category
    name: str
    """in the store, below the folder of the job"""
    position: int | None = None
    """the seat it is about"""

    def key(self, episode: EpisodeRequest) -> str:
        assert episode.job_id is not None
        return job_key(episode.job_id, self.name)


_OF_EPISODE = (
    EpisodeFile("results", "results.json"),
    EpisodeFile("replay", "replay"),
    EpisodeFile("events", "events.json"),
    EpisodeFile("error_info", "error_info.json"),
    EpisodeFile("game_logs", "game.log"),
)


def seat_file(kind: SeatFile, position: int) -> str:
    """Return the name of a file about a seat."""
    return _SEAT_FILES[kind].format(position)


def readable_files(
    episode: EpisodeRequest,
    principal: Principal | None,
    *,
    include: Sequence[Category] = CATEGORIES,
    agents: Sequence[int] | None = None,
) -> Iterator[EpisodeFile]:
    """Yield the files of an episode that the caller may read, whether or not they exist."""
    sees_results = access.may_read_results(episode, principal)
    is_lobby = episode.source is RequestSource.LOBBY
    for file in _OF_EPISODE:
        needs_results = file.category == "results" or (file.category == "game_logs" and is_lobby)
        if file.category in include and (sees_results or not needs_results):
            yield file
    seats = [seat.position for seat in access.own_seats(episode, principal)]
    for position in seats:
        if agents and position not in agents:
            continue
        if "player_logs" in include:
            yield EpisodeFile("player_logs", seat_file("log", position), position)
        if "player_artifact" in include:
            yield EpisodeFile("player_artifact", seat_file("artifact", position), position)


def error_info(episode: EpisodeRequest) -> dict[str, Any]:
    """Return why an episode failed, from its row; `NotFound` if it did not fail."""
    if episode.error_type is None:
        raise NotFound("This episode has no error")
    info = ErrorInfo(
        error_type=episode.error_type,
        message=episode.error or "",
        failed_policy_index=episode.failed_policy_index,
    )
    return info.model_dump(mode="json", exclude_none=True)


def spec_document(episode: EpisodeRequest) -> dict[str, Any]:
    """Return what was asked for, without the manifest, which the Coworld has."""
    spec: dict[str, Any] = {} if episode.job is None else dict(episode.job.stored_spec)
    return {**spec, "coworld": f"{episode.coworld.name}:{episode.coworld.version}", "variant_id": episode.variant_id}


def json_bytes(document: object) -> bytes:
    return json.dumps(document, indent=2).encode() + b"\n"

"""Play an episode of a server again on this machine, and compare its files byte for byte."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from coworld.errors import CoworldError

if TYPE_CHECKING:
    from coworld.server.upload_client import CoworldUploadClient
    from softmax.wire import ReproducedPolicy
    from softmax.wire.requests import EpisodeReproduction

__all__ = ["COMPARED", "CannotReproduce", "ComparedFile", "Reproduction", "reproduce_episode"]

COMPARED = ("results.json", "replay")
"""files that are the same if the game depends on nothing but its configuration and the actions"""


class CannotReproduce(CoworldError):
    """The episode cannot be played here; the message says why."""


class ComparedFile(BaseModel):
    """The SHA-256 of a file on the server and here; null where there is none."""

    name: str
    recorded: str | None
    played: str | None


class Reproduction(BaseModel):
    """An episode that was played again."""

    episode_request_id: str
    coworld_id: str
    files: list[ComparedFile]
    same: bool


@dataclass(frozen=True)
class _Seat:
    """A policy for `coworld.league.playing`."""

    name: str
    uri: str
    egress: Sequence[str] = ()
    secrets: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None
    program: Mapping[str, Any] = field(default_factory=dict)


def reproduce_episode(
    client: CoworldUploadClient,
    episode: str,
    folder: Path,
    *,
    minimum: str = "landlock",
    seconds: float = 3600.0,
    say: Callable[[str], None] = lambda text: None,
) -> Reproduction:
    """Download the policies of an episode, play it in `folder/played`, and compare.

    Raises:
        CannotReproduce: a policy cannot be downloaded. `ClientError`: the server refuses.
    """
    from coworld.league.playing import play

    recorded = client.get_episode_reproduction(episode)
    manifest = client.get_coworld(recorded.coworld_id).manifest
    seats = _seats(client, recorded, folder / "policies")
    played = folder / "played"
    played.mkdir(parents=True)
    say(f"Playing {recorded.coworld_name} {recorded.coworld_version} with {', '.join(seat.name for seat in seats)}")
    play(played, {**recorded.spec, "manifest": manifest}, seats, minimum=minimum, time_limit_seconds=seconds)
    files = [_compared(name, recorded, played) for name in COMPARED]
    return Reproduction(
        episode_request_id=recorded.id,
        coworld_id=recorded.coworld_id,
        files=files,
        same=all(file.recorded is not None and file.recorded == file.played for file in files),
    )


def _seats(client: CoworldUploadClient, recorded: EpisodeReproduction, folder: Path) -> list[_Seat]:
    from coworld.league.playing import GAME_PLAYER

    folder.mkdir(parents=True)
    uris = recorded.spec["policy_uris"]
    return [
        _Seat(policy.name, uri if uri == GAME_PLAYER else _downloaded(client, policy, folder / f"{slot}.zip"))
        for slot, (uri, policy) in enumerate(zip(uris, recorded.policies, strict=True))
    ]


def _downloaded(client: CoworldUploadClient, policy: ReproducedPolicy, path: Path) -> str:
    if policy.bundle_url is None:
        reason = policy.why_not or "the server has no archive of it"
        raise CannotReproduce(f"{policy.name} cannot be downloaded: {reason}", hint="its owner can reproduce it")
    data = client.fetch_signed(policy.bundle_url)
    if policy.bundle_sha256 is not None and hashlib.sha256(data).hexdigest() != policy.bundle_sha256:
        raise CannotReproduce(f"{policy.name} is not what was uploaded: its digest differs", hint="tell the operator")
    path.write_bytes(data)
    return path.as_uri()


def _compared(name: str, recorded: EpisodeReproduction, folder: Path) -> ComparedFile:
    artifact, path = recorded.artifacts.get(name), folder / name
    played = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    return ComparedFile(name=name, recorded=None if artifact is None else artifact.sha256, played=played)

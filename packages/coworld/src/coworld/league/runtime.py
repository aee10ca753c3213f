"""The properties of one run of an episode: `runtime_info.json`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from pydantic import BaseModel, Field

__all__ = ["EpisodeRuntime", "RunnableRuntime", "SeatRuntime", "installed_versions"]

_DISTRIBUTIONS = ("coworld", "cogbox", "observatory")


class SeatRuntime(BaseModel):
    """The player of a seat: how it was isolated and how it ended."""

    name: str
    isolation: str | None
    actions: None = None
    status: str = "ok"


class RunnableRuntime(BaseModel):
    """A program of the episode, without paths of the machine that ran it."""

    role: str
    slot: int | None = None
    image: str
    engine: str
    level: str
    image_digest: str | None = None
    files_sha256: str | None = None


class EpisodeRuntime(BaseModel):
    """How an episode was run."""

    wall_ms: float = 0.0
    engine: str = ""
    policies: list[SeatRuntime] = Field(default_factory=list)
    runnables: list[RunnableRuntime] = Field(default_factory=list)
    versions: dict[str, str] = Field(default_factory=dict)


def installed_versions(names: Sequence[str] = _DISTRIBUTIONS) -> dict[str, str]:
    """Return the versions of our packages on this machine."""
    found: dict[str, str] = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found

"""The input of the viewer: the bytes of a replay file, and a display name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mettagrid.replay import Replay


@dataclass(frozen=True)
class ReplaySource:
    """The bytes of a replay file of any format."""

    name: str
    data: bytes


def read_source(replay: Replay | str | Path | bytes) -> ReplaySource:
    """Read a path, a URI, the bytes of a file, or a replay in memory. The bytes are not checked."""
    if isinstance(replay, bytes):
        return ReplaySource("replay", replay)
    if isinstance(replay, str) and "://" in replay:
        from mettagrid.util.file import read

        return ReplaySource(replay.partition("?")[0].rstrip("/").rpartition("/")[2], read(replay))
    if isinstance(replay, str | Path):
        return ReplaySource(Path(replay).name, Path(replay).read_bytes())
    from mettagrid.replay import EXTENSION, replay_bytes

    return ReplaySource(f"replay{EXTENSION}", replay_bytes(replay, f"replay{EXTENSION}"))

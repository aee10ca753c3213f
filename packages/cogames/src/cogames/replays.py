"""Compatibility names for opening a replay in the viewer that fits it.

Without the package `bitworld`, BitWorld replays have no viewer; they raise `ValueError`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, Field

from cogames.commands.shared.bitworld_viewer import MAGIC, MISSING, bitworld_viewer

__all__ = [
    "REPLAY_SIGNATURE_BYTES",
    "ReplayPathRequest",
    "ReplayViewer",
    "launch_replay_bytes",
    "launch_replay_path",
    "replay_viewers",
    "viewer_for_bytes",
    "viewer_for_path",
]

REPLAY_SIGNATURE_BYTES = 64
"""bytes at the start of a file that decide which viewer opens it"""


class ReplayPathRequest(BaseModel):
    """A replay to open. Viewers serve until Ctrl+C; that of BitWorld games ends after `duration` seconds, if given."""

    replay_path: Path
    duration: float | None = Field(default=None, ge=0)


class ReplayViewer(BaseModel):
    """A viewer with the first bytes of the replays it opens."""

    name: str
    temp_suffix: str
    matches_bytes: Callable[[bytes], bool]
    launch_path: Callable[[ReplayPathRequest], int]


def replay_viewers() -> tuple[ReplayViewer, ...]:
    """Return the viewers in the order in which they are tried."""
    grid = ReplayViewer(
        name="mettascope",
        temp_suffix=".json.z",
        matches_bytes=lambda start: not start.startswith(MAGIC),
        launch_path=_launch_mettascope_replay,
    )
    show = bitworld_viewer()
    if show is None:
        return (grid,)
    pixels = ReplayViewer(
        name="bitworld",
        temp_suffix=".bitreplay",
        matches_bytes=lambda start: start.startswith(MAGIC),
        launch_path=lambda request: show(request.replay_path, duration=request.duration),
    )
    return (pixels, grid)


def viewer_for_bytes(replay_bytes: bytes) -> ReplayViewer:
    """Return the viewer for a replay; raise `ValueError` when there is none."""
    for viewer in replay_viewers():
        if viewer.matches_bytes(replay_bytes[:REPLAY_SIGNATURE_BYTES]):
            return viewer
    raise ValueError(f"A BitWorld replay needs its viewer. {MISSING}: pip install cogames[bitworld]")


def viewer_for_path(replay_path: Path) -> ReplayViewer:
    """Return the viewer for a replay file; raise `ValueError` when there is none."""
    with Path(replay_path).open("rb") as file:
        return viewer_for_bytes(file.read(REPLAY_SIGNATURE_BYTES))


def launch_replay_path(request: ReplayPathRequest) -> int:
    """Open a replay file, wait until the viewer ends, and return its exit code."""
    return viewer_for_path(request.replay_path).launch_path(request)


def launch_replay_bytes(replay_bytes: bytes, *, prefix: str) -> int:
    """Open a replay from memory through a temporary file, which is deleted when the viewer ends."""
    viewer = viewer_for_bytes(replay_bytes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{prefix}replay{viewer.temp_suffix}"
        path.write_bytes(replay_bytes)
        return viewer.launch_path(ReplayPathRequest(replay_path=path))


def _launch_mettascope_replay(request: ReplayPathRequest) -> int:
    from mettagrid.viewer import serve

    with serve(request.replay_path) as server:
        print(server.address, flush=True)
        if not server.open_browser():
            print("Open this URL in a browser; press Ctrl+C to stop")
        server.wait()
    return 0

"""Show a BitWorld replay in its own viewer, which the package `bitworld` offers by an entry point."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

__all__ = ["MAGIC", "MISSING", "bitworld_viewer"]

MAGIC = b"BITWORLD"
"""first bytes of a BitWorld replay"""
GROUP = "cogames.replay_viewers"
MISSING = "BitWorld games need the package `bitworld`"


def bitworld_viewer() -> Callable[..., int] | None:
    """Return the function that shows a replay until it is interrupted, or None if the package is not installed."""
    for point in entry_points(group=GROUP, name="bitworld"):
        viewer: Callable[..., Any] = point.load()
        return viewer
    return None

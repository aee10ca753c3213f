"""Coworlds of installed packages, by name: `paintarena`, and those that other packages provide."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

__all__ = ["ENTRY_POINTS", "manifest_of", "world_names"]

ENTRY_POINTS = "coworld.worlds"
"""group of entry points that name the path of a manifest"""

_OURS = {"paintarena": Path(__file__).parents[1] / "examples" / "paintarena" / "coworld_manifest.json"}


def world_names() -> list[str]:
    """Return all names."""
    return sorted({*_OURS, *(entry.name for entry in metadata.entry_points(group=ENTRY_POINTS))})


def manifest_of(name: str) -> Path | None:
    """Return the manifest of an installed Coworld; None for an unknown name."""
    if name in _OURS:
        return _OURS[name]
    for entry in metadata.entry_points(group=ENTRY_POINTS, name=name):
        return Path(entry.load())
    return None

"""The renderer behind `render_mode="gui"` under its published name."""

from __future__ import annotations

from pathlib import Path

from mettagrid.live._browser import BrowserRenderer

__all__ = ["MettascopeRenderer"]


class MettascopeRenderer(BrowserRenderer):
    """Serves the episode to a browser, which shows it and lets people act."""


def _resolve_nim_root() -> Path | None:
    """Return the folder of the compiled viewer of earlier releases: None, because the viewer is a web page."""
    return None

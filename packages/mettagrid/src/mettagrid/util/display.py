"""Detect whether a window can be opened."""

from __future__ import annotations

import os
import sys

__all__ = ["has_display"]


def has_display() -> bool:
    """Return whether this machine can show a browser to the user."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))

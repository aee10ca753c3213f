"""Open a page in the user's browser."""

from __future__ import annotations

import os
import sys

__all__ = ["open_page"]


def open_page(address: str) -> bool:
    """Open an address in the user's browser; False when there is none that could show it."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    import webbrowser

    return webbrowser.open(address)

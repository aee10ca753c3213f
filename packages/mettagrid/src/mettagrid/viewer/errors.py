"""The errors of the viewer.

ViewerError (a RuntimeError)
├── PagesMissing      the package was installed from sources whose pages were never built
└── VideoNotWritten   there is no encoder, or it failed, or the name does not end like a video
"""

from __future__ import annotations

__all__ = ["PagesMissing", "VideoNotWritten", "ViewerError"]


class ViewerError(RuntimeError):
    """A replay cannot be shown; an invalid replay is a `ReplayError` instead."""


class PagesMissing(ViewerError):
    """The viewer's pages are missing from the package."""

    def __init__(self) -> None:
        super().__init__("The viewer's pages have not been built; run `make web` in the repository")


class VideoNotWritten(ViewerError):
    """A video could not be written; the message says why and how to fix it."""

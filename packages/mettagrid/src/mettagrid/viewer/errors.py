"""What can go wrong when a replay is shown.

ViewerError (a RuntimeError)
├── PagesMissing      the package was installed from sources whose pages were never built
└── VideoNotWritten   no encoder is there, or it failed, or the name does not say what kind of video it is
"""

from __future__ import annotations

__all__ = ["PagesMissing", "VideoNotWritten", "ViewerError"]


class ViewerError(RuntimeError):
    """Anything that keeps a replay from being shown; what is wrong with the replay itself is a `ReplayError`."""


class PagesMissing(ViewerError):
    """The viewer's pages are not where the package keeps them."""

    def __init__(self) -> None:
        super().__init__("The viewer's pages have not been built; run `make web` in the repository")


class VideoNotWritten(ViewerError):
    """A video could not be written; the message says why and what helps."""

"""Views in which lessons are played: the browser or the terminal."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, Self

from cogames.lessons.keys import BROWSER, TERMINAL, Keys

if TYPE_CHECKING:
    from mettagrid.live import LiveRenderer
    from mettagrid.live._server import LiveServer
    from mettagrid.renderer.renderer import Renderer

__all__ = ["BrowserStage", "Stage", "TerminalStage"]


class Stage(AbstractContextManager["Stage"], Protocol):
    """A view that shows one lesson after another."""

    keys: Keys

    def wait_for_player(self) -> None:
        """Wait until the player has read the printed text."""
        ...

    def next(self) -> Renderer:
        """Return a renderer for the next episode, after the previous one has ended."""
        ...

    def pause(self) -> None:
        """Show the last frame of an episode that has ended."""
        ...


class TerminalStage:
    """The terminal of the program."""

    keys = TERMINAL

    def wait_for_player(self) -> None:
        print("Press Enter to begin", end="", flush=True)
        sys.stdin.readline()

    def next(self) -> Renderer:
        from mettagrid.renderer.renderer import create_renderer

        return create_renderer("unicode")

    def pause(self) -> None:
        """Do nothing: the terminal renderer shows the last frame until a key is pressed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...


class BrowserStage:
    """One page for all lessons: each lesson replaces the previous one.

    After a lesson its last frame stays for `pause_seconds`. Raises `PagesMissing` if the page is not built.
    """

    keys = BROWSER

    def __init__(self, title: str, *, browser: bool = True, port: int = 0, pause_seconds: float = 3.0) -> None:
        from mettagrid.viewer._pages import pages_folder

        pages_folder()  # fail early, with a helpful message, if the pages are not built
        self.server: LiveServer | None = None
        self._title = title
        self._browser = browser
        self._port = port
        self._pause_seconds = pause_seconds

    def wait_for_player(self) -> None:
        """Do nothing: the page itself waits for the player."""

    def next(self) -> Renderer:
        from mettagrid.live import LiveRenderer

        publish = self._publish

        class PublishedRenderer(LiveRenderer):
            """Replaces the previous lesson's renderer on the page when its episode starts."""

            def on_episode_start(self) -> None:
                super().on_episode_start()
                publish(self)

        return PublishedRenderer()

    def _publish(self, renderer: LiveRenderer) -> None:
        from mettagrid.live import Lines
        from mettagrid.live._play import show
        from mettagrid.live._server import LiveServer

        if self.server is None:
            self._lines = Lines(self._title, renderer)
            self.server = LiveServer(self._lines, port=self._port)
            show(self.server, browser=self._browser)
        else:
            self._lines.replace(renderer)

    def pause(self) -> None:
        line = self._lines.line(0)
        line.over.set()
        line.renderer.clock.notify()
        time.sleep(self._pause_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.server is not None:
            self.server.close()

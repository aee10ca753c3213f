"""Where lessons are played: in the browser or in the terminal."""

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
        """Until the player has read what was printed."""
        ...

    def next(self) -> Renderer:
        """A renderer for the next episode; the one before is over."""
        ...

    def pause(self) -> None:
        """An episode is over: let the player look at its last picture."""
        ...


class TerminalStage:
    """The terminal that the program was started in."""

    keys = TERMINAL

    def wait_for_player(self) -> None:
        print("Press Enter to begin", end="", flush=True)
        sys.stdin.readline()

    def next(self) -> Renderer:
        from mettagrid.renderer.renderer import create_renderer

        return create_renderer("unicode")

    def pause(self) -> None:
        """The terminal shows it until a key is pressed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...


class BrowserStage:
    """One page for all lessons: the next one takes the place of the one before.

    When a lesson is over its last picture stays for `pause_seconds`. `PagesMissing` where the page is not built.
    """

    keys = BROWSER

    def __init__(self, title: str, *, browser: bool = True, port: int = 0, pause_seconds: float = 3.0) -> None:
        from mettagrid.viewer._pages import pages_folder

        pages_folder()  # now, with a sentence that helps, rather than later
        self.server: LiveServer | None = None
        self._title = title
        self._browser = browser
        self._port = port
        self._pause_seconds = pause_seconds

    def wait_for_player(self) -> None:
        """The page waits by itself."""

    def next(self) -> Renderer:
        from mettagrid.live import LiveRenderer

        publish = self._publish

        class PublishedRenderer(LiveRenderer):
            """Is put in its place as soon as there is something to see and to drive."""

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

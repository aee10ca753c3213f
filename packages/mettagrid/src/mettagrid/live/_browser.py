"""The renderer behind `render_mode="gui"`: a live game with its own server."""

from __future__ import annotations

from mettagrid.live._clock import Clock
from mettagrid.live._game import Lines
from mettagrid.live._play import linger, show
from mettagrid.live._renderer import LiveRenderer
from mettagrid.live._server import LiveServer
from mettagrid.viewer._pages import pages_folder

__all__ = ["BrowserRenderer"]


class BrowserRenderer(LiveRenderer):
    """Show in a browser the episode that it is attached to, whichever loop plays it. The game has a single line.

    The episode starts when a user presses play, or at once with `autostart`. After the episode the server keeps
    running for as long as a page is open.
    """

    def __init__(self, autostart: bool = False) -> None:
        pages_folder()  # fail early with a helpful message
        super().__init__(Clock(paused=not autostart))
        self.server: LiveServer | None = None

    def on_episode_start(self) -> None:
        super().on_episode_start()
        self._stop()
        self.lines = Lines(self._sim.config.label, self)
        self.server = LiveServer(self.lines)
        show(self.server)

    def on_episode_end(self) -> None:
        super().on_episode_end()
        if self.server is not None:
            self.lines.line(0).over.set()
            self.clock.notify()
            linger(self.server)
            self._stop()

    def on_close(self) -> None:
        super().on_close()
        self._stop()

    def _stop(self) -> None:
        if self.server is not None:
            self.server.close()
            self.server = None

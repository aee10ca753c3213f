"""Send the rows of an episode to the server while people watch it.

One idle connection per episode: the server says `{"watch": true}` when the first watcher has come. Without watchers,
nothing is encoded or sent. What goes wrong here never reaches the episode.
"""

from __future__ import annotations

import json
import struct
import threading
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Self

from observatory.games import LiveFeed
from observatory.worker.client import trusted_certificates

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

    from observatory.jobs.schemas import Lease
    from observatory.worker.hosting import TunnelDoor

__all__ = ["LiveSender"]

WATCHED_SECONDS = 0.2
"""between two messages to watchers"""
UNWATCHED_SECONDS = 1.0
"""between two marks of an episode without watchers, so that the age of its ticks is known when they come"""
FAREWELL_SECONDS = 3.0
"""how long the last messages may take after the episode has ended"""
LONGEST_PAUSE = 30.0
_HEAD = struct.Struct("<dI")
"""before each message: seconds since its last tick was played, and that tick"""


class LiveSender:
    """The way of an episode to the server. It is made in the worker, and used in the episode's process."""

    def __init__(
        self,
        server: str,
        job_id: uuid.UUID,
        job_token: str,
        ca_file: Path | None = None,
        *,
        hides_secrets: bool = False,
    ) -> None:
        self._ca_file = ca_file
        self.hides_secrets = hides_secrets
        """whether people must not learn secrets of the game, such as roles, while it is played"""
        self._address = f"ws{server.removeprefix('http')}/work/jobs/{job_id}/live"
        self._server, self._job_id, self._token = server, job_id, job_token
        self._thread: threading.Thread | None = None

    @classmethod
    def of_lease(cls, lease: Lease, server: str, ca_file: Path | None) -> Self:
        return cls(server, lease.job_id, lease.job_token, ca_file, hides_secrets=lease.hides_secrets)

    def show(self, feed: LiveFeed) -> None:
        """Send what a feed has while people watch, in another thread."""
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(feed,), daemon=True, name="live")
        self._thread.start()

    def game_door(self) -> TunnelDoor:
        """Return the way from the server to the pages of a game that shows itself."""
        from observatory.worker.hosting import TunnelDoor

        return TunnelDoor(self._server, self._job_id, self._token, control="show", ca_file=self._ca_file)

    def close(self) -> None:
        """Let the last messages through, and stop."""
        if self._thread is not None:
            self._stopping.set()
            self._thread.join(FAREWELL_SECONDS)

    def _run(self, feed: LiveFeed) -> None:
        from websockets.exceptions import WebSocketException
        from websockets.sync.client import connect

        pause = 1.0
        while not self._stopping.is_set():
            try:
                with connect(
                    self._address,
                    additional_headers={"X-Auth-Token": self._token},
                    open_timeout=20.0,
                    close_timeout=1.0,
                    compression=None,
                    proxy=None,
                    ssl=trusted_certificates(self._ca_file) if self._address.startswith("wss") else None,
                ) as socket:
                    feed.rewind()
                    pause = 1.0
                    if self._send(socket, feed):
                        return
            except (OSError, WebSocketException, ValueError):
                pass
            self._stopping.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _send(self, socket: ClientConnection, feed: LiveFeed) -> bool:
        """Send until the episode has ended; return False if the server wants no more."""
        is_watched = False
        while True:
            is_last = feed.has_ended or self._stopping.is_set()
            if is_watched:
                for piece in feed.read():
                    head = _HEAD.pack(time.monotonic() - piece.played_at, piece.tick)
                    for message in piece.messages:
                        socket.send(head + message)
            if is_last:
                socket.send(json.dumps({"ended": True}))
                return True
            feed.mark_soon()
            try:
                text = socket.recv(timeout=WATCHED_SECONDS if is_watched else UNWATCHED_SECONDS)
                is_watched = json.loads(text)["watch"] is True
            except TimeoutError:
                pass

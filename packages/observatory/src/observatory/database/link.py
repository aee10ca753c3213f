"""The connection by which a server takes part in a group of servers on one PostgreSQL database.

One thread holds it. It receives what other servers have changed (LISTEN), it says that this server runs, and it tries
to become the leader, both with advisory locks (`database.presence`). When the connection is lost, the server stops
leading at once and trusts no cached value; when it is back, all caches are dropped, because notifications may have
been missed. The connection must be one of PostgreSQL itself: a pool that shares sessions between clients breaks it.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from observatory.database.change_wire import decode_changes
from observatory.database.engine import Database
from observatory.database.group_session import GroupSession, open_group_session

__all__ = ["Link"]

logger = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
"""how often a server tries to become the leader, and checks that its connection works"""
RETRY_SECONDS = 1.0

Handler = Callable[[dict[str, Any]], None]


class Link:
    """The part of this server in the group. `start` returns when the server has heard from the database once."""

    def __init__(self, database: Database, url: str) -> None:
        self._database, self._url = database, url
        self.server_id = database.server_id
        self._number = secrets.randbelow(2**31 - 1) + 1
        self._stopped = threading.Event()
        self._connected = threading.Event()
        self._thread = threading.Thread(target=self._run, name="server link", daemon=True)
        self.handlers: dict[str, Handler] = {}
        """for notifications that are not changes, by the name of their field"""
        self.on_reset: list[Callable[[], None]] = []
        """called when cached data that does not depend on changes must be dropped"""

    def start(self, seconds: float = 15.0) -> None:
        self._database.is_leader = False
        self._thread.start()
        self._connected.wait(seconds)

    def stop(self) -> None:
        """Give the lead to another server and leave the group."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(5)

    def _run(self) -> None:
        has_failed = False
        while not self._stopped.is_set():
            try:
                self._take_part()
                has_failed = False
            except Exception as problem:
                if not has_failed:  # the same sentence every second helps no one
                    logger.warning("The connection to the other servers was lost: %s", _first_line(problem))
                has_failed = True
            finally:
                self._database.is_leader = False
                self._database.changes.lose_touch()
            self._stopped.wait(RETRY_SECONDS)
        self._database.changes.wake()

    def _take_part(self) -> None:
        with open_group_session(self._database) as session:
            session.join(self._number, self.server_id, self._url)
            self._database.changes.catch_up()
            self._connected.set()
            while not self._stopped.is_set():
                self._try_to_lead(session)
                until = time.monotonic() + BEAT_SECONDS
                while (left := until - time.monotonic()) > 0 and not self._stopped.is_set():
                    for payload in session.notifications(left):
                        self._receive(payload)
            self._database.is_leader = False  # before another server can lead

    def _try_to_lead(self, session: GroupSession) -> None:
        if self._database.is_leader:
            session.check()
        elif session.try_to_lead():
            logger.info("This server leads: it schedules matches and rounds")
            self._database.is_leader = True
            self._database.changes.wake()

    def _receive(self, payload: str) -> None:
        try:
            message = json.loads(payload)
            is_own = message.get("from") == self._database.origin
            if "changes" in message:
                # Only these have a number that counts: other notifications do not hold the lock of all that write.
                number, is_last = int(message.get("number", 0)), "more" not in message
                changes = decode_changes(message["changes"])
                self._database.changes.receive(changes, number, is_own=is_own, is_last=is_last)
            if is_own:
                return
            if message.get("reset"):
                self.reset()
            for name, handler in self.handlers.items():
                if name in message:
                    handler(message)
        except (ValueError, TypeError, KeyError, AttributeError):
            # A server of another release may say what this one does not understand.
            logger.warning("A notification of another server could not be read; all cached values are dropped")
            self._database.changes.catch_up()

    def reset(self) -> None:
        """Drop all cached data of this server: stored results were corrected."""
        self._database.cache.invalidate()
        self._database.changes.catch_up()
        for drop in self.on_reset:
            drop()


def _first_line(problem: Exception) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0]

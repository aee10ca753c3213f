"""The messages to one watcher, from the first to the last."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket

from observatory.accounts.principal import Principal
from observatory.errors import NotFound
from observatory.live.broadcasts import Broadcast, Broadcasts
from observatory.live.subjects import UNKNOWN, Subject

__all__ = ["PROTOCOL", "Watcher"]

PROTOCOL = "mettagrid.watch.v1"
SEND_SECONDS = 30.0
"""how long a watcher may leave a message unread before the connection is closed"""
CHECK_SECONDS = 5.0
"""how long a change of the watcher's own rights may go unnoticed"""

_SENTENCES = {
    "waiting": "The match waits for a worker",
    "again": "The machine that played the match was lost; another one plays it again from the start",
    "starting": "A worker prepares the match",
    "live": "",
    "lost": "The connection to the machine that plays the match was lost; it may come back",
    "ended": "The match has ended; its replay follows",
    "long": "The match is too long to be watched while it is played; its replay follows after its end",
}
OVER = "The match is over"
OVER_WITHOUT_REPLAY = "The match is over, and it has no replay"


@dataclass
class Watcher:
    """Sends the messages of a broadcast, each when it is due, and says where the match stands."""

    socket: WebSocket
    broadcasts: Broadcasts
    broadcast: Broadcast
    principal: Principal | None
    may_stay: Callable[[], Awaitable[bool]]
    """returns whether the caller still has the rights with which the connection was opened"""
    _said: str = ""
    _attempt: int = field(default=-1)
    _position: int = 0

    async def run(self) -> None:
        """Send everything until the match is over; the caller closes the socket."""
        rule = self._subject().rule
        delay = 0.0 if rule is None else rule.delay_seconds
        await self._say(
            {
                "type": "hello",
                "protocol": PROTOCOL,
                "line": 0,
                "rights": "watch",
                "slot": None,
                "lines": [{"line": 0, "parent": None, "tick": 0}],
                "title": "The match",
                "can_branch": False,
                "delay_seconds": delay,
            }
        )
        while await self.may_stay():
            subject = self._subject()
            if subject.is_over:
                await self._say_end(subject)
                return
            if self._attempt != self.broadcast.attempt:
                self._attempt, self._position = self.broadcast.attempt, 0
            next_due = await self._send_due()
            await self._say_state(subject)
            if next_due is None or next_due > 0:
                pause = CHECK_SECONDS if next_due is None else min(CHECK_SECONDS, next_due)
                await self.broadcast.wait(pause)

    def _subject(self) -> Subject:
        """Return the newest facts about the match; raise if the caller may not watch it any more."""
        subject = self.broadcast.subject
        if subject is None:
            raise NotFound(UNKNOWN)
        subject.check(self.principal)
        return subject

    async def _send_due(self) -> float | None:
        """Send what is due; return the seconds until more is due: 0 for at once, None if that is not known."""
        attempt, entries = self.broadcast.attempt, self.broadcast.entries
        while attempt == self.broadcast.attempt and self._position < len(entries):
            entry = entries[self._position]
            wait = entry.due - self.broadcasts.clock()
            if wait > 0:
                return wait
            self._position += 1
            async with asyncio.timeout(SEND_SECONDS):
                await self.socket.send_bytes(entry.data)
        return None if attempt == self.broadcast.attempt else 0.0

    def _state(self, subject: Subject) -> str:
        broadcast = self.broadcast
        if not subject.is_in_work:
            return "again" if subject.attempts else "waiting"
        if broadcast.is_full:
            return "long"
        if broadcast.has_ended:
            return "ended"
        if not self._position or (self._said in ("again", "starting") and not broadcast.is_connected):
            return "starting"
        return "live" if broadcast.is_connected else "lost"

    async def _say_state(self, subject: Subject) -> None:
        state = self._state(subject)
        if state != self._said:
            self._said = state
            await self._say({"type": "status", "state": state, "sentence": _SENTENCES[state]})

    async def _say_end(self, subject: Subject) -> None:
        sentence = OVER if subject.replay_url is not None else OVER_WITHOUT_REPLAY
        await self._say(
            {"type": "final", "sentence": sentence, "replay": subject.replay_url, "failed": subject.has_failed}
        )

    async def _say(self, message: dict[str, Any]) -> None:
        async with asyncio.timeout(SEND_SECONDS):
            await self.socket.send_text(json.dumps(message, separators=(",", ":")))

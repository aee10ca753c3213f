"""Changes as server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html.

A stream begins with `hello`, which says whether the page may have missed something since it was here last. Then each
`changes` names what changed; the page asks again for that. Changes that come close together are sent together.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from fastapi.responses import StreamingResponse
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.types import Receive, Scope, Send

from observatory.database import Database
from observatory.database.tables.seasons import Season
from observatory.errors import TooManyRequests
from observatory.events import AsyncSubscription, Change, ChangeKind, user_mark
from observatory.http.rights import RIGHTS_SECONDS, Rights
from observatory.pages.league_places import LEAGUE_KINDS, OF_ROUNDS, Place, Places
from observatory.public_ids import Prefix, public_id
from observatory.settings import Settings

__all__ = ["EVENT_SCHEMA", "EventStream", "Listener", "StreamSlots"]

TOGETHER_SECONDS = 0.35
HEARTBEAT_SECONDS = 15.0
RETRY_MILLISECONDS = 2000
EVENT_SCHEMA = {
    "type": "object",
    "description": "`data` is JSON: of `hello` an object with `missed`, of `changes` a list of what changed",
    "properties": {
        "id": {"type": "string"},
        "event": {"type": "string", "enum": ["hello", "changes"]},
        "data": {"type": "string"},
    },
}
FULL = "There are too many open streams of events; close some pages"


@dataclass(frozen=True)
class SeasonName:
    name: str
    version: int
    public: bool


@dataclass(frozen=True)
class Listener:
    """A subscriber's filter. With a `season` (and a version) it passes changes of that season and of no season.

    With a `league`, which the subscriber may see, it passes changes of that league only; with neither a season nor a
    league also those of all public leagues.
    """

    is_admin: bool
    season: str | None = None
    version: int | None = None
    league: uuid.UUID | None = None
    user_id: str | None = None
    """the user to whose notices it listens"""

    def messages(
        self, change: Change, seasons: dict[uuid.UUID, SeasonName], places: dict[uuid.UUID, Place]
    ) -> list[dict[str, Any]]:
        """Return the change as it is sent: nothing when it is not for this listener, else one message per league."""
        if change.kind is ChangeKind.NOTICE:
            is_own = self.user_id is not None and (not change.ids or user_mark(self.user_id) in change.ids)
            return [{"kind": change.kind, "season": None, "season_version": None, "ids": []}] if is_own else []
        if change.kind in LEAGUE_KINDS:
            return self._of_leagues(change, places)
        message = None if self.league is not None else self._of_season(change, seasons)
        return [] if message is None else [message]

    def _of_leagues(self, change: Change, places: dict[uuid.UUID, Place]) -> list[dict[str, Any]]:
        if self.season is not None:
            return []
        if not change.ids:  # any league may have changed
            return [{"kind": change.kind, "league": None, "ids": []}]
        by_league: dict[uuid.UUID, list[tuple[uuid.UUID, Place]]] = {}
        for changed_id in change.ids:
            place = places.get(changed_id)
            if place is not None and self._may_hear(place):
                by_league.setdefault(place.league_id, []).append((changed_id, place))
        prefix: Prefix = (
            "round" if change.kind in OF_ROUNDS else "div" if change.kind is ChangeKind.DIVISION else "league"
        )
        return [
            {
                "kind": change.kind,
                "league": public_id("league", league),
                # Without ids anything in the league may have changed: those of hidden divisions are not sent.
                "ids": sorted(
                    public_id(prefix, changed_id) for changed_id, _ in here if not any(p.is_hidden for _, p in here)
                ),
            }
            for league, here in by_league.items()
        ]

    def _may_hear(self, place: Place) -> bool:
        if self.league is not None:
            return self.league == place.league_id
        return place.is_public or self.is_admin

    def _of_season(self, change: Change, seasons: dict[uuid.UUID, SeasonName]) -> dict[str, Any] | None:
        if change.season is None:
            # Jobs and assays are private: listeners learn that one changed, but not which.
            ids = change.ids if change.kind in (ChangeKind.POLICY, ChangeKind.SEASON) or self.is_admin else ()
            return {"kind": change.kind, "season": None, "season_version": None, "ids": _texts(ids)}
        season = seasons.get(change.season)
        if season is None or not (season.public or self.is_admin):
            return None
        if self.season is not None and self.season != season.name:
            return None
        if self.version is not None and self.version != season.version:
            return None
        return {
            "kind": change.kind,
            "season": season.name,
            "season_version": season.version,
            "ids": _texts(change.ids),
        }


class StreamSlots:
    """How many streams are open, in all and for each address; and the names of seasons that they share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()
        self._names: tuple[tuple[int, ...], dict[uuid.UUID, SeasonName]] | None = None
        self.places = Places()

    def take(self, address: str, settings: Settings) -> None:
        """Raise 429 for a stream beyond the limit."""
        with self._lock:
            is_full = self._open.total() >= settings.max_event_streams
            if is_full or self._open[address] >= settings.max_event_streams_per_address:
                raise TooManyRequests(FULL, retry_after=10)
            self._open[address] += 1

    def release(self, address: str) -> None:
        with self._lock:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    @property
    def open(self) -> int:
        with self._lock:
            return self._open.total()

    async def season_names(self, database: Database, season_ids: set[uuid.UUID]) -> dict[uuid.UUID, SeasonName]:
        """Read again when seasons were changed, or one is not known."""
        version = database.changes.versions([ChangeKind.SEASON])
        if self._names is None or self._names[0] != version or not season_ids <= self._names[1].keys():
            self._names = version, await database.query(_season_names)
        return self._names[1]


class EventStream(StreamingResponse):
    """A stream that gives its slot back however it ends."""

    def __init__(
        self,
        database: Database,
        slots: StreamSlots,
        address: str,
        listener: Listener,
        rights: Rights,
        *,
        seconds: float,
        last_event_id: str | None,
    ) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        self._database, self._slots, self._address, self._listener = database, slots, address, listener
        self._rights, self._seconds = rights, seconds
        self._last_event_id = last_event_id
        super().__init__(self._events(), media_type="text/event-stream", headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._slots.release(self._address)

    async def _events(self) -> AsyncIterator[str]:
        hub = self._database.changes
        ends = time.monotonic() + self._seconds
        pause = HEARTBEAT_SECONDS if self._rights.principal is None else RIGHTS_SECONDS
        with hub.subscribe_async() as subscription:
            position = hub.position
            missed = self._last_event_id is not None and self._last_event_id != position
            hello = _message("hello", {"missed": missed}, position)
            yield f"retry: {RETRY_MILLISECONDS}\n{hello}"
            while not hub.closed and (left := ends - time.monotonic()) > 0:
                changes = await self._next(subscription, min(pause, left))
                if not await self._rights.still_hold(self._database):
                    return
                position = hub.position
                seasons = {change.season for change in changes if change.season is not None}
                names = await self._slots.season_names(self._database, seasons) if seasons else {}
                places = await self._slots.places.of(self._database, changes)
                visible = [message for change in changes for message in self._listener.messages(change, names, places)]
                yield _message("changes", visible, position) if visible else ": still here\n\n"

    @staticmethod
    async def _next(subscription: AsyncSubscription, seconds: float) -> list[Change]:
        """Return the next changes, with those that come right after them."""
        changes = await subscription.wait(seconds)
        if not changes or subscription.hub.closed:
            return changes
        await asyncio.sleep(TOGETHER_SECONDS)
        return [*changes, *subscription.take()]


def _message(kind: str, data: Any, position: str) -> str:
    return f"id: {position}\nevent: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n"


def _texts(ids: Any) -> list[str]:
    return sorted(str(id_) for id_ in ids)


def _season_names(session: Session) -> dict[uuid.UUID, SeasonName]:
    """Return the names of all seasons, and which everyone may see: not private ones, and no drafts."""
    rows = session.execute(select(Season.id, Season.name, Season.version, Season.public, Season.opened_at))
    return {row[0]: SeasonName(row[1], row[2], row[3] and row[4] is not None) for row in rows}

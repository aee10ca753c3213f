"""The feed of changes of experience requests: a snapshot of all their episodes first, then every change.

A cursor is signed. It names the requests, so that it continues the same feed only, and has either the place in the
snapshot and the revision at which the snapshot began, or the last revision that was delivered. Revisions rise in the
order of commits, because only one transaction writes at a time; so a reader misses no change.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory.database.tables.requests import EpisodeRequest, ExperienceRequest
from observatory.errors import Conflict, Gone
from observatory.experience import repository
from observatory.experience.wire import RequestWire
from observatory.public_ids import public_id
from observatory.signing import Signer
from softmax.wire.requests import ChangeBatch, EpisodeChange, EpisodeChanges

__all__ = ["CURSOR_SECONDS", "ChangeFeed"]

CURSOR_SECONDS = 24 * 3600
_POLL_SECONDS = 2.0


@dataclass(frozen=True)
class _Position:
    """A place in a feed; `offset` is the place in the snapshot, None after it."""

    revision: int
    offset: int | None


@dataclass(frozen=True)
class ChangeFeed:
    """The changes of some requests, which the caller may see."""

    request_ids: Sequence[uuid.UUID]
    secret: bytes
    wire: RequestWire
    results: bool = False
    """whether entries have scores, participants, the replay and the error"""

    def read(self, session: Session, cursor: str | None, *, limit: int, now: datetime) -> EpisodeChanges:
        """Return the next entries after a cursor; none if nothing has changed."""
        position = self._position(cursor)
        if position is None:
            newest = session.scalar(select(func.max(EpisodeRequest.revision))) or 0
            position = _Position(newest, 0)
        if position.offset is not None:
            offset = position.offset
            rows = repository.rows_in_order(session, self.request_ids, offset=offset, limit=limit + 1)
            phase, has_more = "snapshot", len(rows) > limit
            rows = rows[:limit]
            after = _Position(position.revision, offset + len(rows) if has_more else None)
        else:
            rows = repository.rows_by_revision(session, self.request_ids, after=position.revision, limit=limit + 1)
            phase, has_more = "changes", len(rows) > limit
            rows = rows[:limit]
            after = _Position(rows[-1].revision if rows else position.revision, None)
        return EpisodeChanges(
            batches=self._batches(session),
            phase="snapshot" if phase == "snapshot" else "changes",
            entries=[self._entry(row) for row in rows],
            next_cursor=self._cursor(after),
            has_more=has_more,
            poll_after_seconds=0.0 if has_more else _POLL_SECONDS,
            expires_at=now + timedelta(seconds=CURSOR_SECONDS),
        )

    def _batches(self, session: Session) -> list[ChangeBatch]:
        statement = select(ExperienceRequest).where(ExperienceRequest.id.in_(self.request_ids))
        return [
            ChangeBatch(id=public_id("xreq", row.id), status=row.status, episode_count=row.episode_count)
            for row in session.scalars(statement.order_by(ExperienceRequest.created_at, ExperienceRequest.id))
        ]

    def _entry(self, episode: EpisodeRequest) -> EpisodeChange:
        row = self.wire.bulk(episode, results=self.results)
        return EpisodeChange(
            id=row.id,
            experience_request_id=row.experience_request_id,
            revision=episode.revision,
            removed=False,
            episode=row,
        )

    @property
    def _signer(self) -> Signer:
        return Signer(self.secret, "change feed")

    def _identity(self) -> str:
        names = ",".join(sorted(str(request_id) for request_id in self.request_ids))
        return hashlib.sha256(names.encode()).hexdigest()[:16]

    def _cursor(self, position: _Position) -> str:
        content = {"of": self._identity(), "revision": position.revision, "offset": position.offset}
        return self._signer.sign(content, seconds=CURSOR_SECONDS)

    def _position(self, cursor: str | None) -> _Position | None:
        if cursor is None:
            return None
        content = self._signer.read(cursor)
        if content is None:
            raise Gone("This cursor has expired or is not one of this feed; start again without a cursor")
        if content["of"] != self._identity():
            raise Conflict("This cursor is of other requests; start again without a cursor")
        return _Position(content["revision"], content["offset"])

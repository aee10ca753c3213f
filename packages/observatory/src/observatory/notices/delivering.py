"""Deliver notices that are due: claim them, send them without a transaction, and record what came of it.

A delivery that a server claimed and did not record is never sent again, because it may have arrived: each notice
arrives at most once through each channel. A delivery that the receiver refused is sent again, later each time.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import anyio
import anyio.to_thread
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from observatory.clock import Clock
from observatory.database import Database
from observatory.database.tables.accounts import User
from observatory.database.tables.notices import Channel, DeliveryStatus, Notice, NoticeDelivery, NoticeSettings
from observatory.keys import Keys
from observatory.notices.links import Links, Mailbox
from observatory.notices.preferences import preferences_of
from observatory.notices.sending import Letter, NotSent, has_mail, send_mail, send_webhook, webhook_body
from observatory.settings import Settings

__all__ = ["Deliverer"]

logger = logging.getLogger(__name__)

CHECK_SECONDS = 2.0
BATCH = 20
SENDERS = 4
"""messages that are sent at the same time"""
LOST_AFTER = timedelta(minutes=10)
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480))
"""before the second attempt, the third, and so on"""


@dataclass(frozen=True)
class _Parcel:
    """A claimed delivery, with all that sending it needs."""

    notice_id: uuid.UUID
    channel: Channel
    attempt: int
    send: Callable[[], None]


@dataclass(frozen=True)
class _Outcome:
    status: DeliveryStatus
    error: str | None = None


class Deliverer:
    """The task that sends notices."""

    def __init__(self, database: Database, settings: Settings, keys: Keys, clock: Clock) -> None:
        self._database, self._settings, self._clock = database, settings, clock
        self._links = Links(keys, settings.base_url())
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self) -> None:
        """Run until cancelled. A failed pass is logged, and the next one tries again."""
        while True:
            try:
                if self._database.is_leader:
                    await self.deliver()
            except Exception:
                logger.exception("Notices could not be delivered")
            await anyio.sleep(CHECK_SECONDS)

    async def deliver(self) -> int:
        """Send what is due now; return how many messages were tried."""
        if not await self._database.query(self._has_due):
            return 0
        parcels = await self._database.write(self._claim)
        async with anyio.create_task_group() as tasks:
            for parcel in parcels:
                tasks.start_soon(self._send, parcel)
        return len(parcels)

    def _has_due(self, session: Session) -> bool:
        due = select(NoticeDelivery.notice_id).where(
            NoticeDelivery.status.in_((DeliveryStatus.WAITING, DeliveryStatus.SENDING)),
            NoticeDelivery.due_at <= self._clock(),
        )
        return session.scalar(due.limit(1)) is not None

    def _claim(self, session: Session) -> list[_Parcel]:
        now = self._clock()
        due = (
            select(NoticeDelivery)
            .where(
                NoticeDelivery.status.in_((DeliveryStatus.WAITING, DeliveryStatus.SENDING)),
                NoticeDelivery.due_at <= now,
            )
            .options(joinedload(NoticeDelivery.notice))
            .order_by(NoticeDelivery.due_at)
            .limit(BATCH)
        )
        parcels = []
        for row in session.scalars(due):
            if row.status is DeliveryStatus.SENDING:
                lost = "The server stopped while it sent this, so it may have arrived"
                _record(row, _Outcome(DeliveryStatus.FAILED, lost), now)
                continue
            send = self._sender(session, row)
            if send is None:
                _record(row, _Outcome(DeliveryStatus.SKIPPED), now)
                continue
            row.status, row.attempts, row.due_at = DeliveryStatus.SENDING, row.attempts + 1, now + LOST_AFTER
            parcels.append(_Parcel(row.notice_id, row.channel, row.attempts, send))
        session.flush()
        return parcels

    def _sender(self, session: Session, row: NoticeDelivery) -> Callable[[], None] | None:
        """Return the call that sends a notice; None if it must not be sent any more."""
        notice, settings = row.notice, self._settings
        user, stored = session.get_one(User, notice.user_id), session.get(NoticeSettings, notice.user_id)
        wanted = preferences_of(stored)
        if notice.read_at is not None or user.disabled_at is not None:
            return None
        if row.channel not in wanted.channels(notice.kind):
            return None
        if row.channel is Channel.EMAIL:
            if wanted.email is None or not has_mail(settings):
                return None
            letter = self._letter(notice, Mailbox(user.id, wanted.email))
            return lambda: send_mail(settings, letter, self._clock())
        if stored is None or stored.webhook_url is None or stored.webhook_nonce is None or not settings.webhooks:
            return None
        url, secret = stored.webhook_url, self._links.webhook_secret(user.id, stored.webhook_nonce)
        notice_id, body = notice.id, self._body(notice)
        return lambda: send_webhook(settings, url, secret, body, notice_id=notice_id)

    def _letter(self, notice: Notice, box: Mailbox) -> Letter:
        unsubscribe = self._links.unsubscribe(box)
        text = (
            f"{notice.title}\n\n{notice.text}\n\n{self._links.base_url}{notice.url}\n\n-- \n"
            f"Alignment League. Choose what you get: {self._links.base_url}/observatory/me/notices\n"
            f"No more e-mail: {unsubscribe}\n"
        )
        return Letter(box.email, notice.title, text, unsubscribe, str(notice.id))

    def _body(self, notice: Notice) -> bytes:
        return webhook_body(
            id=notice.id,
            kind=notice.kind,
            title=notice.title,
            text=notice.text,
            url=f"{self._links.base_url}{notice.url}",
            events=notice.events,
            at=notice.created_at,
        )

    async def _send(self, parcel: _Parcel) -> None:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(SENDERS)
        try:
            await anyio.to_thread.run_sync(parcel.send, limiter=self._limiter)
            outcome = _Outcome(DeliveryStatus.SENT)
        except NotSent as problem:
            is_last = problem.is_final or parcel.attempt > len(PAUSES)
            outcome = _Outcome(DeliveryStatus.FAILED if is_last else DeliveryStatus.WAITING, str(problem))
        except Exception as problem:  # a mistake of this server: not sent again, because it is unknown how far it came
            logger.exception("A notice could not be sent")
            outcome = _Outcome(DeliveryStatus.FAILED, type(problem).__name__)
        await self._database.write(lambda session: self._finish(session, parcel, outcome))

    def _finish(self, session: Session, parcel: _Parcel, outcome: _Outcome) -> None:
        row = session.get_one(NoticeDelivery, (parcel.notice_id, parcel.channel))
        if row.status is DeliveryStatus.SENDING and row.attempts == parcel.attempt:
            _record(row, outcome, self._clock())
            session.flush()


def _record(row: NoticeDelivery, outcome: _Outcome, now: datetime) -> None:
    row.status, row.error = outcome.status, None if outcome.error is None else outcome.error[:500]
    if outcome.status is DeliveryStatus.WAITING:
        row.due_at = now + PAUSES[row.attempts - 1]
    else:
        row.ended_at = now

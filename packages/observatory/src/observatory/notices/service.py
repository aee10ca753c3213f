"""Rules for notices: the list of a user, what was read, and the settings."""

from __future__ import annotations

import re
import secrets
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session, joinedload

from observatory import events
from observatory.cursors import CursorPage, Slice
from observatory.database import Database
from observatory.database.tables.accounts import User
from observatory.database.tables.notices import (
    ChallengeRule,
    Channel,
    DeliveryStatus,
    Notice,
    NoticeDelivery,
    NoticeSettings,
)
from observatory.errors import Conflict, TooManyRequests, Unprocessable
from observatory.events import Change, ChangeKind, user_mark
from observatory.notices.addresses import parse_target
from observatory.notices.links import Links, Mailbox
from observatory.notices.preferences import PAGE, preferences, preferences_of
from observatory.notices.schemas import DeliveryLine, KindSetting, NoticeSettingsPage, NoticeSettingsUpdate
from observatory.notices.sending import has_mail
from observatory.settings import Settings

__all__ = [
    "change_settings",
    "confirm_email",
    "expire_notices",
    "mark_read",
    "notices",
    "settings_page",
    "unread_count",
    "unsubscribe",
]

MAX_DELIVERIES = 10
CONFIRMATION_PAUSE = timedelta(minutes=2)
"""between two e-mails that ask for a confirmation"""
_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,188}[A-Za-z0-9])?")


def notices(session: Session, user_id: str, page: CursorPage) -> Slice[Notice]:
    """Return notices of a user, of the kinds that the user wants on the page, newest first."""
    kinds = preferences(session, user_id).on_page()
    statement = select(Notice).where(Notice.user_id == user_id, Notice.kind.in_(kinds))
    return page.of(session, statement, Notice.updated_at, Notice.id)


def unread_count(session: Session, user_id: str) -> int:
    kinds = preferences(session, user_id).on_page()
    unread = (Notice.user_id == user_id, Notice.read_at.is_(None), Notice.kind.in_(kinds))
    return session.scalar(select(func.count()).where(*unread)) or 0


def mark_read(session: Session, user_id: str, ids: Sequence[uuid.UUID] | None, *, now: datetime) -> None:
    """Mark notices of a user as read; without `ids` all of them."""
    statement = update(Notice).where(Notice.user_id == user_id, Notice.read_at.is_(None)).values(read_at=now)
    session.execute(statement if ids is None else statement.where(Notice.id.in_(ids)))
    _changed(session, user_id)


def settings_page(session: Session, user_id: str, links: Links, settings: Settings) -> NoticeSettingsPage:
    row = session.get(NoticeSettings, user_id)
    places = preferences_of(row).places
    nonce = None if row is None else row.webhook_nonce
    return NoticeSettingsPage(
        kinds=[
            KindSetting(
                kind=kind, page=PAGE in chosen, email=Channel.EMAIL in chosen, webhook=Channel.WEBHOOK in chosen
            )
            for kind, chosen in places.items()
        ],
        has_email=has_mail(settings),
        email=None if row is None else row.email,
        email_confirmed=row is not None and row.email_confirmed_at is not None,
        has_webhooks=settings.webhooks,
        webhook_url=None if row is None else row.webhook_url,
        webhook_secret=None if nonce is None else links.webhook_secret(user_id, nonce),
        challenges=ChallengeRule.ASK if row is None else row.challenges,
        deliveries=_deliveries(session, user_id),
    )


def _deliveries(session: Session, user_id: str) -> list[DeliveryLine]:
    statement = (
        select(NoticeDelivery)
        .join(NoticeDelivery.notice)
        .where(Notice.user_id == user_id, NoticeDelivery.status != DeliveryStatus.SKIPPED)
        .options(joinedload(NoticeDelivery.notice))
        .order_by(NoticeDelivery.due_at.desc())
        .limit(MAX_DELIVERIES)
    )
    return [
        DeliveryLine(
            channel=row.channel,
            status=row.status,
            title=row.notice.title,
            error=row.error,
            at=row.ended_at or row.due_at,
        )
        for row in session.scalars(statement)
    ]


def change_settings(
    session: Session, user: User, change: NoticeSettingsUpdate, settings: Settings, *, now: datetime
) -> Mailbox | None:
    """Change the settings of a user; return an address that has to be confirmed by an e-mail."""
    row = session.get(NoticeSettings, user.id)
    if row is None:
        row = NoticeSettings(user_id=user.id, kinds={}, challenges=ChallengeRule.ASK)
        session.add(row)
    if change.kinds is not None:
        row.kinds = {**row.kinds, **{kind.value: sorted(set(places)) for kind, places in change.kinds.items()}}
    if change.challenges is not None:
        row.challenges = change.challenges
    if "webhook_url" in change.model_fields_set:
        _set_webhook(row, change.webhook_url, settings)
    if change.new_webhook_secret and row.webhook_url is not None:
        row.webhook_nonce = secrets.token_hex(16)
    to_confirm = None
    if "email" in change.model_fields_set:
        to_confirm = _set_email(row, change.email, settings, now=now)
    session.flush()
    _changed(session, user.id)
    return to_confirm


def _set_webhook(row: NoticeSettings, url: str | None, settings: Settings) -> None:
    url = (url or "").strip() or None
    if url is not None:
        if not settings.webhooks:
            raise Conflict("This server calls no webhooks")
        parse_target(url)
        if row.webhook_nonce is None:
            row.webhook_nonce = secrets.token_hex(16)
    row.webhook_url = url


def _set_email(row: NoticeSettings, email: str | None, settings: Settings, *, now: datetime) -> Mailbox | None:
    email = (email or "").strip() or None
    if email is None:
        row.email = row.email_confirmed_at = None
        return None
    if not has_mail(settings):
        raise Conflict("This server sends no e-mail")
    if len(email) > 254 or _EMAIL.fullmatch(email) is None:
        raise Unprocessable("This is not an e-mail address")
    if email == row.email and row.email_confirmed_at is not None:
        return None
    if row.email_asked_at is not None and now < row.email_asked_at + CONFIRMATION_PAUSE:
        wait = row.email_asked_at + CONFIRMATION_PAUSE - now
        raise TooManyRequests("An e-mail was sent a moment ago; try again soon", retry_after=wait.seconds + 1)
    row.email, row.email_confirmed_at, row.email_asked_at = email, None, now
    return Mailbox(row.user_id, email)


def confirm_email(session: Session, box: Mailbox, *, now: datetime) -> bool:
    """Confirm an address; return whether it still is the one of the user."""
    row = session.get(NoticeSettings, box.user_id)
    if row is None or row.email != box.email:
        return False
    row.email_confirmed_at = row.email_confirmed_at or now
    session.flush()
    _changed(session, box.user_id)
    return True


def unsubscribe(session: Session, box: Mailbox) -> None:
    """End all e-mail to an address of a user."""
    row = session.get(NoticeSettings, box.user_id)
    if row is None or row.email != box.email:
        return
    row.email = row.email_confirmed_at = None
    session.flush()
    _changed(session, box.user_id)


def expire_notices(database: Database, *, now: datetime, days: int) -> int:
    """Delete notices that are older; return how many."""
    old = select(Notice.id).where(Notice.updated_at < now - timedelta(days=days))
    with database.read() as session:
        if session.scalar(old.limit(1)) is None:
            return 0
    with database.transaction() as session:
        session.execute(delete(NoticeDelivery).where(NoticeDelivery.notice_id.in_(old)))
        deleted = session.execute(delete(Notice).where(Notice.updated_at < now - timedelta(days=days)))
        events.note(session, Change(ChangeKind.NOTICE))
        return int(getattr(deleted, "rowcount", 0))


def _changed(session: Session, user_id: str) -> None:
    events.note(session, Change(ChangeKind.NOTICE, ids=frozenset({user_mark(user_id)})))

"""Write notices in the transaction of the change that they are about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.accounts import User
from observatory.database.tables.notices import Notice, NoticeDelivery, NoticeKind
from observatory.events import Change, ChangeKind, user_mark
from observatory.notices.preferences import PAGE, preferences

__all__ = ["Words", "tell"]

MAX_TITLE, MAX_TEXT = 300, 2000
TOGETHER = timedelta(days=1)
"""how long a notice takes further events of its topic"""
DELAYS = {
    NoticeKind.MATCH: timedelta(minutes=30),
    NoticeKind.OVERTAKEN: timedelta(minutes=30),
    NoticeKind.FAILURE: timedelta(minutes=5),
}
"""how long deliveries of kinds wait for further events; others are sent at once"""


@dataclass(frozen=True)
class Words:
    """The text of a notice, and the path of the page that it is about."""

    title: str
    text: str
    url: str
    details: dict[str, Any] = field(default_factory=dict)
    """totals that the text of the next event needs"""


def tell(
    session: Session,
    user_id: str,
    kind: NoticeKind,
    topic: str,
    words: Callable[[int, dict[str, Any]], Words],
    *,
    now: datetime,
) -> Notice | None:
    """Write a notice, or add the event to an unread one of the same topic; None if the user wants none of this kind.

    `words` gets the number of events, this one included, and the details so far.
    """
    user = session.get(User, user_id)
    if user is None or user.disabled_at is not None:
        return None
    wanted = preferences(session, user_id)
    channels = wanted.channels(kind)
    if not channels and PAGE not in wanted.places[kind]:
        return None
    notice = _open_notice(session, user_id, kind, topic, now)
    if notice is None:
        notice = Notice(user_id=user_id, kind=kind, topic=topic[:200], events=1, created_at=now)
        _write(notice, words(1, {}), now)
        due_at = now + DELAYS.get(kind, timedelta())
        notice.deliveries = [NoticeDelivery(channel=channel, attempts=0, due_at=due_at) for channel in channels]
        session.add(notice)
    else:
        notice.events += 1
        _write(notice, words(notice.events, dict(notice.details)), now)
    session.flush()
    events.note(session, Change(ChangeKind.NOTICE, ids=frozenset({user_mark(user_id)})))
    return notice


def _open_notice(session: Session, user_id: str, kind: NoticeKind, topic: str, now: datetime) -> Notice | None:
    statement = select(Notice).where(
        Notice.user_id == user_id,
        Notice.kind == kind,
        Notice.topic == topic[:200],
        Notice.read_at.is_(None),
        Notice.created_at > now - TOGETHER,
    )
    return session.scalar(statement.order_by(Notice.created_at.desc()).limit(1))


def _write(notice: Notice, words: Words, now: datetime) -> None:
    notice.title, notice.text, notice.url = words.title[:MAX_TITLE], words.text[:MAX_TEXT], words.url[:300]
    notice.details, notice.updated_at = words.details, now

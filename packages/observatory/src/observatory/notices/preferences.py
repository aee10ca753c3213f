"""Which notices a user wants, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from sqlalchemy.orm import Session

from observatory.database.tables.notices import ChallengeRule, Channel, NoticeKind, NoticeSettings

__all__ = ["DEFAULTS", "PAGE", "Preferences", "preferences"]

PAGE = "page"
"""the list on the user's own page, besides the channels"""
DEFAULTS: Mapping[NoticeKind, Set[str]] = {
    NoticeKind.MATCH: frozenset({PAGE}),
    NoticeKind.FAILURE: frozenset({PAGE, Channel.EMAIL, Channel.WEBHOOK}),
    NoticeKind.PROMOTION: frozenset({PAGE, Channel.EMAIL, Channel.WEBHOOK}),
    NoticeKind.OVERTAKEN: frozenset({PAGE, Channel.WEBHOOK}),
    NoticeKind.CHALLENGE: frozenset({PAGE, Channel.EMAIL, Channel.WEBHOOK}),
}
"""nothing leaves the server before the user has confirmed an address or named a webhook"""


@dataclass(frozen=True)
class Preferences:
    """The settings of a user, with defaults filled in."""

    places: Mapping[NoticeKind, Set[str]]
    email: str | None = None
    """confirmed"""
    webhook_url: str | None = None
    challenges: ChallengeRule = ChallengeRule.ASK

    def channels(self, kind: NoticeKind) -> list[Channel]:
        """Return the channels through which a notice of a kind leaves the server."""
        has = {Channel.EMAIL: self.email is not None, Channel.WEBHOOK: self.webhook_url is not None}
        return [channel for channel in Channel if has[channel] and channel in self.places[kind]]

    def on_page(self) -> list[NoticeKind]:
        """Return the kinds that the page lists."""
        return [kind for kind, places in self.places.items() if PAGE in places]


def preferences(session: Session, user_id: str) -> Preferences:
    """Return the settings of a user."""
    return preferences_of(session.get(NoticeSettings, user_id))


def preferences_of(row: NoticeSettings | None) -> Preferences:
    """Return the settings in a row, or the defaults."""
    if row is None:
        return Preferences(DEFAULTS)
    places = {kind: _places(row.kinds.get(kind, DEFAULTS[kind])) for kind in NoticeKind}
    email = row.email if row.email_confirmed_at is not None else None
    return Preferences(places, email, row.webhook_url, row.challenges)


def _places(names: Iterable[str]) -> Set[str]:
    return frozenset(names) & {PAGE, *Channel}

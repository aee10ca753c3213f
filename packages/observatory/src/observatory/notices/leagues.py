"""Tell owners about their policies in leagues and seasons: promotions, champions, ranks and results."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory.database.tables.leagues import CompetitionEvent
from observatory.database.tables.notices import NoticeKind
from observatory.database.tables.policies import PolicyVersion
from observatory.database.tables.seasons import Pool
from observatory.notices.matches import label
from observatory.notices.writing import Words, tell
from observatory.public_ids import public_id

__all__ = ["tell_final_rank", "tell_league_event", "tell_moved", "tell_overtaken"]

_KINDS = {
    "membership_promoted": NoticeKind.PROMOTION,
    "membership_relegated": NoticeKind.PROMOTION,
    "membership_disqualified": NoticeKind.PROMOTION,
    "membership_restored": NoticeKind.PROMOTION,
    "champion_changed": NoticeKind.PROMOTION,
    "submission_rejected": NoticeKind.PROMOTION,
    "rank_changed": NoticeKind.OVERTAKEN,
}
"""events of leagues that are reported to their subjects"""


def tell_league_event(session: Session, event: CompetitionEvent, *, now: datetime) -> None:
    """Tell a user about an event of a league of which a policy or player of theirs is the subject."""
    kind = _KINDS.get(event.event_type)
    if kind is None or event.user_id is None:
        return
    if kind is NoticeKind.OVERTAKEN and not _is_worse(event.payload):
        return
    url = "/observatory/me"
    if event.round_id is not None:
        url = f"/observatory/rounds/{public_id('round', event.round_id)}"
    elif event.league_id is not None:
        url = f"/observatory/leagues/{public_id('league', event.league_id)}"
    words = Words(event.headline, event.summary, url)
    topic = f"{event.event_type}:{event.policy_version_id}:{event.league_id}"
    tell(session, event.user_id, kind, topic, lambda events, details: words, now=now)


def _is_worse(payload: dict[str, Any]) -> bool:
    before, after = payload.get("from"), payload.get("to")
    return isinstance(before, int) and isinstance(after, int) and after > before


def tell_moved(
    session: Session, pool: Pool, version: PolicyVersion, why: str | None, *, joined: bool, now: datetime
) -> None:
    """Tell an owner that a policy entered a later pool of a season, or left one."""
    season = pool.season
    if not season.public:
        return
    verb = "advanced to" if joined else "is out of"
    words = Words(
        f"{label(version)} {verb} {pool.name} in {season.display_name}",
        why or "",
        f"/observatory/policies/{version.id}",
    )
    topic = f"season:{version.id}:{season.id}"
    tell(session, version.policy.user_id, NoticeKind.PROMOTION, topic, lambda events, details: words, now=now)


def tell_overtaken(
    session: Session, pool: Pool, version: PolicyVersion, by: PolicyVersion, *, rank: int, of: int, now: datetime
) -> None:
    """Tell an owner that another policy is ahead of theirs now."""
    season = pool.season

    def words(events: int, details: dict[str, Any]) -> Words:
        title = f"{label(by)} overtook {label(version)} in {season.display_name}"
        return Words(title, f"Now number {rank} of {of}", _season_url(season.name), {})

    topic = f"overtaken:{version.id}:{pool.id}"
    tell(session, version.policy.user_id, NoticeKind.OVERTAKEN, topic, words, now=now)


def tell_final_rank(session: Session, pool: Pool, version: PolicyVersion, *, rank: int, of: int, now: datetime) -> None:
    """Tell an owner the place of a policy in the final table of a season."""
    season = pool.season
    place = "won" if rank == 1 else f"finished number {rank} of {of} in"
    words = Words(
        f"{label(version)} {place} {season.display_name}",
        f"The season has ended with {of} policies in its table",
        _season_url(f"{season.name}:v{season.version}"),
    )
    topic = f"final:{version.id}:{pool.id}"
    tell(session, version.policy.user_id, NoticeKind.PROMOTION, topic, lambda events, details: words, now=now)


def _season_url(reference: str) -> str:
    return f"/observatory/seasons/{reference}"

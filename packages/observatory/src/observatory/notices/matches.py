"""Tell owners about the matches and episodes of their policies."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory.database.tables.notices import NoticeKind
from observatory.database.tables.policies import PolicyVersion
from observatory.notices.writing import Words, tell

__all__ = ["Played", "Seat", "label", "tell_ended"]


@dataclass(frozen=True)
class Seat:
    """A policy in a match, and its score."""

    version: PolicyVersion
    score: float | None


@dataclass(frozen=True)
class Played:
    """A match or an episode that ended."""

    word: str
    """`match` or `episode`"""
    url: str
    """path of its page"""
    place: str
    """name of the season or league"""
    place_id: uuid.UUID
    """what matches of one notice have in common besides the policy"""
    seats: Sequence[Seat]
    failed_index: int | None = None
    """the position of the policy that failed"""
    error: str | None = None


def label(version: PolicyVersion) -> str:
    """Return the name of a version for people."""
    return f"{version.policy.name} v{version.version}"


def tell_ended(session: Session, played: Played, *, now: datetime) -> None:
    """Tell the owners of the policies: of a completed match all, of a failed one the owner of the policy at fault."""
    if played.error is None:
        for version in {seat.version.id: seat.version for seat in played.seats}.values():
            topic = f"{played.word}:{version.id}:{played.place_id}"
            owner = version.policy.user_id
            tell(session, owner, NoticeKind.MATCH, topic, _completed(played, version), now=now)
    elif played.failed_index is not None and played.failed_index < len(played.seats):
        version = played.seats[played.failed_index].version
        topic = f"failure:{version.id}:{played.place_id}"
        tell(session, version.policy.user_id, NoticeKind.FAILURE, topic, _failed(played, version), now=now)


class _completed:
    """The words about the completed matches of a policy in one place."""

    def __init__(self, played: Played, version: PolicyVersion) -> None:
        self._played, self._version = played, version

    def __call__(self, events: int, details: dict[str, Any]) -> Words:
        played, version = self._played, self._version
        own = [seat.score for seat in played.seats if seat.version.id == version.id and seat.score is not None]
        score = sum(own) / len(own) if own else 0.0
        total = float(details.get("total", 0.0)) + score
        others = [seat for seat in played.seats if seat.version.id != version.id]
        against = ", ".join(f"{label(seat.version)} ({_rounded(seat.score)})" for seat in others[:3])
        last = f"{_rounded(score)}{f' with {against}' if against else ''}"
        if events == 1:
            title = f"{label(version)} played in {played.place}"
            return Words(title, f"Score {last}", played.url, {"total": total})
        title = f"{label(version)} played {events} {_plural(played.word)} in {played.place}"
        text = f"Mean score {_rounded(total / events)}; the last one {last}"
        return Words(title, text, f"/observatory/policies/{version.id}", {"total": total})


class _failed:
    """The words about the failures of a policy in one place."""

    def __init__(self, played: Played, version: PolicyVersion) -> None:
        self._played, self._version = played, version

    def __call__(self, events: int, details: dict[str, Any]) -> Words:
        played = self._played
        times = "" if events == 1 else f" in {events} {_plural(played.word)}"
        title = f"{label(self._version)} failed{times} in {played.place}"
        lines = (played.error or "").strip().splitlines()
        return Words(title, lines[-1][:500] if lines else "It did not play to the end", played.url)


def _plural(word: str) -> str:
    return f"{word}es" if word.endswith("ch") else f"{word}s"


def _rounded(score: float | None) -> str:
    return "no score" if score is None else f"{score:.4g}"

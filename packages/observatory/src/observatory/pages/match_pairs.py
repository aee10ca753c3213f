"""Find matches by the names of two policies that played in them."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, aliased

from observatory.accounts.principal import Principal
from observatory.database.tables.matches import Match, MatchPlayer
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.pages import repository
from observatory.seasons.repository import visible as visible_seasons

__all__ = ["FoundMatch", "matches_between"]

MAX_WORDS = 8
MAX_POLICIES = 20
"""with a name of the query, that are considered"""
_BETWEEN = re.compile(r"\s+(?:vs?\.?|versus|against|[–—-])\s+", re.IGNORECASE)
_VERSION = re.compile(r"^(?P<name>.+?)(?:\s+v|:v?)(?P<number>[0-9]{1,6})$")


@dataclass(frozen=True)
class FoundMatch:
    id: uuid.UUID
    title: str
    season: str
    status: str


def matches_between(session: Session, text: str, principal: Principal | None, limit: int) -> list[FoundMatch]:
    """Return the newest matches with policies of both names; empty if the text does not name two policies."""
    for first, second in _splits(text):
        versions = _versions(session, first), _versions(session, second)
        if all(versions):
            found = _matches(session, *versions, principal, limit)
            if found:
                return found
    return []


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to read a query as two names."""
    parts = _BETWEEN.split(text.strip(), maxsplit=1)
    if len(parts) == 2:
        yield parts[0], parts[1]
        return
    words = text.split()
    if len(words) <= MAX_WORDS:
        for place in range(1, len(words)):
            yield " ".join(words[:place]), " ".join(words[place:])


def _versions(session: Session, name: str) -> list[uuid.UUID]:
    """Return versions of policies with a name, such as `alpha`, `alpha v2` or `alpha:v2`."""
    numbered = _VERSION.match(name)
    condition = func.lower(Policy.name) == name.lower()
    if numbered is not None:
        one = (func.lower(Policy.name) == numbered["name"].lower()) & (PolicyVersion.version == int(numbered["number"]))
        condition = or_(condition, one)
    statement = select(PolicyVersion.id).join(Policy, PolicyVersion.policy_id == Policy.id).where(condition)
    return list(session.scalars(statement.order_by(PolicyVersion.created_at.desc()).limit(MAX_POLICIES)))


def _matches(
    session: Session, first: list[uuid.UUID], second: list[uuid.UUID], principal: Principal | None, limit: int
) -> list[FoundMatch]:
    seat, other = aliased(MatchPlayer), aliased(MatchPlayer)
    member, other_member = aliased(PoolPlayer), aliased(PoolPlayer)
    newest = (
        select(seat.match_id)
        .join(member, seat.pool_player_id == member.id)
        .join(other, other.match_id == seat.match_id)
        .join(other_member, other.pool_player_id == other_member.id)
        .join(Match, Match.id == seat.match_id)
        .join(Pool, Match.pool_id == Pool.id)
        .join(Season, Pool.season_id == Season.id)
        .where(
            member.policy_version_id.in_(first),
            other_member.policy_version_id.in_(second),
            seat.policy_index != other.policy_index,
            visible_seasons(principal),
        )
        .distinct()
        .order_by(seat.match_id.desc())  # ids begin with the time of their creation
        .limit(limit)
    )
    ids = session.scalars(newest).all()
    matches = {match.id: match for match in session.scalars(repository.with_players().where(Match.id.in_(ids)))}
    return [_found(matches[match_id]) for match_id in ids]


def _found(match: Match) -> FoundMatch:
    versions = [player.pool_player.policy_version for player in match.players]
    title = " – ".join(f"{version.policy.name} v{version.version}" for version in versions)
    return FoundMatch(match.id, title, match.pool.season.display_name, match.status.value)

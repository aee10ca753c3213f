"""All matches of a policy version, filtered and sorted, page by page."""

from __future__ import annotations

import base64
import binascii
import json
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session, aliased

from observatory.accounts.principal import Principal
from observatory.database.tables.matches import Match, MatchPlayer, MatchStatus
from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.errors import BadRequest
from observatory.matches.lines import LISTED, lines
from observatory.pages.matches import loaded, match_line
from observatory.pages.schemas import MatchesPage
from observatory.seasons.repository import SeasonReference, visible

__all__ = ["MatchFilters", "MatchResult", "MatchSort", "policy_matches"]

MatchResult = Literal["completed", "won", "lost", "failed", "at_fault", "open"]
"""`won`: a higher score than every other player; `lost`: a lower one than another player"""
MatchSort = Literal["newest", "oldest", "best", "worst"]
_EPSILON = 1e-9
"""scores of partners in a game with a shared reward may differ by rounding"""


@dataclass(frozen=True)
class MatchFilters:
    """Which matches of a policy version; None leaves a field open."""

    season: str | None = None
    """`name` or `name:v3`"""
    result: MatchResult | None = None
    partner: uuid.UUID | None = None
    """a version that plays in the match too"""


def policy_matches(
    session: Session,
    policy_version_id: uuid.UUID,
    principal: Principal | None,
    filters: MatchFilters,
    *,
    sort: MatchSort,
    cursor: str | None,
    limit: int,
) -> MatchesPage:
    """Return the next matches of a version that the caller may see. Sorted by score, only scored ones are listed."""
    own = func.max(MatchPlayer.score)
    by_score = sort in ("best", "worst")
    statement = _matches(policy_version_id, principal, filters)
    if by_score:
        statement = statement.where(MatchPlayer.score.is_not(None))
    total = session.scalar(select(func.count()).select_from(statement.with_only_columns(Match.id).subquery())) or 0
    key: Any = own if by_score else Match.created_at
    is_down = sort in ("newest", "best")
    if cursor is not None:
        value, match_id = _read_cursor(cursor, sort)
        later = and_(key == value, Match.id < match_id if is_down else Match.id > match_id)
        statement = statement.having(or_(key < value if is_down else key > value, later))
    order = (key.desc(), Match.id.desc()) if is_down else (key.asc(), Match.id.asc())
    rows = session.execute(statement.add_columns(own).order_by(*order).limit(limit)).all()
    after = None
    if len(rows) == limit:
        last = rows[-1]
        after = _cursor(sort, last[-1] if by_score else last.created_at, last.id)
    listed = [tuple(row[: len(LISTED)]) for row in rows]
    return MatchesPage(rows=lines(session, listed, loaded, match_line), total=total, next_cursor=after)


def _matches(policy_version_id: uuid.UUID, principal: Principal | None, filters: MatchFilters) -> Any:
    """Return the matches, each once: a version may have several seats."""
    statement: Any = (
        select(*LISTED)
        .join(MatchPlayer, MatchPlayer.match_id == Match.id)
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .join(Match.pool)
        .join(Pool.season)
        .where(PoolPlayer.policy_version_id == policy_version_id, visible(principal))
        .group_by(Match.id)
    )
    if filters.season is not None:
        reference = SeasonReference.parse(filters.season)
        statement = statement.where(Season.name == reference.name)
        if reference.version is not None:
            statement = statement.where(Season.version == reference.version)
    if filters.partner is not None:
        seat, player = aliased(MatchPlayer), aliased(PoolPlayer)
        partner = (
            select(seat.match_id)
            .join(player, seat.pool_player_id == player.id)
            .where(seat.match_id == Match.id, player.policy_version_id == filters.partner)
        )
        statement = statement.where(partner.exists())
    if filters.result is not None:
        statement = statement.where(_result(filters.result))
    return statement


def _result(result: MatchResult) -> ColumnElement[bool]:
    other = aliased(MatchPlayer)
    others = select(func.max(other.score)).where(
        other.match_id == Match.id, other.pool_player_id != MatchPlayer.pool_player_id
    )
    best = others.correlate(Match, MatchPlayer).scalar_subquery()
    margin = _EPSILON * (func.abs(best) + func.abs(MatchPlayer.score))
    match result:
        case "open":
            return Match.status.in_([MatchStatus.PENDING, MatchStatus.SCHEDULED, MatchStatus.RUNNING])
        case "completed":
            return Match.status == MatchStatus.COMPLETED
        case "failed":
            return Match.status == MatchStatus.FAILED
        case "at_fault":
            return and_(Match.status == MatchStatus.FAILED, Match.failed_policy_index == MatchPlayer.policy_index)
        case "won":
            return and_(Match.status == MatchStatus.COMPLETED, MatchPlayer.score > best + margin)
        case "lost":
            return and_(Match.status == MatchStatus.COMPLETED, MatchPlayer.score < best - margin)


def _cursor(sort: MatchSort, value: datetime | float, match_id: uuid.UUID) -> str:
    key = value.isoformat() if isinstance(value, datetime) else value
    return base64.urlsafe_b64encode(json.dumps([sort, key, str(match_id)]).encode()).decode().rstrip("=")


def _read_cursor(cursor: str, sort: MatchSort) -> tuple[datetime | float, uuid.UUID]:
    try:
        made_for, key, match_id = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if made_for != sort:
            raise ValueError("of another order")
        value = datetime.fromisoformat(key) if isinstance(key, str) else float(key)
        if isinstance(value, datetime) is not (sort in ("newest", "oldest")):
            raise ValueError("of another kind")
        if isinstance(value, datetime) and value.tzinfo is None:
            raise ValueError("without a zone")
        return value, uuid.UUID(match_id)
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise BadRequest("The cursor is not valid; leave it out to start from the first page") from None

"""Queries for leagues, their divisions, rounds and seeds. The functions `visible_...` say who may see a row."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, not_, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, Session, joinedload, selectinload

from observatory.accounts.principal import Principal
from observatory.coworlds.names import name_key
from observatory.cursors import CursorPage, Slice
from observatory.database.tables.accounts import Player
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import (
    Division,
    DivisionType,
    League,
    LeagueGame,
    LeagueSeed,
    Membership,
    MembershipStatus,
    Round,
    RoundResult,
    RoundStatus,
)
from observatory.database.tables.policies import PolicyVersion
from observatory.errors import Forbidden, NotFound
from observatory.paging import count
from observatory.public_ids import parse_public_id

__all__ = [
    "ACTIVE_ROUND",
    "PlayedRound",
    "RoundFilter",
    "canonical_coworld",
    "completed_stamp",
    "division",
    "divisions",
    "entry_division",
    "game",
    "games",
    "is_live",
    "league",
    "leagues",
    "managed_league",
    "newest_coworld",
    "played_coworld",
    "played_rounds",
    "round_",
    "rounds",
    "visible_divisions",
    "visible_ids",
    "visible_leagues",
]

ACTIVE_ROUND = (RoundStatus.PENDING, RoundStatus.CLAIMED, RoundStatus.RUNNING)


def visible_leagues(principal: Principal | None) -> ColumnElement[bool]:
    """Public leagues that are not hidden; for a user also their own and those in which they play."""
    is_public = and_(League.public, not_(League.hidden))
    if principal is None:
        return is_public
    if principal.is_admin:
        return true()
    plays = select(Membership.id).where(Membership.league_id == League.id, Membership.user_id == principal.user_id)
    return or_(is_public, League.user_id == principal.user_id, plays.correlate(League).exists())


def visible_divisions(principal: Principal | None) -> ColumnElement[bool]:
    """Divisions of visible leagues; a hidden one for the league's owner and its members only. Join `League`."""
    shown = not_(Division.hidden)
    if principal is None:
        return and_(visible_leagues(principal), shown)
    if principal.is_admin:
        return true()
    plays = select(Membership.id).where(Membership.division_id == Division.id, Membership.user_id == principal.user_id)
    is_member = plays.correlate(Division).exists()
    return and_(visible_leagues(principal), or_(shown, League.user_id == principal.user_id, is_member))


def is_live() -> ColumnElement[bool]:
    """Memberships that are in play."""
    return and_(Membership.end_time.is_(None), Membership.status != MembershipStatus.DISQUALIFIED)


def games(session: Session, principal: Principal | None) -> Sequence[LeagueGame]:
    """Return the games of visible leagues, by name."""
    in_league = select(League.id).where(League.game_id == LeagueGame.id, visible_leagues(principal))
    statement = select(LeagueGame).where(in_league.exists())
    return session.scalars(statement.order_by(LeagueGame.name, LeagueGame.id)).all()


def game(session: Session, game_id: str, principal: Principal | None) -> LeagueGame:
    row_id = parse_public_id("game", game_id)
    row = next((row for row in games(session, principal) if row.id == row_id), None)
    if row is None:
        raise NotFound(f"There is no game {game_id}")
    return row


def leagues(
    session: Session,
    principal: Principal | None,
    *,
    game_id: uuid.UUID | None = None,
    game_of_week: bool = False,
) -> Sequence[League]:
    """Return visible leagues, newest first."""
    statement = select(League).options(joinedload(League.game)).where(visible_leagues(principal))
    if game_id is not None:
        statement = statement.where(League.game_id == game_id)
    if game_of_week:
        statement = statement.where(League.is_game_of_week)
    return session.scalars(statement.order_by(League.created_at.desc(), League.id.desc())).all()


def league(session: Session, league_id: uuid.UUID, principal: Principal | None) -> League:
    statement = select(League).options(joinedload(League.game))
    row = session.scalar(statement.where(League.id == league_id, visible_leagues(principal)))
    if row is None:
        raise NotFound(f"There is no league league_{league_id}")
    return row


def managed_league(session: Session, league_id: uuid.UUID, principal: Principal) -> League:
    """Return a league that the caller may change: its owner and administrators."""
    row = league(session, league_id, principal)
    if not (principal.is_admin or (row.user_id == principal.user_id and not principal.is_player)):
        raise Forbidden("Only the owner of the league and administrators may do this")
    return row


def divisions(
    session: Session,
    principal: Principal | None,
    *,
    league_id: uuid.UUID | None = None,
    with_archived: bool = False,
) -> Sequence[Division]:
    """Return visible divisions: those of the newest league first, the best division of a league first."""
    statement = _divisions(principal)
    if league_id is not None:
        statement = statement.where(Division.league_id == league_id)
    if not with_archived:
        statement = statement.where(Division.archived_at.is_(None))
    order = (League.created_at.desc(), League.id.desc(), Division.level.desc(), Division.name)
    return session.scalars(statement.order_by(*order)).all()


def visible_ids(
    session: Session, principal: Principal | None, *, league_id: uuid.UUID | None = None
) -> frozenset[uuid.UUID]:
    """Return the ids of visible divisions, archived ones too; of one league with `league_id`."""
    statement = select(Division.id).join(Division.league).where(visible_divisions(principal))
    if league_id is not None:
        statement = statement.where(Division.league_id == league_id)
    return frozenset(session.scalars(statement))


def division(session: Session, division_id: uuid.UUID, principal: Principal | None) -> Division:
    row = session.scalar(_divisions(principal).where(Division.id == division_id))
    if row is None:
        raise NotFound(f"There is no division div_{division_id}")
    return row


def _divisions(principal: Principal | None) -> Select[Division]:
    return (
        select(Division)
        .join(Division.league)
        .join(League.game)
        .where(visible_divisions(principal))
        .options(selectinload(Division.league).joinedload(League.game))
    )


def entry_division(session: Session, league_id: uuid.UUID) -> Division | None:
    """Return the division in which new members start: the staging one, else the lowest competition."""
    statement = select(Division).where(Division.league_id == league_id, Division.archived_at.is_(None))
    rows = session.scalars(statement.order_by(Division.level, Division.name)).all()
    if not any(row.type is DivisionType.COMPETITION for row in rows):
        return None
    staging = [row for row in rows if row.type is DivisionType.STAGING]
    return (staging or list(rows))[0]


def member_counts(session: Session, division_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, int]:
    """Return how many live memberships each division has."""
    statement = select(Membership.division_id, func.count()).where(Membership.division_id.in_(division_ids), is_live())
    return {row[0]: row[1] for row in session.execute(statement.group_by(Membership.division_id))}


def has_active_round(session: Session, division_id: uuid.UUID) -> bool:
    statement = select(Round.id).where(Round.division_id == division_id, Round.status.in_(ACTIVE_ROUND))
    return session.scalar(statement.limit(1)) is not None


@dataclass(frozen=True)
class RoundFilter:
    """Which rounds are wanted; None leaves a field open."""

    league_id: uuid.UUID | None = None
    division_id: uuid.UUID | None = None
    status: RoundStatus | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if self.league_id is not None:
            conditions.append(Division.league_id == self.league_id)
        if self.division_id is not None:
            conditions.append(Round.division_id == self.division_id)
        if self.status is not None:
            conditions.append(Round.status == self.status)
        return conditions


def rounds(
    session: Session, filters: RoundFilter, page: CursorPage, principal: Principal | None
) -> tuple[Slice[Round], int]:
    """Return a page of visible rounds, newest first, and how many there are."""
    conditions = [*filters.conditions(), visible_divisions(principal)]
    total = count(session, select(Round.id).join(Round.division).join(Division.league).where(*conditions))
    return page.of(session, _rounds().where(*conditions), Round.created_at, Round.id), total


def round_(session: Session, round_id: uuid.UUID, principal: Principal | None, *, with_policies: bool = True) -> Round:
    """Return a visible round with its results."""
    results = selectinload(Round.results)
    statement = _rounds().options(results.joinedload(RoundResult.player))
    if with_policies:
        statement = statement.options(results.joinedload(RoundResult.policy_version).joinedload(PolicyVersion.policy))
    row = session.scalar(statement.where(Round.id == round_id, visible_divisions(principal)))
    if row is None:
        raise NotFound(f"There is no round round_{round_id}")
    return row


def _rounds() -> Select[Round]:
    return (
        select(Round)
        .join(Round.division)
        .join(Division.league)
        .join(League.game)
        .options(selectinload(Round.division).selectinload(Division.league).joinedload(League.game))
    )


def completed_rounds(session: Session, division_id: uuid.UUID, limit: int) -> Sequence[Round]:
    """Return the last completed rounds of a division with their results, newest first."""
    statement = (
        select(Round)
        .where(Round.division_id == division_id, Round.status == RoundStatus.COMPLETED)
        .options(selectinload(Round.results).joinedload(RoundResult.player))
    )
    return session.scalars(statement.order_by(Round.round_number.desc()).limit(limit)).all()


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """The result of a player in a completed round."""

    round_id: uuid.UUID
    round_number: int
    started_at: datetime | None
    completed_at: datetime | None
    entrants: int
    player_id: str
    player_name: str
    policy_version_id: uuid.UUID
    rank: int
    score: float
    metadata: Mapping[str, Any] = field(default_factory=dict)


def completed_stamp(session: Session, division_id: uuid.UUID) -> tuple[int, int | None]:
    """Return how many rounds a division has completed and the last number: the same while their results are."""
    completed = (Round.division_id == division_id, Round.status == RoundStatus.COMPLETED)
    number, last = session.execute(select(func.count(), func.max(Round.round_number)).where(*completed)).one()
    return number, last


def played_rounds(
    session: Session, division_id: uuid.UUID, limit: int, *, with_metadata: bool = False
) -> list[PlayedRound]:
    """Return the results of players in the last completed rounds of a division: newest round first, best rank first."""
    result = RoundResult
    entrants = select(func.count()).where(result.round_id == Round.id).correlate(Round).scalar_subquery()
    last = (
        select(Round.id, Round.round_number, Round.started_at, Round.completed_at, entrants.label("entrants"))
        .where(Round.division_id == division_id, Round.status == RoundStatus.COMPLETED)
        .order_by(Round.round_number.desc())
        .limit(limit)
        .subquery()
    )
    rounds = {row.round_number: tuple(row) for row in session.execute(select(last))}
    columns = [Player.id, Player.name, result.policy_version_id, result.rank, result.score]
    statement = (
        select(last.c.round_number, *columns, *([result.result_metadata] if with_metadata else []))
        .join(result, result.round_id == last.c.id)
        .join(Player, Player.id == result.player_id)
        .order_by(last.c.round_number.desc(), result.rank, result.id)
    )
    return [PlayedRound(*rounds[number], *row) for number, *row in session.execute(statement)]


def newest_coworld(session: Session, name: str, principal: Principal) -> Coworld:
    """Return the canonical version of a Coworld that the caller owns, else its newest one; administrators own all."""
    statement = select(Coworld).where(Coworld.name_key == name_key(name))
    order = (Coworld.canonical.desc(), Coworld.created_at.desc(), Coworld.id.desc())
    row = session.scalar(statement.order_by(*order).limit(1))
    is_owner = row is not None and (principal.is_admin or row.user_id == principal.user_id)
    if row is None or (row.visibility == "private" and not is_owner):
        raise NotFound(f"There is no Coworld named {name!r}; upload it with `coworld upload-coworld`")
    if not is_owner:
        raise Forbidden(f"Coworld {row.name!r} belongs to another user")
    return row


def canonical_coworld(session: Session, name: str) -> Coworld | None:
    return session.scalar(select(Coworld).where(Coworld.name_key == name_key(name), Coworld.canonical))


def played_coworld(session: Session, league: League) -> Coworld | None:
    """Return the version that a league plays: the locked one, else the canonical one."""
    if league.locked_coworld_id is not None:
        return session.get_one(Coworld, league.locked_coworld_id)
    return canonical_coworld(session, league.game.coworld_name)


def game_by_coworld(session: Session, name: str) -> LeagueGame | None:
    return session.scalar(select(LeagueGame).where(_key_of(LeagueGame.coworld_name) == name_key(name)))


def seeds(session: Session, principal: Principal) -> Sequence[LeagueSeed]:
    """Return the seeds of the caller's leagues, newest first; all of them for an administrator."""
    statement = select(LeagueSeed).outerjoin(League, League.id == LeagueSeed.league_id)
    if not principal.is_admin:
        mine = or_(LeagueSeed.created_by == principal.user_id, League.user_id == principal.user_id)
        statement = statement.where(mine)
    return session.scalars(statement.order_by(LeagueSeed.created_at.desc(), LeagueSeed.id.desc())).all()


def seed_by_key(session: Session, coworld_name: str, league_key: str) -> LeagueSeed | None:
    statement = select(LeagueSeed).where(_key_of(LeagueSeed.coworld_name) == name_key(coworld_name))
    return session.scalar(statement.where(LeagueSeed.league_key == league_key))


def _key_of(column: InstrumentedAttribute[str]) -> ColumnElement[str]:
    return func.replace(func.lower(column), "-", "_")

"""Queries for submissions, memberships and events of leagues."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, and_, or_, select
from sqlalchemy.orm import Session, contains_eager, joinedload, selectinload

from observatory.accounts.principal import Principal
from observatory.cursors import CursorPage, Slice
from observatory.database.tables.leagues import (
    CompetitionEvent,
    Division,
    DivisionType,
    EventAudience,
    League,
    LeagueSubmission,
    Membership,
    MembershipStatus,
)
from observatory.database.tables.policies import PolicyVersion
from observatory.errors import NotFound, Unauthorized
from observatory.leagues.repository import is_live, visible_divisions, visible_leagues

__all__ = [
    "EntryFilter",
    "EventFilter",
    "champion",
    "champions_in",
    "events",
    "live_memberships",
    "lowest_competition",
    "membership",
    "memberships",
    "memberships_of_versions",
    "submissions",
    "was_disqualified",
    "with_all",
]


@dataclass(frozen=True)
class EntryFilter:
    """Which submissions or memberships are wanted; None leaves a field open."""

    league_id: uuid.UUID | None = None
    division_id: uuid.UUID | None = None
    policy_version_id: uuid.UUID | None = None
    player_id: str | None = None
    active_only: bool = False
    champions_only: bool = False
    mine: bool = False

    def conditions(
        self, table: type[LeagueSubmission] | type[Membership], principal: Principal | None
    ) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if self.league_id is not None:
            conditions.append(table.league_id == self.league_id)
        if self.policy_version_id is not None:
            conditions.append(table.policy_version_id == self.policy_version_id)
        if self.player_id is not None:
            conditions.append(table.player_id == self.player_id)
        if self.mine:
            conditions.append(_is_of(table, principal))
        return conditions


def _is_of(table: type[LeagueSubmission] | type[Membership], principal: Principal | None) -> ColumnElement[bool]:
    """Rows of the caller: those of one player for a player's token."""
    if principal is None:
        raise Unauthorized
    if principal.player_id is not None:
        return table.player_id == principal.player_id
    return table.user_id == principal.user_id


def submissions(
    session: Session, filters: EntryFilter, page: CursorPage, principal: Principal | None
) -> Slice[LeagueSubmission]:
    """Return a page of the submissions to visible leagues, newest first.

    Others see a submission only once it is placed; its player and the league's owner see it at once.
    """
    statement = (
        select(LeagueSubmission)
        .join(LeagueSubmission.league)
        .join(League.game)
        .where(visible_leagues(principal), *filters.conditions(LeagueSubmission, principal))
        .options(
            contains_eager(LeagueSubmission.league).contains_eager(League.game),
            joinedload(LeagueSubmission.policy_version).joinedload(PolicyVersion.policy),
            joinedload(LeagueSubmission.player),
        )
    )
    is_placed = LeagueSubmission.membership_id.is_not(None)
    if principal is None:
        statement = statement.where(is_placed)
    elif not principal.is_admin:
        owned = or_(LeagueSubmission.user_id == principal.user_id, League.user_id == principal.user_id)
        statement = statement.where(or_(is_placed, owned))
    return page.of(session, statement, LeagueSubmission.created_at, LeagueSubmission.id)


def memberships(
    session: Session, filters: EntryFilter, page: CursorPage, principal: Principal | None
) -> Slice[Membership]:
    """Return a page of the memberships in visible divisions, newest first."""
    statement = with_all().where(visible_divisions(principal), *filters.conditions(Membership, principal))
    if filters.division_id is not None:
        statement = statement.where(Membership.division_id == filters.division_id)
    if filters.active_only:
        statement = statement.where(is_live())
    if filters.champions_only:
        statement = statement.where(Membership.is_champion)
    return page.of(session, statement, Membership.created_at, Membership.id)


def portfolio(session: Session, principal: Principal, limit: int) -> Sequence[Membership]:
    """Return the live memberships of the caller, newest first."""
    statement = with_all().where(_is_of(Membership, principal), is_live())
    return session.scalars(statement.order_by(Membership.created_at.desc(), Membership.id.desc()).limit(limit)).all()


def membership(session: Session, membership_id: uuid.UUID, principal: Principal) -> Membership:
    row = session.scalar(with_all().where(Membership.id == membership_id, visible_divisions(principal)))
    if row is None:
        raise NotFound(f"There is no league membership lpm_{membership_id}")
    return row


def with_all() -> Select[Membership]:
    """Return the query for memberships with all that responses show of them.

    Few divisions and leagues have many members: they are loaded once, because their documents are long.
    """
    return (
        select(Membership)
        .join(Membership.division)
        .join(Division.league)
        .join(League.game)
        .options(
            selectinload(Membership.division).selectinload(Division.league).joinedload(League.game),
            selectinload(Membership.league).joinedload(League.game),
            joinedload(Membership.policy_version).joinedload(PolicyVersion.policy),
            joinedload(Membership.player),
        )
    )


def live_memberships(
    session: Session, league_id: uuid.UUID, *, user_id: str | None = None, policy_version_id: uuid.UUID | None = None
) -> Sequence[Membership]:
    """Return live memberships of a league, newest first."""
    statement = with_all().where(Membership.league_id == league_id, is_live())
    if user_id is not None:
        statement = statement.where(Membership.user_id == user_id)
    if policy_version_id is not None:
        statement = statement.where(Membership.policy_version_id == policy_version_id)
    return session.scalars(statement.order_by(Membership.created_at.desc(), Membership.id.desc())).all()


def memberships_of_versions(
    session: Session, league_id: uuid.UUID, policy_version_ids: Sequence[uuid.UUID]
) -> dict[uuid.UUID, uuid.UUID]:
    """Return the newest membership of each policy version in a league."""
    statement = (
        select(Membership.policy_version_id, Membership.id)
        .where(Membership.league_id == league_id, Membership.policy_version_id.in_(policy_version_ids))
        .order_by(Membership.created_at, Membership.id)
    )
    return {row[0]: row[1] for row in session.execute(statement)}


def champion(session: Session, league_id: uuid.UUID, player_id: str) -> Membership | None:
    """Return the membership that a player nominates in a league."""
    statement = with_all().where(Membership.league_id == league_id, Membership.player_id == player_id)
    return session.scalar(statement.where(Membership.is_champion))


def champions_in(session: Session, division_id: uuid.UUID) -> Sequence[Membership]:
    """Return the champions that play in a division, in the order of their entry."""
    statement = with_all().where(Membership.division_id == division_id, Membership.is_champion, is_live())
    return session.scalars(statement.order_by(Membership.created_at, Membership.id)).all()


def lowest_competition(session: Session, league_id: uuid.UUID) -> Division | None:
    """Return the competition in which members start that have qualified."""
    is_open = (Division.type == DivisionType.COMPETITION, Division.archived_at.is_(None))
    statement = select(Division).where(Division.league_id == league_id, *is_open)
    return session.scalar(statement.order_by(Division.level, Division.name).limit(1))


def was_disqualified(session: Session, league_id: uuid.UUID, policy_version_id: uuid.UUID) -> bool:
    statement = select(Membership.id).where(
        Membership.league_id == league_id,
        Membership.policy_version_id == policy_version_id,
        Membership.status == MembershipStatus.DISQUALIFIED,
    )
    return session.scalar(statement.limit(1)) is not None


def other_player(session: Session, policy_version_id: uuid.UUID, player_id: str) -> str | None:
    """Return another player who has entered a league with this version."""
    statement = select(Membership.player_id).where(
        Membership.policy_version_id == policy_version_id, Membership.player_id != player_id
    )
    return session.scalar(statement.limit(1))


@dataclass(frozen=True)
class EventFilter:
    """Which events are wanted; None leaves a field open."""

    league_id: uuid.UUID | None = None
    division_id: uuid.UUID | None = None
    round_id: uuid.UUID | None = None
    event_type: str | None = None
    audience: EventAudience | None = None
    player_id: str | None = None
    user_id: str | None = None
    policy_version_id: uuid.UUID | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        return [getattr(CompetitionEvent, name) == value for name, value in vars(self).items() if value is not None]


def events(
    session: Session, filters: EventFilter, page: CursorPage, principal: Principal | None
) -> Slice[CompetitionEvent]:
    """Return a page of events, newest first: public ones of what the caller may see, and the caller's own."""
    league = joinedload(CompetitionEvent.league).joinedload(League.game)
    division = joinedload(CompetitionEvent.division).joinedload(Division.league).joinedload(League.game)
    version = joinedload(CompetitionEvent.policy_version).joinedload(PolicyVersion.policy)
    statement = (
        select(CompetitionEvent)
        .where(*filters.conditions())
        .options(league, division, version, joinedload(CompetitionEvent.player))
    )
    if principal is None or not principal.is_admin:
        statement = statement.where(_visible_events(principal))
    return page.of(session, statement, CompetitionEvent.created_at, CompetitionEvent.id)


def _visible_events(principal: Principal | None) -> ColumnElement[bool]:
    event = CompetitionEvent
    seen_leagues = select(League.id).where(visible_leagues(principal))
    seen_divisions = select(Division.id).join(Division.league).where(visible_divisions(principal))
    is_public = and_(
        event.audience == EventAudience.PUBLIC,
        or_(event.league_id.is_(None), event.league_id.in_(seen_leagues)),
        or_(event.division_id.is_(None), event.division_id.in_(seen_divisions)),
    )
    if principal is None:
        return is_public
    own = and_(event.audience == EventAudience.USER, event.user_id == principal.user_id)
    if principal.player_id is not None:
        own = and_(own, or_(event.player_id.is_(None), event.player_id == principal.player_id))
    return or_(is_public, own)

"""The page of a person: policies, seasons, leagues, best results and last matches.

A person has a page once a policy of theirs, or a league in which they play, is visible to the caller; everyone may see
their own. The page is found by the name where the name identifies one person, and always by the id.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.tables.accounts import User
from observatory.database.tables.leagues import League, Membership
from observatory.database.tables.matches import Match, MatchPlayer
from observatory.database.tables.policies import Policy, PolicyVersion
from observatory.database.tables.seasons import Pool, PoolPlayer, Season
from observatory.errors import NotFound
from observatory.leagues import entries
from observatory.leagues.repository import visible_divisions, visible_leagues
from observatory.pages import front, repository
from observatory.pages.front_schemas import SeasonEntryLine
from observatory.pages.matches import match_line
from observatory.pages.names import author_name, names_of
from observatory.pages.people_schemas import BestResult, PersonPage
from observatory.pages.player_schemas import PlayerMembership, PlayerPolicy
from observatory.seasons.repository import visible as visible_seasons

__all__ = ["find_person", "has_page", "last_matches", "person_key", "person_page"]

MAX_POLICIES = 100
MAX_ENTRIES = 50
MAX_BEST = 5
MAX_MATCHES = 10


def has_page(principal: Principal | None) -> ColumnElement[bool]:
    """Select the users with a page that the caller may see."""
    uploaded = select(PolicyVersion.id).join(Policy, PolicyVersion.policy_id == Policy.id)
    plays = select(Membership.id).join(League, Membership.league_id == League.id)
    is_shown = or_(
        uploaded.where(Policy.user_id == User.id).correlate(User).exists(),
        plays.where(Membership.user_id == User.id, visible_leagues(principal)).correlate(User).exists(),
    )
    active: ColumnElement[bool] = User.disabled_at.is_(None) & is_shown
    return active if principal is None else or_(active, User.id == principal.user_id)


def find_person(session: Session, key: str, principal: Principal | None) -> User:
    """Return the person with an id, or the only one with a name."""
    user = session.scalar(select(User).where(User.id == key, has_page(principal)))
    if user is not None:
        return user
    named = session.scalars(select(User).where(User.name == key, has_page(principal)).limit(2)).all()
    if len(named) > 1:
        raise NotFound(f"Several people are called {key!r}; the search shows all of them")
    if not named:
        raise NotFound(f"There is no person {key!r} with policies here")
    return named[0]


def person_key(session: Session, user: User) -> str:
    """Return the last segment of the address of a person's page."""
    name = user.name or ""
    if not name or "/" in name or name in (".", ".."):
        return user.id
    same = select(func.count()).where(or_(User.name == name, User.id == name), User.id != user.id)
    return user.id if session.scalar(same) else name


def person_page(session: Session, key: str, principal: Principal | None) -> PersonPage:
    """Return the page of a person, as far as the caller may see it."""
    user = find_person(session, key, principal)
    seasons = front.season_entries_of(session, user.id, principal, MAX_ENTRIES)
    plays = entries.with_all().where(Membership.user_id == user.id, visible_divisions(principal))
    leagues = front.memberships(session, plays, MAX_ENTRIES)
    return PersonPage(
        id=user.id,
        key=person_key(session, user),
        name=author_name(user.name),
        mine=principal is not None and principal.user_id == user.id,
        since=user.created_at,
        policies=_policies(session, user),
        seasons=seasons,
        leagues=leagues,
        best=_best(seasons, _ended(session, seasons), leagues),
        matches=[match_line(match) for match in last_matches(session, user.id, principal, MAX_MATCHES)],
    )


def last_matches(session: Session, user_id: str, principal: Principal | None, limit: int) -> Sequence[Match]:
    """Return the matches with a policy of a user that ended last, in seasons that the caller may see."""
    own = (
        select(MatchPlayer.match_id)
        .join(PoolPlayer, MatchPlayer.pool_player_id == PoolPlayer.id)
        .join(PolicyVersion, PoolPlayer.policy_version_id == PolicyVersion.id)
        .join(Policy, PolicyVersion.policy_id == Policy.id)
        .where(Policy.user_id == user_id)
    )
    ended = (
        select(Match.id)
        .join(Pool, Match.pool_id == Pool.id)
        .join(Season, Pool.season_id == Season.id)
        .where(Match.id.in_(own), Match.completed_order.is_not(None), visible_seasons(principal))
        .order_by(Match.completed_order.desc())
        .limit(limit)
    )
    statement = repository.with_players().where(Match.id.in_(session.scalars(ended).all()))
    return session.scalars(statement.order_by(Match.completed_order.desc())).all()


def _policies(session: Session, user: User) -> list[PlayerPolicy]:
    statement = (
        select(PolicyVersion.policy_id, PolicyVersion.id, PolicyVersion.created_at)
        .join(Policy, PolicyVersion.policy_id == Policy.id)
        .where(Policy.user_id == user.id)
        .order_by(PolicyVersion.created_at.desc(), PolicyVersion.version.desc())
    )
    rows = session.execute(statement).all()
    versions = Counter(policy_id for policy_id, _, _ in rows)
    newest: dict[uuid.UUID, tuple[uuid.UUID, datetime]] = {}
    for policy_id, version_id, at in rows:
        newest.setdefault(policy_id, (version_id, at))
    shown = list(newest.items())[:MAX_POLICIES]
    names = names_of(session, [version_id for _, (version_id, _) in shown])
    return [
        PlayerPolicy(policy=names[version_id], versions=versions[policy_id], created_at=at)
        for policy_id, (version_id, at) in shown
    ]


def _ended(session: Session, seasons: Sequence[SeasonEntryLine]) -> set[str]:
    names = {line.season for line in seasons}
    statement = select(Season.name).where(Season.name.in_(names), Season.canonical, Season.completed_at.is_not(None))
    return set(session.scalars(statement))


def _best(seasons: Sequence[SeasonEntryLine], ended: set[str], leagues: Sequence[PlayerMembership]) -> list[BestResult]:
    """Return the best places in tables with at least two rows, each season and league once."""
    results = [
        BestResult(
            kind="season",
            title=line.display_name,
            url=f"/observatory/seasons/{line.season}",
            policy=line.policy,
            rank=line.rank,
            of=line.of,
            score=line.score,
            is_final=line.season in ended,
            at=line.entered_at,
        )
        for line in seasons
        if line.rank is not None and line.of > 1
    ]
    results += [
        BestResult(
            kind="league",
            title=f"{line.league.name}, {line.division.name}",
            url=f"/observatory/divisions/{line.division.id}",
            policy=line.policy,
            rank=line.rank,
            of=line.of,
            score=line.score,
            is_final=False,
            at=line.since,
        )
        for line in leagues
        if line.rank is not None and line.of > 1
    ]
    best: dict[str, BestResult] = {}
    for result in sorted(results, key=lambda result: (result.rank, -result.of)):
        best.setdefault(result.url, result)
    return list(best.values())[:MAX_BEST]

"""All queries for Coworlds, and who may see one: everyone a public one, its uploader and administrators a private one.

All other callers get 404, as if it did not exist.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, and_, false, or_, select, true
from sqlalchemy.orm import Session, joinedload

from observatory.accounts.principal import Principal
from observatory.coworlds.names import name_key
from observatory.cursors import CursorPage, Slice
from observatory.database.tables.coworlds import Certification, Coworld, Visibility
from observatory.database.tables.leagues import League, LeagueGame, LeagueSeed
from observatory.errors import Forbidden, NotFound
from observatory.public_ids import parse_public_id

__all__ = [
    "CoworldFilter",
    "canonical",
    "certification_of_job",
    "coworld",
    "coworlds",
    "leagues",
    "named",
    "owned",
    "seeds",
    "versions",
    "visible",
]


@dataclass(frozen=True)
class CoworldFilter:
    """Which Coworlds are listed; None leaves a field open."""

    name: str | None = None
    canonical: bool | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if self.name is not None:
            conditions.append(Coworld.name_key == name_key(self.name))
        if self.canonical is not None:
            conditions.append(Coworld.canonical.is_(self.canonical))
        return conditions


def visible(principal: Principal | None) -> ColumnElement[bool]:
    """Return the condition under which a caller may see a Coworld."""
    if principal is not None and principal.is_admin:
        return true()
    own = false() if principal is None else Coworld.user_id == principal.user_id
    return or_(Coworld.visibility == Visibility.PUBLIC, own)


def coworld(session: Session, public_id: str, principal: Principal | None) -> Coworld:
    """Return the Coworld with a public id such as `cow_...`."""
    row = session.scalar(_coworlds().where(Coworld.id == parse_public_id("cow", public_id), visible(principal)))
    if row is None:
        raise NotFound(f"There is no Coworld {public_id}")
    return row


def owned(session: Session, public_id: str, principal: Principal) -> Coworld:
    """As `coworld`; `Forbidden` unless it is the caller's, or the caller is an administrator."""
    row = coworld(session, public_id, principal)
    if row.user_id != principal.user_id and not principal.is_admin:
        raise Forbidden(f"{row.name} belongs to another user")
    return row


def coworlds(session: Session, filters: CoworldFilter, principal: Principal | None, page: CursorPage) -> Slice[Coworld]:
    """Return a page of Coworlds, newest first."""
    statement = _coworlds().where(visible(principal), *filters.conditions())
    return page.of(session, statement, Coworld.created_at, Coworld.id)


def versions(session: Session, name: str) -> Sequence[Coworld]:
    """Return all versions of a name, newest first, whoever may see them."""
    statement = _coworlds().where(Coworld.name_key == name_key(name))
    return session.scalars(statement.order_by(Coworld.created_at.desc(), Coworld.id.desc())).all()


def canonical(session: Session, name: str) -> Coworld | None:
    """Return the version of a name that leagues play, whoever may see it."""
    return session.scalar(_coworlds().where(Coworld.name_key == name_key(name), Coworld.canonical))


def named(session: Session, name: str, principal: Principal | None) -> Coworld:
    """Return the canonical version of a name, else its newest; `NotFound` if the caller may see none."""
    statement = _coworlds().where(Coworld.name_key == name_key(name), visible(principal))
    order = (Coworld.canonical.desc(), Coworld.created_at.desc(), Coworld.id.desc())
    row = session.scalar(statement.order_by(*order).limit(1))
    if row is None:
        raise NotFound(f"There is no Coworld called {name[:80]!r}")
    return row


def leagues(session: Session, coworld: Coworld, *, public: bool) -> list[League]:
    """Return the public leagues of a game that take entries, or all others, oldest first."""
    listed = (League.public, ~League.hidden, League.disabled_at.is_(None))
    statement = (
        select(League, LeagueGame.coworld_name)
        .join(LeagueGame, LeagueGame.id == League.game_id)
        .where(and_(*listed) if public else ~League.public)
        .order_by(League.created_at, League.id)
    )
    return [league for league, name in session.execute(statement) if name_key(name) == coworld.name_key]


def seeds(session: Session, leagues: Sequence[League]) -> list[LeagueSeed]:
    """Return the seeds of these leagues."""
    ids = [league.id for league in leagues]
    return list(
        session.scalars(select(LeagueSeed).where(LeagueSeed.league_id.in_(ids)).order_by(LeagueSeed.created_at))
    )


def certification_of_job(session: Session, job_id: uuid.UUID) -> Certification | None:
    return session.scalar(select(Certification).where(Certification.job_id == job_id))


def _coworlds() -> Select[Coworld]:
    return select(Coworld).options(joinedload(Coworld.certification))

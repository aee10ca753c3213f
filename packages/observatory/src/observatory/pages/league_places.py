"""The league in which a change happened, and whether everyone may know of it: event streams filter changes by this."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Select, false, select
from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database import Database
from observatory.database.tables.leagues import Division, League, Round
from observatory.events import Change, ChangeKind
from observatory.leagues import repository
from observatory.public_ids import parse_public_id

__all__ = ["LEAGUE_KINDS", "OF_ROUNDS", "Place", "Places", "league_id_of"]

OF_LEAGUES = frozenset({ChangeKind.LEAGUE, ChangeKind.LEAGUE_ENTRY})
OF_ROUNDS = frozenset({ChangeKind.ROUND, ChangeKind.ROUND_EPISODE})
LEAGUE_KINDS = OF_LEAGUES | OF_ROUNDS | {ChangeKind.DIVISION}
MAX_PLACES = 10_000


@dataclass(frozen=True)
class Place:
    """Where something happened."""

    league_id: uuid.UUID
    is_public: bool
    """everyone sees the league"""
    is_hidden: bool = False
    """in a hidden division"""


class Places:
    """The places of recently changed leagues, divisions and rounds, shared by all streams of a server."""

    def __init__(self) -> None:
        self._known: dict[uuid.UUID, Place] = {}
        self._version: tuple[int, ...] = ()
        self._lock = asyncio.Lock()

    async def of(self, database: Database, changes: Iterable[Change]) -> dict[uuid.UUID, Place]:
        """Return the places of all ids of these changes; forget all when a league has changed its visibility."""
        wanted = [change for change in changes if change.kind in LEAGUE_KINDS]
        if not wanted:
            return {}
        async with self._lock:
            version = database.changes.versions([ChangeKind.LEAGUE])
            if version != self._version or len(self._known) > MAX_PLACES:
                self._known, self._version = {}, version
            missing = [Change(change.kind, ids=ids) for change in wanted if (ids := change.ids - self._known.keys())]
            if missing:
                self._known |= await database.query(lambda session: _read(session, missing))
            return self._known


def _read(session: Session, changes: Iterable[Change]) -> dict[uuid.UUID, Place]:
    places: dict[uuid.UUID, Place] = {}
    for change in changes:
        for row_id, league_id, public, hidden, in_hidden in session.execute(_statement(change)):
            places[row_id] = Place(league_id, public and not hidden, in_hidden)
    return places


def _statement(change: Change) -> Select[uuid.UUID, uuid.UUID, bool, bool, bool]:
    """Select id, league, whether the league is public and hidden, and whether the division is hidden."""
    league = (League.id, League.public, League.hidden)
    if change.kind in OF_LEAGUES:
        return select(League.id, *league, false()).where(League.id.in_(change.ids))
    if change.kind is ChangeKind.DIVISION:
        statement = select(Division.id, *league, Division.hidden).join(Division.league)
        return statement.where(Division.id.in_(change.ids))
    statement = select(Round.id, *league, Division.hidden).join(Round.division).join(Division.league)
    return statement.where(Round.id.in_(change.ids))


def league_id_of(session: Session, text: str, principal: Principal | None) -> uuid.UUID:
    """Return the league of a public id of a league, a division or a round that the caller may see."""
    if text.startswith("div_"):
        return repository.division(session, parse_public_id("div", text), principal).league_id
    if text.startswith("round_"):
        return repository.round_(session, parse_public_id("round", text), principal).division.league_id
    return repository.league(session, parse_public_id("league", text), principal).id

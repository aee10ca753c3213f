"""Rounds as lists show them."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.cursors import CursorPage
from observatory.database.cache import cached_value
from observatory.database.tables.leagues import Division, Round
from observatory.events import ChangeKind
from observatory.leagues import repository
from observatory.leagues.repository import ACTIVE_ROUND, RoundFilter
from observatory.pages import league_queries as queries
from observatory.pages.league_schemas import DivisionRef, PlayerRef, RoundLine, RoundsPage
from observatory.pages.names import names_of
from observatory.public_ids import public_id
from observatory.rounds.reading import PLATFORM

__all__ = ["COMMISSIONED", "division_ref", "round_lines", "rounds_page"]

COMMISSIONED = "commissioner"
"""the kind of a round that a program of the game's author runs"""
_DEPENDENCIES = (
    ChangeKind.ACCOUNT,
    ChangeKind.COWORLD,
    ChangeKind.LEAGUE,
    ChangeKind.LEAGUE_ENTRY,
    ChangeKind.POLICY,
    ChangeKind.ROUND,
    ChangeKind.ROUND_EPISODE,
)


def division_ref(division: Division) -> DivisionRef:
    return DivisionRef(
        id=public_id("div", division.id),
        name=division.name,
        level=division.level,
        type=division.type.value,
        hidden=division.hidden,
    )


def rounds_page(session: Session, filters: RoundFilter, page: CursorPage, principal: Principal | None) -> RoundsPage:
    """Return a page of rounds, newest first. It is computed once for all who see the same divisions."""
    visible = repository.visible_ids(session, principal, league_id=filters.league_id)
    key = ("rounds page", filters, page, visible)
    return cached_value(session, key, _DEPENDENCIES, lambda: _rounds_page(session, filters, page, principal))


def _rounds_page(session: Session, filters: RoundFilter, page: CursorPage, principal: Principal | None) -> RoundsPage:
    rounds, total = repository.rounds(session, filters, page, principal)
    return RoundsPage(rows=round_lines(session, rounds.rows), total=total, next_cursor=rounds.next_cursor)


def round_lines(session: Session, rounds: Collection[Round]) -> list[RoundLine]:
    """Return rounds with their progress and winners."""
    if not rounds:
        return []
    numbers = queries.round_numbers(session, rounds)
    winners = queries.winners(session, [row.id for row in rounds])
    names = names_of(session, [version for _, _, version in winners.values()])
    lines = []
    for row in rounds:
        own = numbers[row.id]
        player_id, player_name, version = winners.get(row.id, (None, None, None))
        planned = row.round_config.get("episodes") if row.commissioner_key == PLATFORM else None
        episodes = planned if isinstance(planned, int) else own.attempts
        is_over = row.status not in ACTIVE_ROUND
        entrants = row.round_config.get("entrants")
        lines.append(
            RoundLine(
                id=public_id("round", row.id),
                number=row.round_number,
                division=division_ref(row.division),
                status=row.status,
                kind=str(row.round_config.get("kind", "ladder")) if row.commissioner_key == PLATFORM else COMMISSIONED,
                entrants=entrants if isinstance(entrants, int) else None,
                episodes=episodes,
                ended=episodes if is_over else max(0, episodes - own.running - own.waiting),
                failed=own.failed,
                running=own.running,
                waiting=own.waiting,
                winner=None if player_id is None else PlayerRef(id=player_id, name=player_name or player_id),
                winner_policy=None if version is None else names.get(version),
                error=row.error,
                created_at=row.created_at,
                started_at=row.started_at,
                completed_at=row.completed_at,
            )
        )
    return lines

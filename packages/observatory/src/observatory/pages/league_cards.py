"""Leagues and their divisions as cards: what they do now, and who leads."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.database.cache import cached_value
from observatory.database.tables.leagues import Division, DivisionType, League
from observatory.events import ChangeKind
from observatory.leagues import repository
from observatory.pages import league_queries as queries
from observatory.pages.boards import SCORE, board_of
from observatory.pages.league_queries import MemberNumbers
from observatory.pages.league_schemas import CoworldRef, DivisionCard, LeagueCard, RoundLine
from observatory.pages.league_states import division_state, league_state
from observatory.pages.names import names_of
from observatory.pages.round_lines import division_ref, round_lines
from observatory.public_ids import public_id
from observatory.rounds.loop import LeagueLoop

__all__ = ["Cards", "cards_of", "coworld_ref", "league_cards"]

BEST = 3
_DEPENDENCIES = (
    ChangeKind.ACCOUNT,
    ChangeKind.COWORLD,
    ChangeKind.LEAGUE,
    ChangeKind.LEAGUE_ENTRY,
    ChangeKind.POLICY,
    ChangeKind.ROUND,
    ChangeKind.ROUND_EPISODE,
    ChangeKind.DIVISION,
)


@dataclass(frozen=True)
class Cards:
    """The card of a league, and those of its divisions that the caller may see."""

    league: LeagueCard
    divisions: list[DivisionCard]
    problem: str | None
    """why the last conversation with its commissioner failed"""


def league_cards(session: Session, principal: Principal | None, loop: LeagueLoop) -> list[LeagueCard]:
    """Return all leagues that the caller may see: the game of the week first, then the newest."""
    leagues = repository.leagues(session, principal)
    divisions = repository.divisions(session, principal)
    cards = [found.league for found in cards_of(session, leagues, divisions, loop).values()]
    return sorted(cards, key=lambda card: not card.is_game_of_week)


def cards_of(
    session: Session,
    leagues: Sequence[League],
    divisions: Sequence[Division],
    loop: LeagueLoop,
) -> dict[uuid.UUID, Cards]:
    """Return the cards of leagues with these divisions, the same for all callers who see the same divisions."""
    key = ("league cards", *(row.id for row in leagues), *(row.id for row in divisions))
    return cached_value(session, key, _DEPENDENCIES, lambda: _cards_of(session, leagues, divisions, loop))


def _cards_of(
    session: Session, leagues: Sequence[League], divisions: Sequence[Division], loop: LeagueLoop
) -> dict[uuid.UUID, Cards]:
    """Compute cards in a constant number of queries."""
    division_ids = [division.id for division in divisions]
    active = queries.active_rounds(session, division_ids)
    lines = dict(zip((row.division_id for row in active), round_lines(session, active), strict=True))
    members = queries.member_numbers(session, division_ids)
    players = queries.player_counts(session, division_ids)
    completed = queries.completed_counts(session, division_ids)
    coworlds = queries.played_coworlds(session, leagues)
    situations = queries.situations(session, leagues)
    boards = {division.id: board for division in divisions if (board := board_of(session, division)) is not None}
    names = names_of(session, [version for board in boards.values() for version in board.versions(BEST)])
    found = {}
    for league in leagues:
        own = [division for division in divisions if division.league_id == league.id]
        cards = []
        for division in own:
            line = lines.get(division.id)
            board = boards.get(division.id)
            state, why, next_at = division_state(
                league, division, line, loop.last.get(division.id), situations[league.id]
            )
            numbers = members.get(division.id, MemberNumbers())
            cards.append(
                DivisionCard(
                    **dict(division_ref(division)),
                    description=division.description or "",
                    members=numbers.live,
                    champions=numbers.champions,
                    state=state,
                    why=why,
                    next_at=next_at,
                    round=line,
                    score_label=SCORE if board is None else board.label,
                    best=[] if board is None else board.best(BEST, names),
                )
            )
        card = _league_card(league, own, cards, players.get(league.id, 0), completed, coworlds.get(league.id))
        found[league.id] = Cards(card, cards, situations[league.id].problem)
    return found


def coworld_ref(league: League, coworld: tuple[uuid.UUID, str] | None) -> CoworldRef:
    return CoworldRef(
        name=league.game.name,
        coworld_name=league.game.coworld_name,
        coworld_id=None if coworld is None else public_id("cow", coworld[0]),
        version=None if coworld is None else coworld[1],
        description=league.game.description or "",
    )


def _league_card(
    league: League,
    divisions: Sequence[Division],
    cards: Sequence[DivisionCard],
    players: int,
    completed: dict[uuid.UUID, int],
    coworld: tuple[uuid.UUID, str] | None,
) -> LeagueCard:
    competitions = [card for card in cards if card.type == DivisionType.COMPETITION and card.best]
    top = max(competitions, key=lambda card: card.level, default=None)
    playing: list[RoundLine] = [card.round for card in cards if card.round is not None]
    return LeagueCard(
        id=public_id("league", league.id),
        name=league.name,
        game=coworld_ref(league, coworld),
        public=league.public,
        hidden=league.hidden,
        is_game_of_week=league.is_game_of_week,
        commissioner=league.commissioner_key,
        state=league_state(league, cards),
        players=players,
        members=sum(card.members for card in cards),
        divisions=len(cards),
        rounds=sum(completed.get(division.id, 0) for division in divisions),
        playing=playing,
        leader=None if top is None else top.best[0],
        leader_label=SCORE if top is None else top.score_label,
        best=[] if top is None else top.best,
        best_division=None if top is None else top.name,
        created_at=league.created_at,
    )

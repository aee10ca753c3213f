"""The page of a league: divisions, how to enter, rules, and the caller's own entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from observatory.accounts.principal import Principal
from observatory.cursors import CursorPage
from observatory.database.tables.accounts import User
from observatory.database.tables.leagues import CompetitionEvent, Division, League
from observatory.errors import Conflict
from observatory.leagues import entries, repository, service
from observatory.leagues.describing import describe
from observatory.leagues.entries import EventFilter
from observatory.leagues.guide import steps
from observatory.leagues.submissions import open_division, players_per_user
from observatory.leagues.wire import participation_url
from observatory.pages.league_cards import cards_of
from observatory.pages.league_entries import my_entries, refused_submissions
from observatory.pages.league_schemas import (
    EnterCommand,
    EventLine,
    EventsPage,
    LeagueLocksRead,
    LeaguePage,
    PlayerRef,
    RulesText,
)
from observatory.pages.names import author_name
from observatory.pages.round_lines import division_ref
from observatory.public_ids import public_id
from observatory.rounds.loop import LeagueLoop

__all__ = ["events_page", "league_page", "may_manage", "rules_of"]


def may_manage(league: League, principal: Principal | None) -> bool:
    """Return whether the caller may operate a league, as `repository.managed_league` decides."""
    if principal is None:
        return False
    return principal.is_admin or (league.user_id == principal.user_id and not principal.is_player)


def league_page(
    session: Session, league: League, principal: Principal | None, loop: LeagueLoop, base_url: str
) -> LeaguePage:
    divisions = repository.divisions(session, principal, league_id=league.id)
    cards = cards_of(session, [league], divisions, loop)[league.id]
    why_closed = _why_closed(session, league)
    manages = may_manage(league, principal)
    locks = service.locks(session, league)
    owner = session.get_one(User, league.user_id)
    return LeaguePage(
        **dict(cards.league),
        division_cards=cards.divisions,
        takes_policies=why_closed is None,
        why_closed=why_closed,
        players_per_user=players_per_user(session, league),
        guide_url=participation_url(base_url, league),
        commands=[
            EnterCommand(title=step.title, commands=list(step.commands)) for step in steps(session, league, base_url)
        ],
        rules=[rules for division in divisions if (rules := rules_of(division)) is not None],
        locks=LeagueLocksRead.model_validate(locks.model_dump()),
        paused_at=league.rounds_paused_at,
        owner=author_name(owner.name),
        commissioner_problem=cards.problem if manages else None,
        may_manage=manages,
        my_entries=[] if principal is None else my_entries(session, league, cards.divisions, divisions, principal),
        my_refused=[] if principal is None else refused_submissions(session, league, principal),
    )


def _why_closed(session: Session, league: League) -> str | None:
    try:
        open_division(session, league)
    except Conflict as refusal:
        return refusal.message
    return None


def rules_of(division: Division) -> RulesText | None:
    """Return how a division is played; None if neither its commissioner nor the ladder says it."""
    described = describe(division)
    if described is None:
        return None
    changelog = described.get("changelog")
    return RulesText(
        division=division_ref(division),
        **{key: _text(described.get(key)) for key in _RULES},
        changelog=[entry for entry in changelog if isinstance(entry, dict)] if isinstance(changelog, list) else [],
    )


_RULES = ("round_schedule", "next_round", "round_structure", "leaderboard_rules", "scoring_mechanics")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def events_page(session: Session, filters: EventFilter, page: CursorPage, principal: Principal | None) -> EventsPage:
    """Return what happened, newest first."""
    found = entries.events(session, filters, page, principal)
    return EventsPage(rows=event_lines(found.rows), next_cursor=found.next_cursor)


def event_lines(events: Sequence[CompetitionEvent]) -> list[EventLine]:
    return [
        EventLine(
            id=str(event.id),
            kind=event.event_type,
            headline=event.headline,
            summary=event.summary,
            player=None if event.player is None else PlayerRef(id=event.player.id, name=event.player.name),
            division=None if event.division is None else division_ref(event.division),
            round_id=None if event.round_id is None else public_id("round", event.round_id),
            at=event.created_at,
        )
        for event in events
    ]

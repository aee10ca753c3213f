"""The page of a round: plan, progress, results, moves, and what its commissioner left."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from observatory.accounts.principal import Principal
from observatory.database.tables.leagues import CompetitionEvent, EventAudience, Round, RoundResult
from observatory.leagues.describing import structure
from observatory.leagues.ladder_settings import Scheduler
from observatory.pages import league_queries as queries
from observatory.pages.league_cards import coworld_ref
from observatory.pages.league_schemas import LeagueRef, PlayerRef
from observatory.pages.leagues import may_manage
from observatory.pages.names import names_of
from observatory.pages.round_episodes import entrants_of
from observatory.pages.round_lines import COMMISSIONED, round_lines
from observatory.pages.round_schemas import RoundCommissioner, RoundFact, RoundMove, RoundPage, RoundResultLine
from observatory.public_ids import public_id

__all__ = ["render_of", "round_page"]

MOVES = (
    "membership_promoted",
    "membership_relegated",
    "membership_disqualified",
    "membership_retired",
)
MAX_FACT_CHARACTERS = 2000
_RATINGS = {"elo": "Elo", "openskill": "MMR"}
_SHOWN = ("notes", "warnings", "observability")


def round_page(
    session: Session, round_: Round, principal: Principal | None, *, render_url: str | None = None
) -> RoundPage:
    """Return a round; `render_url` is the address of its commissioner's own report."""
    league = round_.division.league
    [line] = round_lines(session, [round_])
    neighbours = _neighbours(session, round_)
    ranking = round_.round_config.get("ranking")
    has_ratings = any("rating_after" in result.result_metadata for result in round_.results)
    attempts = queries.round_numbers(session, [round_])[round_.id].attempts
    return RoundPage(
        **dict(line),
        league=LeagueRef(id=public_id("league", league.id), name=league.name),
        game=coworld_ref(league, queries.played_coworlds(session, [league]).get(league.id)),
        previous_id=neighbours.get(round_.round_number - 1),
        next_id=neighbours.get(round_.round_number + 1),
        structure=_structure(round_, line.kind),
        ranking=ranking if isinstance(ranking, str) else None,
        rating_label=_RATINGS.get(str(ranking), "Standing") if has_ratings else None,
        retries=max(0, attempts - line.episodes) if line.kind != COMMISSIONED else 0,
        participants=entrants_of(session, round_),
        results=_results(session, round_.results),
        moves=_moves(session, round_),
        commissioner=_commissioner(round_, render_url) if line.kind == COMMISSIONED else None,
        may_manage=may_manage(league, principal),
    )


def _neighbours(session: Session, round_: Round) -> dict[int, str]:
    """Return the rounds before and after this one in its division, by number."""
    numbers = (round_.round_number - 1, round_.round_number + 1)
    statement = select(Round.round_number, Round.id).where(
        Round.division_id == round_.division_id, Round.round_number.in_(numbers)
    )
    return {row[0]: public_id("round", row[1]) for row in session.execute(statement)}


def _structure(round_: Round, kind: str) -> str:
    """Say in words how the seats of a round are drawn."""
    if kind == COMMISSIONED:
        return "The commissioner of the league seats the entrants"
    if kind == "qualification":
        return "Each new member plays one episode against itself"
    if kind == "grading":
        return "Each champion plays alone, on the same seeds as all others"
    try:
        return structure(_SCHEDULER.validate_python(round_.round_config.get("scheduler")))
    except ValidationError:  # a row of an older release
        return "Champions of the division meet"


_SCHEDULER: TypeAdapter[Scheduler] = TypeAdapter(Scheduler)


def _results(session: Session, results: Sequence[RoundResult]) -> list[RoundResultLine]:
    names = names_of(session, [result.policy_version_id for result in results])
    lines = []
    for result in results:
        metadata = result.result_metadata
        player = result.player
        lines.append(
            RoundResultLine(
                rank=result.rank,
                player=None if player is None else PlayerRef(id=player.id, name=player.name),
                policy=names[result.policy_version_id],
                score=result.score,
                rating_before=_number(metadata.get("rating_before")),
                rating_after=_number(metadata.get("rating_after")),
                episodes=_integer(metadata.get("episodes")),
                forfeits=_integer(metadata.get("forfeits")),
                won=_number(metadata.get("won")),
            )
        )
    return lines


def _moves(session: Session, round_: Round) -> list[RoundMove]:
    event = CompetitionEvent
    statement = (
        select(event)
        .where(
            event.round_id == round_.id,
            event.league_id == round_.division.league_id,
            event.event_type.in_(MOVES),
            event.audience == EventAudience.PUBLIC,
        )
        .options(joinedload(event.player))
        .order_by(event.created_at, event.id)
    )
    return [
        RoundMove(
            kind=row.event_type.removeprefix("membership_"),
            headline=row.headline,
            why=row.summary,
            player=None if row.player is None else PlayerRef(id=row.player.id, name=row.player.name),
        )
        for row in session.scalars(statement)
    ]


def _commissioner(round_: Round, render_url: str | None) -> RoundCommissioner:
    """Return what a program left in the display of a round. Its author chose all of it, so nothing is trusted."""
    display = round_.round_display or {}
    observed = display.get("observability")
    observed = observed if isinstance(observed, dict) else {}
    warnings = display.get("warnings")
    entrants = observed.get("entrants")
    return RoundCommissioner(
        notes=_text(display.get("notes")),
        warnings=[str(warning) for warning in warnings] if isinstance(warnings, list) else [],
        rule=_text(observed.get("rule_id")),
        rule_description=_text(observed.get("rule_description")),
        observed=[entry for entry in entrants if isinstance(entry, dict)] if isinstance(entrants, list) else [],
        render_url=render_url,
        facts=[RoundFact(name=key, text=_fact(value)) for key, value in display.items() if key not in _SHOWN],
    )


def render_of(round_: Round) -> str | None:
    """Return the report that a commissioner wrote about a round, as HTML that is not trusted."""
    observed = (round_.round_display or {}).get("observability")
    html = observed.get("render_html") if isinstance(observed, dict) else None
    return html if isinstance(html, str) and html.strip() else None


def _fact(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_FACT_CHARACTERS else f"{text[:MAX_FACT_CHARACTERS]}…"


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None

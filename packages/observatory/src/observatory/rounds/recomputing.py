"""Compute the ratings of a league again from the logs of its rounds, and compare them bit by bit."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, selectinload

from observatory import events
from observatory.database.tables.leagues import Division, LadderRating, League, Round
from observatory.events import Change, ChangeKind
from observatory.ladder.rating import Standing
from observatory.rounds.decisions import rate
from observatory.rounds.facts import FrozenRound, RoundKind
from observatory.rounds.settling import read_log, result_rows

__all__ = ["RecomputedLeague", "recompute_league", "repair_ratings"]


@dataclass
class RecomputedLeague:
    """The ratings that follow from the logs, and the differences from the stored ones, in sentences."""

    rounds: int = 0
    results: int = 0
    differences: list[str] = field(default_factory=list)
    standings: dict[str, Standing] = field(default_factory=dict)
    last_rounds: dict[str, uuid.UUID] = field(default_factory=dict)
    """by player: the round that changed its standing last"""


def recompute_league(session: Session, league: League) -> RecomputedLeague:
    """Fold all settled rounds of a league in the order in which they were settled."""
    found = RecomputedLeague()
    statement = (
        select(Round)
        .join(Round.division)
        .where(Division.league_id == league.id, Round.settled_order.is_not(None))
        .options(selectinload(Round.results))
        .order_by(Round.settled_order)
    )
    for round_ in session.scalars(statement):
        assert round_.plan is not None and round_.log is not None
        plan = FrozenRound.read(round_.plan)
        if plan.kind is not RoundKind.QUALIFICATION:
            _fold(found, round_, plan, round_.log)
    stored = {row.player_id: row for row in session.scalars(_ratings(league))}
    for player_id in sorted(stored.keys() | found.standings.keys()):
        standing = found.standings.get(player_id)
        expected = None if standing is None else standing.stored()
        row = stored.get(player_id)
        if (None if row is None else row.standing) != expected:
            found.differences.append(f"The standing of player {player_id} differs: {_difference(row, expected)}")
    return found


def repair_ratings(session: Session, league: League, found: RecomputedLeague) -> int:
    """Write the standings that follow from the logs; return how many were wrong. Results of rounds stay as they are."""
    stored = {row.player_id: row for row in session.scalars(_ratings(league))}
    repaired = 0
    for player_id, standing in found.standings.items():
        row = stored.get(player_id) or LadderRating(league_id=league.id, player_id=player_id)
        if row.standing != standing.stored():
            row.standing, row.round_id = standing.stored(), found.last_rounds[player_id]
            session.add(row)
            repaired += 1
    for player_id in stored.keys() - found.standings.keys():
        session.delete(stored[player_id])
        repaired += 1
    session.flush()
    if repaired:
        events.note(session, Change(ChangeKind.ROUND))
    return repaired


def _ratings(league: League) -> Select[LadderRating]:
    return select(LadderRating).where(LadderRating.league_id == league.id)


def _fold(found: RecomputedLeague, round_: Round, plan: FrozenRound, log: list[Any]) -> None:
    division_id, number = round_.division_id, round_.round_number
    rated = rate(plan, read_log(log), found.standings, division_id, number, round_.created_at)
    rows = result_rows(plan, rated)
    expected = {plan.entrants[position].policy_version_id: row for position, row in rows.items()}
    stored = {
        result.policy_version_id: {
            "rank": result.rank,
            "score": result.score,
            "result_metadata": result.result_metadata,
        }
        for result in round_.results
    }
    for version in expected.keys() | stored.keys():
        found.results += 1
        if stored.get(version) != expected.get(version):
            sentence = f"Round {number} of div_{division_id} has another result for the policy version {version}"
            found.differences.append(sentence)
    found.rounds += 1
    for position, one in rated.items():
        player_id = plan.entrants[position].player_id
        found.standings[player_id] = Standing(**one.after.stored())
        found.last_rounds[player_id] = round_.id


def _difference(row: LadderRating | None, expected: dict[str, Any] | None) -> str:
    if row is None:
        return "it is missing"
    if expected is None:
        return "no round explains it"
    names = [name for name in expected if row.standing.get(name) != expected[name]]
    return ", ".join(f"{name} is {row.standing.get(name)!r}, not {expected[name]!r}" for name in names)

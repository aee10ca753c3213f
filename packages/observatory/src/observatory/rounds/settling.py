"""Settle a round in one transaction: results, ratings, the table, moves and events."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory import events
from observatory.database.tables.leagues import (
    Division,
    LadderRating,
    Membership,
    MembershipStatus,
    Round,
    RoundResult,
    RoundStatus,
)
from observatory.events import Change, ChangeKind
from observatory.ladder.moves import Move
from observatory.ladder.rating import RatedRound, displayed
from observatory.ladder.scoring import CountedEpisode
from observatory.leagues import champions, entries
from observatory.leagues.competition_events import EventType, publish_membership_event, publish_round_event
from observatory.leagues.disqualifying import disqualify
from observatory.leagues.repository import is_live
from observatory.leagues.submissions import champion_if_wanted
from observatory.rounds.boards import BoardEntry, board, ranks
from observatory.rounds.decisions import Settle
from observatory.rounds.facts import FrozenRound, RoundKind
from observatory.rounds.reading import read_standings

__all__ = ["read_log", "result_rows", "settle", "write_log"]


def settle(session: Session, round_: Round, decision: Settle, *, now: datetime) -> None:
    """Complete a round whose episodes have all ended."""
    plan, division = decision.plan, round_.division
    round_.log = write_log(decision.counted)
    round_.settled_order = (session.scalar(select(func.max(Round.settled_order))) or 0) + 1
    round_.status, round_.completed_at = RoundStatus.COMPLETED, now
    divisions = [division]
    if plan.kind is RoundKind.QUALIFICATION:
        _qualify(session, round_, decision, now=now)
    else:
        for position, row in result_rows(plan, decision.rated).items():
            member = plan.entrants[position]
            session.add(
                RoundResult(
                    round_id=round_.id,
                    policy_version_id=member.policy_version_id,
                    player_id=member.player_id,
                    created_at=now,
                    **row,
                )
            )
        _store_standings(session, round_, plan, decision.rated)
        divisions += _move(session, round_, plan, decision.moves, now=now)
        for changed in divisions:
            _publish_board(session, changed, round_, plan, now=now)
    headline = f"Round {round_.round_number} of {division.name} in {division.league.name} is over"
    summary = _summary(session, decision)
    publish_round_event(session, "round_completed", round_, headline, now=now, summary=summary)
    session.flush()
    for changed in divisions:
        events.note(session, Change(ChangeKind.ROUND, ids=frozenset({round_.id}), division=changed.id))


def write_log(counted: tuple[CountedEpisode | None, ...]) -> list[Any]:
    """Return the log of a round: for each planned episode the entrants that counted and their scores."""
    return [
        None
        if one is None
        else {"scores": [[entrant, score + 0.0] for entrant, score in one.scores], "forfeit": one.forfeit}
        for one in counted
    ]


def read_log(log: list[Any]) -> list[CountedEpisode | None]:
    return [
        None
        if one is None
        else CountedEpisode(tuple((entrant, float(score)) for entrant, score in one["scores"]), one["forfeit"])
        for one in log
    ]


def result_rows(plan: FrozenRound, rated: Mapping[int, RatedRound]) -> dict[int, dict[str, Any]]:
    """Return rank, score and metadata of each entrant; the best round score is first, equal ones share a rank."""
    ranking = plan.ladder.ranking
    scores = [one.score.score for one in rated.values()]
    rows: dict[int, dict[str, Any]] = {}
    for position, one in sorted(rated.items(), key=lambda pair: (-pair[1].score.score, pair[0])):
        metadata: dict[str, Any] = {
            "seed_order": position,
            "episodes": one.score.episodes,
            "forfeits": one.score.forfeits,
            "won": one.score.won,
            "rating_before": displayed(ranking, one.before) + 0.0,
            "rating_after": displayed(ranking, one.after) + 0.0,
        }
        if one.after.sigma is not None:
            metadata |= {"mu": one.after.rating + 0.0, "sigma": one.after.sigma}
        rank = 1 + sum(other > one.score.score for other in scores)
        rows[position] = {"rank": rank, "score": one.score.score + 0.0, "result_metadata": metadata}
    return rows


def _store_standings(session: Session, round_: Round, plan: FrozenRound, rated: Mapping[int, RatedRound]) -> None:
    league_id = round_.division.league_id
    players = [plan.entrants[position].player_id for position in rated]
    statement = select(LadderRating).where(LadderRating.league_id == league_id, LadderRating.player_id.in_(players))
    rows = {row.player_id: row for row in session.scalars(statement)}
    for player_id, one in zip(players, rated.values(), strict=True):
        if player_id not in rows:
            rows[player_id] = LadderRating(league_id=league_id, player_id=player_id)
            session.add(rows[player_id])
        rows[player_id].standing, rows[player_id].round_id = one.after.stored(), round_.id
    session.flush()


def _publish_board(session: Session, division: Division, round_: Round, plan: FrozenRound, *, now: datetime) -> None:
    """Publish the table of the champions that are in a division now and have played, and their changes of rank."""
    before, ranking = ranks(division.leaderboards), plan.ladder.ranking
    here = {member.player_id: member for member in entries.champions_in(session, division.id)}
    standings = read_standings(session, division.league_id, list(here))
    found = [
        BoardEntry(player_id, member.player.name, member.policy_version_id, standings[player_id])
        for player_id, member in here.items()
        if player_id in standings and standings[player_id].algorithm == ranking.algorithm
    ]
    division.leaderboards = board(ranking, found)
    for player_id, rank in ranks(division.leaderboards).items():
        if before.get(player_id) not in (None, rank):
            member = here[player_id]
            headline = f"{member.player.name} is number {rank} of {division.name}, after {before[player_id]}"
            payload = {"from": before[player_id], "to": rank}
            publish_membership_event(
                session, "rank_changed", member, headline, now=now, payload=payload, round_id=round_.id
            )


def _move(
    session: Session, round_: Round, plan: FrozenRound, found: tuple[Move, ...], *, now: datetime
) -> list[Division]:
    """Apply moves; return the divisions that have new members."""
    targets: dict[uuid.UUID, Division] = {}
    members = {member.player_id: member.membership_id for member in plan.entrants}
    for move in found:
        membership = _live(session, members[move.player_id], round_.division_id)
        if membership is None:
            continue  # it has left since the round began
        if move.kind == "disqualified":
            disqualify(session, membership, move.why, now=now, round_id=round_.id)
            continue
        assert move.to is not None
        target = session.get_one(Division, uuid.UUID(move.to))
        targets[target.id] = target
        champions.transfer(session, membership, target, move.why, now=now)
        kind: EventType = "membership_promoted" if move.kind == "promoted" else "membership_relegated"
        way = "up" if move.kind == "promoted" else "down"
        headline = f"{champions.label(membership)} moved {way} to {target.name}"
        publish_membership_event(session, kind, membership, headline, now=now, summary=move.why, round_id=round_.id)
    return list(targets.values())


def _live(session: Session, membership_id: uuid.UUID, division_id: uuid.UUID) -> Membership | None:
    conditions = (Membership.id == membership_id, Membership.division_id == division_id, is_live())
    return session.scalar(entries.with_all().where(*conditions))


def _qualify(session: Session, round_: Round, decision: Settle, *, now: datetime) -> None:
    """Let members that have passed compete in the lowest competition; the others are out."""
    plan, league_id = decision.plan, round_.division.league_id
    target = entries.lowest_competition(session, league_id)
    for position in decision.passed:
        membership = _live(session, plan.entrants[position].membership_id, round_.division_id)
        if membership is None or target is None:
            continue
        membership.status, membership.substatus = MembershipStatus.COMPETING, champions.BENCHED
        champions.transfer(session, membership, target, "Qualified", now=now)
        headline = f"{champions.label(membership)} qualified for {target.name}"
        publish_membership_event(session, "membership_promoted", membership, headline, now=now, round_id=round_.id)
        champion_if_wanted(session, membership, now=now)
    for position, why in (decision.rejected or {}).items():
        membership = _live(session, plan.entrants[position].membership_id, round_.division_id)
        if membership is not None:
            disqualify(session, membership, why, now=now, round_id=round_.id)


def _summary(session: Session, decision: Settle) -> str:
    if decision.plan.kind is RoundKind.QUALIFICATION:
        return f"{len(decision.passed)} qualified, {len(decision.rejected or {})} did not"
    played = sum(one is not None for one in decision.counted)
    return f"{len(decision.rated)} entrants, {played} of {len(decision.counted)} episodes counted"

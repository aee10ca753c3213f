"""After a round, ask its commissioner for moves, for the leaderboard, and for a description of the division.

A commissioner does not have to answer: a question that ends its connection is not asked again, and one that it
refused not after later rounds either.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory import events
from observatory.commissioners import facts, members
from observatory.commissioners.results import board_of
from observatory.commissioners.runs import ProtocolBroken, end_run, progress_of, send, start_run
from observatory.commissioners.scheduling import create_rounds, program_of_run
from observatory.database.tables.commissioners import CommissionerPhase, CommissionerRun, CommissionerRunStatus
from observatory.database.tables.leagues import Round, RoundStatus
from observatory.events import Change, ChangeKind
from observatory.leagues.entries import live_memberships

__all__ = ["open_run", "receive", "refuse_question", "skip_question", "start_review"]

QUESTIONS = ("round_completed", "rank_division", "describe_division")


def open_run(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    """Ask the next question."""
    question = run.plan["questions"][0]
    send(session, run, f"{question}_request", _ASKED[question](session, run), now=now)


def receive(session: Session, run: CommissionerRun, message: dict[str, Any], *, now: datetime) -> None:
    """Take an answer, and ask the next question or end."""
    question = run.plan["questions"][0]
    if message["type"] != f"{question}_response":
        raise ProtocolBroken(f"{message['type']} does not answer {question}_request")
    _TAKEN[question](session, run, message, now)
    if skip_question(session, run, now=now):
        open_run(session, run, now=now)


def start_review(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    """Queue the questions after a round."""
    refused = progress_of(session, run.league).refused
    questions = [question for question in QUESTIONS if question not in refused]
    if not questions:
        return
    program = program_of_run(session, run)
    phase, plan = CommissionerPhase.REVIEW, {"questions": questions}
    start_run(session, run.league, program, phase, now=now, round_=run.round, plan=plan)


def refuse_question(session: Session, run: CommissionerRun) -> None:
    """Remember that this version does not answer the current question."""
    progress = progress_of(session, run.league)
    if progress.version == run.version:
        progress.refused = [*progress.refused, run.plan["questions"][0]]


def skip_question(session: Session, run: CommissionerRun, *, now: datetime) -> bool:
    """Drop the current question; return whether there is another one. Without one the conversation ends."""
    left = run.plan["questions"][1:]
    run.plan = {**run.plan, "questions": left}
    if not left:
        end_run(session, run, CommissionerRunStatus.COMPLETED, now=now)
    session.flush()
    return bool(left)


def _round(run: CommissionerRun) -> Round:
    assert run.round is not None
    return run.round


def _ask_completed(session: Session, run: CommissionerRun) -> dict[str, Any]:
    league, round_ = run.league, _round(run)
    division = round_.division
    earlier = facts.recent_rounds(session, league, division=division, status=RoundStatus.COMPLETED)
    memberships = facts.memberships(session, league)
    return {
        "league": facts.league_info(league),
        "division": facts.division_info(division),
        "all_divisions": [facts.division_info(row) for row in facts.open_divisions(session, league)],
        "round_config": round_.round_config,
        "round_results": facts.recent_results([round_]),
        "division_memberships": [row for row in memberships if row["division_id"] == str(division.id)],
        "recent_results": facts.recent_results(earlier),
        "commissioner_config": facts.league_info(league)["commissioner_config"],
    }


def _take_completed(session: Session, run: CommissionerRun, message: dict[str, Any], now: datetime) -> None:
    league = run.league
    memberships = {row.id: row for row in live_memberships(session, league.id)}
    divisions = {row.id: row for row in facts.open_divisions(session, league)}
    wanted = message["policy_membership_events"]
    wanted = wanted or members.as_events(message["membership_changes"], memberships)
    members.check_events(wanted, memberships, divisions)
    members.apply_events(session, league, wanted, memberships, divisions, now=now, round_id=run.round_id)
    create_rounds(session, league, program_of_run(session, run), message["follow_up_rounds"], now=now)


def _ask_ranks(session: Session, run: CommissionerRun) -> dict[str, Any]:
    league, division = run.league, _round(run).division
    recent = facts.recent_rounds(session, league, division=division)
    completed = [row for row in recent if row.status is RoundStatus.COMPLETED]
    results = [row for row in facts.recent_results(completed) if row["player_id"] is not None]
    return {
        "league": facts.league_info(league),
        "division": facts.division_info(division),
        "completed_rounds": [facts.round_info(row) for row in completed],
        "recent_rounds": [facts.round_info(row) for row in recent],
        "round_results": results,
    }


def _take_ranks(session: Session, run: CommissionerRun, message: dict[str, Any], now: datetime) -> None:
    if not any(view["rows"] for view in message["views"]):
        return  # an empty board would hide the results
    live = live_memberships(session, run.league_id)
    players = {str(row.policy_version_id): row.player_id for row in live}
    names = {row.player_id: row.player.name for row in live}
    round_ = _round(run)
    round_.division.leaderboards = board_of(message, players, names)
    session.flush()
    events.note(session, Change(ChangeKind.ROUND, ids=frozenset({round_.id})))


def _ask_description(session: Session, run: CommissionerRun) -> dict[str, Any]:
    league, division = run.league, _round(run).division
    return {
        "league": facts.league_info(league),
        "division": facts.division_info(division),
        "active_memberships": facts.memberships(session, league),
        "recent_rounds": [facts.round_info(row) for row in facts.recent_rounds(session, league, division=division)],
    }


def _take_description(session: Session, run: CommissionerRun, message: dict[str, Any], now: datetime) -> None:
    _round(run).division.commissioner_description = message["description"]
    session.flush()
    events.note(session, Change(ChangeKind.LEAGUE, ids=frozenset({run.league_id})))


_ASKED = {
    "round_completed": _ask_completed,
    "rank_division": _ask_ranks,
    "describe_division": _ask_description,
}
_TAKEN = {
    "round_completed": _take_completed,
    "rank_division": _take_ranks,
    "describe_division": _take_description,
}

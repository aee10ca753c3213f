"""Ask a commissioner which rounds to play, and create them."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from observatory import events
from observatory.commissioners import facts
from observatory.commissioners.programs import CONTAINER, Program
from observatory.commissioners.runs import ProtocolBroken, end_run, progress_of, send, start_run
from observatory.database.tables.commissioners import CommissionerPhase, CommissionerRun, CommissionerRunStatus
from observatory.database.tables.coworlds import Coworld
from observatory.database.tables.leagues import DivisionType, League, Round, RoundStatus
from observatory.events import Change, ChangeKind
from observatory.leagues.entries import live_memberships
from observatory.leagues.repository import has_active_round
from observatory.leagues.windows import PERSISTENT_PLAYERS

__all__ = ["QUESTION", "create_rounds", "open_run", "program_of_run", "receive", "refuse", "schedule_due_rounds"]

QUESTION = "schedule_rounds"
INTERVAL = "schedule_interval_minutes"
"""key of `commissioner_config`"""
DEFAULT_MINUTES = 10
LEAST_CHAMPIONS = 2
_PLAIN: dict[str, Any] = {
    "round_config": {},
    "execution_backend": "dispatch",
    "notes": None,
    "idempotency_key": None,
    "recorded_episodes": [],
}


def open_run(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    """Ask for rounds."""
    league = run.league
    content = {
        "league": facts.league_info(league),
        "divisions": [facts.division_info(row) for row in facts.open_divisions(session, league)],
        "active_memberships": facts.memberships(session, league),
        "recent_rounds": [facts.round_info(row) for row in facts.recent_rounds(session, league)],
    }
    send(session, run, "schedule_rounds_request", content, now=now)


def receive(session: Session, run: CommissionerRun, message: dict[str, Any], *, now: datetime) -> None:
    """Create the rounds, and store which players should have lasting games."""
    if message["type"] != "schedule_rounds_response":
        raise ProtocolBroken(f"{message['type']} does not answer schedule_rounds_request")
    league = run.league
    create_rounds(session, league, program_of_run(session, run), message["rounds"], now=now)
    if message["persistent_players"] != league.state.get(PERSISTENT_PLAYERS, []):
        league.state = {**league.state, PERSISTENT_PLAYERS: message["persistent_players"]}
    end_run(session, run, CommissionerRunStatus.COMPLETED, now=now)


def refuse(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    """The program does not know the question, as those of the first generation: the server schedules its rounds."""
    progress = progress_of(session, run.league)
    if progress.version == run.version:
        progress.refused = [*progress.refused, QUESTION]
    schedule_due_rounds(session, run.league, program_of_run(session, run), now=now)
    end_run(session, run, CommissionerRunStatus.COMPLETED, now=now)


def schedule_due_rounds(session: Session, league: League, program: Program, *, now: datetime) -> None:
    """Create a round in each competition that has two champions, once in an interval or after `trigger-round`."""
    minutes = league.settings.get("round_interval_minutes") or league.commissioner_config.get(INTERVAL)
    interval = timedelta(minutes=minutes if isinstance(minutes, int | float) and minutes > 0 else DEFAULT_MINUTES)
    champions = Counter(row.division_id for row in live_memberships(session, league.id) if row.is_champion)
    specs = []
    for division in facts.open_divisions(session, league):
        created = select(func.max(Round.created_at)).where(Round.division_id == division.id)
        last = session.scalar(created)
        is_triggered = last is not None and league.round_triggered_at is not None and last < league.round_triggered_at
        is_due = last is None or is_triggered or now >= last + interval
        if division.type is DivisionType.COMPETITION and champions[division.id] >= LEAST_CHAMPIONS and is_due:
            specs.append({**_PLAIN, "division_id": str(division.id)})
    create_rounds(session, league, program, specs, now=now)


def program_of_run(session: Session, run: CommissionerRun) -> Program:
    return Program(session.get_one(Coworld, run.coworld_id), run.runnable_id, run.version)


def create_rounds(
    session: Session, league: League, program: Program, specs: Sequence[dict[str, Any]], *, now: datetime
) -> None:
    """Create a round and its conversation for each spec.

    A spec is dropped if its division does not exist, is archived or has an active round, or if its key was used.
    """
    if league.rounds_paused_at is not None or league.disabled_at is not None:
        return
    divisions = {division.id: division for division in facts.open_divisions(session, league)}
    for spec in specs:
        division = divisions.get(uuid.UUID(spec["division_id"]))
        key = spec["idempotency_key"]
        if division is None or has_active_round(session, division.id) or _is_used(session, league, key):
            continue
        config = {name: value for name, value in spec["round_config"].items() if value is not None}
        round_ = Round(
            division_id=division.id,
            round_number=_last_number(session, division.id) + 1,
            commissioner_key=CONTAINER,
            execution_backend=spec["execution_backend"][:32],
            round_config=config,
            round_display=None if spec["notes"] is None else {"notes": spec["notes"]},
            status=RoundStatus.PENDING,
            created_at=now,
        )
        round_.division = division
        session.add(round_)
        session.flush()
        events.note(session, Change(ChangeKind.ROUND, ids=frozenset({round_.id})))
        plan = {"recorded_episodes": spec["recorded_episodes"]}
        phase = CommissionerPhase.ROUND
        start_run(session, league, program, phase, now=now, round_=round_, idempotency_key=key, plan=plan)


def _is_used(session: Session, league: League, key: str | None) -> bool:
    if key is None:
        return False
    same = (CommissionerRun.league_id == league.id, CommissionerRun.idempotency_key == key)
    return session.scalar(select(CommissionerRun.id).where(*same)) is not None


def _last_number(session: Session, division_id: uuid.UUID) -> int:
    return session.scalar(select(func.max(Round.round_number)).where(Round.division_id == division_id)) or 0

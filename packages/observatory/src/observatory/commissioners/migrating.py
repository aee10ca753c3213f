"""The first conversation with a commissioner: it says which divisions there are, and who belongs where.

The divisions that it names exist from its second answer on, with the moves, all in one transaction. Divisions that it
does not name are archived; a live member that would stay in one of them makes the migration fail.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from observatory import events
from observatory.commissioners import facts, members
from observatory.commissioners.runs import ProtocolBroken, end_run, progress_of, send
from observatory.database import new_id
from observatory.database.tables.commissioners import CommissionerRun, CommissionerRunStatus
from observatory.database.tables.leagues import Division, DivisionType
from observatory.events import Change, ChangeKind
from observatory.leagues import repository
from observatory.leagues.entries import live_memberships

__all__ = ["keep_divisions", "open_run", "receive"]

MAX_DIVISIONS = 100


def open_run(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    """Ask which divisions there are."""
    divisions = [facts.division_info(row) for row in facts.open_divisions(session, run.league)]
    run.plan = {}
    content = {"league": facts.league_info(run.league), "divisions": divisions}
    send(session, run, "league_migration_config_request", content, now=now)


def receive(session: Session, run: CommissionerRun, message: dict[str, Any], *, now: datetime) -> None:
    """Take the divisions, then the moves."""
    match message["type"], "divisions" in run.plan:
        case "league_migration_config_response", False:
            run.plan = {"divisions": _planned(run, message["divisions"])}
            content = {
                "league": facts.league_info(run.league),
                "divisions": [{key: row[key] for key in _INFO} for row in run.plan["divisions"]],
                "memberships": facts.memberships(session, run.league),
            }
            send(session, run, "league_migration_request", content, now=now)
        case "league_migration_response", True:
            _apply(session, run, message["policy_membership_events"], now=now)
            keep_divisions(session, run, now=now)
        case _:
            raise ProtocolBroken(f"{message['type']} does not answer a migration request")


def keep_divisions(session: Session, run: CommissionerRun, *, now: datetime) -> None:
    """Record that the league follows this commissioner now."""
    progress = progress_of(session, run.league)
    progress.version, progress.refused = run.version, []
    end_run(session, run, CommissionerRunStatus.COMPLETED, now=now)


_INFO = ("id", "name", "level", "type")


def _planned(run: CommissionerRun, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the divisions to have, with ids: those of the divisions that they rename or keep, or new ones."""
    names = [row["name"] for row in wanted]
    if not 0 < len(wanted) <= MAX_DIVISIONS:
        raise ProtocolBroken(f"A league has 1 to {MAX_DIVISIONS} divisions, not {len(wanted)}")
    if len(set(names)) != len(names):
        raise ProtocolBroken("Two divisions have the same name")
    existing = {division.name: division for division in run.league.divisions}
    planned, taken = [], set()
    for row in wanted:
        if not 0 < len(row["name"]) <= 200 or row["type"] not in list(DivisionType):
            raise ProtocolBroken(f"{row['name'][:80]!r} ({row['type'][:80]!r}) cannot be a division")
        if abs(row["level"]) > 10_000:
            raise ProtocolBroken(f"The level of {row['name']!r} is not between -10000 and 10000")
        former = existing.get(row["previous_name"] or "") or existing.get(row["name"])
        if former is not None and former.id in taken:
            former = None
        division_id = new_id() if former is None else former.id
        taken.add(division_id)
        planned.append({**{key: row[key] for key in ("name", "level", "type", "description")}, "id": str(division_id)})
    return planned


def _apply(session: Session, run: CommissionerRun, wanted: list[dict[str, Any]], *, now: datetime) -> None:
    league = run.league
    session.expire(league, ["divisions"])
    planned = {uuid.UUID(row["id"]): row for row in run.plan["divisions"]}
    members_of = {row.id: row for row in live_memberships(session, league.id)}
    members.check_events(wanted, members_of, planned)
    others = [division for division in league.divisions if division.id not in planned and division.archived_at is None]
    for division in others:
        if repository.has_active_round(session, division.id):
            raise ProtocolBroken(f"A round of {division.name!r} has not ended, so it cannot be archived")
    divisions = _write_divisions(session, run, planned, now=now)
    members.apply_events(session, league, wanted, members_of, divisions, now=now)
    left = repository.member_counts(session, [division.id for division in others])
    for division in others:
        if left.get(division.id):
            raise ProtocolBroken(f"{left[division.id]} live members would stay in {division.name!r}, which is archived")
        division.archived_at = now
    session.flush()
    session.expire(league, ["divisions"])
    events.note(session, Change(ChangeKind.LEAGUE, ids=frozenset({league.id})))


def _write_divisions(
    session: Session, run: CommissionerRun, planned: dict[uuid.UUID, dict[str, Any]], *, now: datetime
) -> dict[uuid.UUID, Division]:
    existing = {division.id: division for division in run.league.divisions}
    new_names = {row["name"] for row in planned.values()}
    for division in existing.values():
        if division.name in new_names:  # names may be swapped: each is freed before it is taken
            division.name = f"{division.name[:150]} {division.id}"
    session.flush()
    divisions = {}
    for division_id, row in planned.items():
        division = existing.get(division_id) or Division(
            id=division_id, league_id=run.league_id, hidden=False, created_at=now
        )
        session.add(division)
        division.name, division.level, division.type = row["name"], row["level"], DivisionType(row["type"])
        division.archived_at = None
        if row["description"] is not None:
            division.description = row["description"]
        divisions[division_id] = division
    session.flush()
    return divisions

"""Check that services report what they write: a cached response that depends on it would be stale otherwise."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.orm import Session

from observatory.database import Database
from observatory.events import ChangeKind, recorded

WRITTEN = "written"
_TABLES: dict[ChangeKind, tuple[str, ...]] = {
    ChangeKind.ACCOUNT: ("users", "players", "tokens", "ended_sessions"),
    ChangeKind.SEASON: ("seasons", "pools", "env_configs"),
    ChangeKind.MEMBERSHIP: ("pool_players", "membership_changes"),
    ChangeKind.STAGE: ("teams", "team_members"),
    ChangeKind.MATCH: ("matches", "match_players"),
    ChangeKind.POLICY: ("policies", "policy_versions"),
    ChangeKind.EPISODE: ("episodes", "episode_tags", "episode_policies"),
    ChangeKind.QUEUE: ("jobs",),
    ChangeKind.COWORLD: ("coworlds", "certifications"),
    ChangeKind.REQUEST: ("experience_requests", "episode_requests", "episode_seats"),
    ChangeKind.COWORLD: ("coworlds", "certifications"),
    ChangeKind.LEAGUE: ("league_games", "leagues", "league_seeds", "divisions"),
    ChangeKind.LEAGUE_ENTRY: ("league_submissions", "memberships", "membership_events"),
    ChangeKind.ROUND: ("rounds", "round_results"),
    ChangeKind.NOTICE: ("notices", "notice_settings"),
    ChangeKind.FRIENDLY: ("friendlies",),
    ChangeKind.HOSTED: ("hosted_games", "hosted_places", "lobbies", "lobby_seats"),
}
KINDS = {table: kind for kind, tables in _TABLES.items() for table in tables}
"""the change to report for a write to a table; no cached response depends on the other tables"""
UNSEEN = {
    "jobs": {"lease_expires_at", "secrets_given_at", "artifact_bytes", "stored_spec"},
    "users": {"password_hash"},
    "episodes": {"replay_key"},
    "leagues": {"state"},
}
"""columns that no cached response shows"""
TABLES_OF_DIVISIONS = {"leaderboards"}
"""columns that the end of a round writes"""


@contextmanager
def checked_writes() -> Iterator[list[str]]:
    """Yield the list of writes that were committed without a report. Writes of tests themselves are not checked."""
    unreported: list[str] = []
    commit = Database._commit

    def checked_commit(self: Database, session: Session) -> None:
        session.flush()
        kinds = {change.kind for change in recorded(session)}
        missed = [
            f"{table} was written without a change of the kind {sorted(missing)}"
            for table, missing in _needed(session, kinds)
        ]
        commit(self, session)
        if missed and _is_called_by_test():
            self.changes.invalidate()
        else:
            unreported.extend(missed)

    event.listen(Engine, "begin", _forget)
    event.listen(Engine, "after_cursor_execute", _record_statement)
    Database._commit = checked_commit  # type: ignore[method-assign]
    try:
        yield unreported
    finally:
        Database._commit = commit  # type: ignore[method-assign]
        event.remove(Engine, "after_cursor_execute", _record_statement)
        event.remove(Engine, "begin", _forget)


def _needed(session: Session, kinds: set[ChangeKind]) -> Iterator[tuple[str, set[ChangeKind]]]:
    for table, needed in session.connection().info.pop(WRITTEN, ()):
        if missing := needed - kinds:
            yield table, missing


def _forget(connection: Connection) -> None:
    connection.info.pop(WRITTEN, None)


def _record_statement(
    connection: Connection, cursor: Any, statement: str, parameters: Any, context: Any, executemany: bool
) -> None:
    if context is None or not (context.isinsert or context.isupdate or context.isdelete):
        return
    table: str = context.compiled.statement.table.name
    rows: Sequence[Mapping[str, Any]] = context.compiled_parameters
    if context.isupdate and _columns(context) <= UNSEEN.get(table, set()):
        return
    needed = {KINDS[table]} if table in KINDS else set()
    if table == "divisions" and context.isupdate and _columns(context) <= TABLES_OF_DIVISIONS:
        needed = {ChangeKind.ROUND}
    if table == "matches":
        if not context.isupdate:
            needed.add(ChangeKind.SCHEDULE)
        if context.isdelete or any(row.get("completed_order") is not None for row in rows):
            needed.add(ChangeKind.TABLE)
    connection.info.setdefault(WRITTEN, []).append((table, needed))


def _columns(context: Any) -> set[str]:
    """Return the columns that an update sets."""
    statement = context.compiled.statement
    values = getattr(statement, "_values", None)
    if values:
        return {getattr(column, "name", str(column)) for column in values}
    names = {column.name for column in statement.table.columns}
    return {name for row in context.compiled_parameters for name in row if name in names}


def _is_called_by_test() -> bool:
    frame = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        if "/tests/" in path and not path.endswith("tests/checked_writes.py"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False

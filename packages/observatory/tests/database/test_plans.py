"""Plans of SQLite: the front page, monitoring and lists for administrators do not read all that has ended."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event

from observatory.jobs.stored_total import StoredTotal

ADMIN = "/observatory/api/admin"
PATHS = [
    "/observatory/api/front-match",
    "/observatory/api/live",
    "/metrics",
    "/jobs",
    "/jobs?status=failed",
    f"{ADMIN}/jobs",
    f"{ADMIN}/jobs?status=completed",
    f"{ADMIN}/failures",
    f"{ADMIN}/people?q=a",
    f"{ADMIN}/workers",
    f"{ADMIN}/seasons",
    f"{ADMIN}/seasons/{{season}}/life",
]
SCAN = re.compile(r"^SCAN (jobs|matches|match_players|policy_logs|episodes)\b")


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
@pytest.mark.parametrize("path", PATHS)
def test_no_request_reads_all_that_has_ended(
    client: TestClient, app: FastAPI, admin: Any, ada: Any, world: Any, clock: Any, path: str
) -> None:
    season = world.season()
    versions = [world.version(ada, name) for name in ("one", "two")]
    world.enter(season, "competition", versions)
    app.state.stored_total = StoredTotal()
    app.state.stored_total.measure(app.state.database, clock())
    asked: list[tuple[str, Any]] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            asked.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        answer = client.get(path.format(season=season), headers=admin.headers)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
        app.state.stored_total = StoredTotal()
    assert answer.status_code == 200, answer.text
    assert asked
    with app.state.database.engine.connect() as connection:
        for statement, parameters in asked:
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            plan = [row[3] for row in rows]
            # In the order of an index and with a limit, the first rows are enough.
            stops = "LIMIT" in statement and not any("TEMP B-TREE FOR ORDER BY" in line for line in plan)
            assert stops or not any(SCAN.match(line) for line in plan), f"{statement}\n{plan}"

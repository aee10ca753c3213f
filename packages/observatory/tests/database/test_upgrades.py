"""Releases side by side, and the oldest database brought to today's while a match runs; and the way back."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from observatory.accounts.service import mint_worker_token
from observatory.database import Database, migrate
from observatory.database.link import Link
from observatory.database.migrate import (
    VERSIONS,
    DatabaseTooNew,
    OlderServersRunning,
    current_revision,
    latest_revision,
    upgrade_to,
)
from observatory.database.tables.jobs import Job
from observatory.jobs.leasing import attempt_name
from observatory.serving.backup import backup, restore
from observatory.settings import Settings
from observatory.tokens import hash_token
from packages.observatory.tests.conftest import START, make_settings

OLD = Path(__file__).parent / "data-folder-0001.sql"
OLD_REPLAY = "jobs/0/replay.json.z"
JOB_TOKEN = "job_of-the-old-server"
NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = "{before}"
branch_labels = None
depends_on = None
expands = {expands}


def upgrade():
    op.add_column("policies", sa.Column("{column}", sa.Text(), nullable=True))
    op.create_table("{column}_table", sa.Column("id", sa.Integer(), primary_key=True))
"""


@pytest.fixture
def release(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Adds migrations to the program, as a newer release has; `None` takes them away again."""
    folders = list(VERSIONS)

    def make(number: int | None, *, expands: bool = True) -> None:
        VERSIONS[:] = folders
        if number is not None:
            folder = tmp_path / "newer"
            folder.mkdir(exist_ok=True)
            before = latest_revision() if number == 1 else f"next{number - 1}"
            text = NEXT.format(revision=f"next{number}", before=before, expands=expands, column=f"added{number}")
            (folder / f"next{number}.py").write_text(text)
            VERSIONS[:] = [*folders, folder]

    yield make
    VERSIONS[:] = folders


def test_an_older_server_works_on_a_database_that_a_newer_release_has_only_extended(
    make_app: Callable[..., FastAPI], new_database_url: Callable[[], str], release: Any, ada: Any
) -> None:
    url = new_database_url()
    old = make_app(database_url=url)
    release(1)
    newer = Database(make_settings(Path("."), url).sqlalchemy_url())
    migrate(newer)
    assert current_revision(newer) == "next1"
    release(None)
    client = TestClient(old)  # was running all the time
    assert client.get("/tournament/seasons").status_code == 200
    restarted = make_app(database_url=url)
    with restarted.state.database.transaction() as session:
        session.execute(sa.text("SELECT 1"))
    assert current_revision(restarted.state.database) == "next1"

    release(1)
    release(2, expands=False)
    migrate(newer)
    newer.close()
    release(None)
    with pytest.raises(DatabaseTooNew, match="next2"):
        make_app(database_url=url)


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True, scope="session")
def test_a_migration_that_would_break_a_running_server_is_refused(
    new_database_url: Callable[[], str], release: Any
) -> None:
    url = make_settings(Path("."), new_database_url()).sqlalchemy_url()
    old = Database(url)
    migrate(old)
    link = Link(old, "http://127.0.0.1:8001")
    link.start()
    newer = Database(url)
    release(1, expands=False)
    with pytest.raises(OlderServersRunning, match=r"http://127\.0\.0\.1:8001 still runs; stop it"):
        migrate(newer)
    release(None)
    assert current_revision(newer) == latest_revision()
    link.stop()
    release(1, expands=False)
    migrate(newer)
    assert current_revision(newer) == "next1"
    for database in (old, newer):
        database.close()


def test_the_oldest_database_upgrades_while_a_match_runs_and_a_backup_leads_back(
    make_app: Callable[..., FastAPI], new_database_url: Callable[[], str], tmp_path: Path, clock: Any
) -> None:
    place = {"data_dir": tmp_path / "old", "database_url": new_database_url()}
    job_id = oldest_database(make_settings(**place), tmp_path)
    replay = tmp_path / "old" / "store" / "objects" / OLD_REPLAY
    replay.parent.mkdir(parents=True)
    replay.write_bytes(b"old replay")
    backup(make_settings(**place), tmp_path / "before.tar")

    app = make_app(**place)
    assert table(app) == [("second", 3.5), ("first", 1.5)]
    finish(app, job_id)
    assert table(app) == [("second", 3.75), ("first", 1.75)]
    assert app.state.store.get(OLD_REPLAY) == b"old replay"

    for number, url in enumerate((new_database_url(), f"sqlite:///{tmp_path}/back.db")):
        back = {"data_dir": tmp_path / f"back{number}", "database_url": url}
        restore(Settings(**back), tmp_path / "before.tar")
        restored = make_app(**back)
        assert table(restored) == [("second", 3.5), ("first", 1.5)]
        assert restored.state.store.get(OLD_REPLAY) == b"old replay"
        finish(restored, job_id)  # the worker has not noticed
        assert table(restored) == table(app)


def test_a_match_that_ran_in_the_oldest_database_is_played_again_when_its_worker_is_gone(
    make_app: Callable[..., FastAPI], new_database_url: Callable[[], str], tmp_path: Path, clock: Any
) -> None:
    place = {"data_dir": tmp_path / "old", "database_url": new_database_url()}
    job_id = oldest_database(make_settings(**place), tmp_path)
    app = make_app(**place)
    with app.state.database.transaction() as session:
        token = mint_worker_token(session, "new", now=clock()).text
    clock.advance(120)
    answer = TestClient(app).post("/work/lease", json={"worker": "new"}, headers={"X-Auth-Token": token})
    assert answer.json()["job_id"] == str(job_id)
    finish(app, job_id, answer.json()["job_token"])
    assert table(app) == [("second", 3.75), ("first", 1.75)]


def table(app: FastAPI) -> list[tuple[str, float]]:
    client = TestClient(app)
    (season,) = client.get("/tournament/seasons").json()
    rows = client.get(f"/tournament/seasons/{season['name']}/leaderboard").json()
    return [(row["policy"]["name"], row["score"]) for row in rows]


def finish(app: FastAPI, job_id: uuid.UUID, job_token: str = JOB_TOKEN) -> None:
    """End the match as its worker does; with the default token, one that began before the upgrade."""
    client, headers = TestClient(app), {"X-Auth-Token": job_token}
    beat = client.post(f"/work/jobs/{job_id}/heartbeat", json={"status": "running"}, headers=headers)
    assert beat.status_code == 200, beat.text
    results = {
        "rewards": [2, 2, 4, 4],
        "action_timeouts": [0, 0, 0, 0],
        "stats": {"game": {}, "agent": [{}, {}, {}, {}]},
        "steps": 10,
        "time_averaged_game_stats": {},
    }
    with app.state.database.read() as session:
        job = session.get_one(Job, job_id)
    app.state.store.put(attempt_name(job, "results.json"), json.dumps(results).encode())
    app.state.store.put(attempt_name(job, "replay.json.z"), b"replay")
    ended = client.post(f"/work/jobs/{job_id}/finish", json={"status": "completed"}, headers=headers)
    with app.state.database.read() as session:
        assert ended.json()["status"] == "completed", session.get_one(Job, job_id).error


def oldest_database(settings: Settings, folder: Path) -> uuid.UUID:
    """Fill an empty database as the first release did, and let a second match run; the id of its job."""
    source = sqlite3.connect(folder / "dump.db")
    source.row_factory = sqlite3.Row
    source.executescript(OLD.read_text())
    job_id, match_id = uuid.uuid4(), uuid.uuid4()
    settings.data_dir.mkdir(parents=True)
    database = Database(settings.sqlalchemy_url())
    upgrade_to(database, "0001")
    metadata = sa.MetaData()
    with database.engine.connect() as connection:
        metadata.reflect(connection)
    with database.transaction() as session:
        for target in metadata.sorted_tables:
            rows = [dict(row) for row in source.execute(f'SELECT * FROM "{target.name}"')]
            if target.name == "alembic_version" or not rows:
                continue
            rows += [running(target.name, row, job_id, match_id) for row in rows if target.name in _COPIED]
            session.execute(sa.insert(target), [converted(target, row) for row in rows])
    source.close()
    database.close()
    return job_id


_COPIED = ("jobs", "matches", "match_players")


def running(name: str, row: dict[str, Any], job_id: uuid.UUID, match_id: uuid.UUID) -> dict[str, Any]:
    """Return a row of the match that has ended as the row of one that runs."""
    if name == "match_players":
        return row | {"match_id": match_id.hex, "score": None}
    if name == "matches":
        return row | {
            "id": match_id.hex,
            "job_id": job_id.hex,
            "repetition": 1,
            "status": "running",
            "completed_at": None,
        }
    token = {"job_token_hash": hash_token(JOB_TOKEN), "worker": "old", "attempts": 1}
    times = {"lease_expires_at": str(START.replace(tzinfo=None) + timedelta(minutes=1)), "completed_at": None}
    return row | token | times | {"id": job_id.hex, "status": "running", "result": None, "episode_id": None}


def converted(target: sa.Table, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the dump, which is SQLite's, with the values that this table takes."""

    def value(name: str, stored: Any) -> Any:
        kind = target.c[name].type
        if stored is None:
            return None
        if isinstance(kind, sa.JSON):
            return json.loads(stored)
        if isinstance(kind, sa.DateTime):
            moment = datetime.fromisoformat(stored)
            return moment.replace(tzinfo=UTC) if kind.timezone else moment
        if isinstance(kind, sa.Boolean):
            return bool(stored)
        return uuid.UUID(stored) if isinstance(kind, sa.Uuid) else stored

    return {name: value(name, stored) for name, stored in row.items()}

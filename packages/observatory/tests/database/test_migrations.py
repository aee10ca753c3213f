"""Databases of older servers become today's, with all that is in them."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from fastapi.testclient import TestClient
from sqlalchemy import inspect, text

import observatory.database.tables  # noqa: F401
from observatory.database import Base, Database, migrate
from observatory.database.migrate import DatabaseTooNew, current_revision, latest_revision, upgrade_to

OLD = Path(__file__).parent / "data-folder-0001.sql"


def test_the_migrations_make_exactly_the_tables_of_the_program(new_database_url: Callable[[], str]) -> None:
    database = Database(new_database_url().replace("postgresql://", "postgresql+psycopg://"))
    migrate(database)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, Base.metadata) == []
        assert set(inspect(connection).get_table_names()) == {*Base.metadata.tables, "alembic_version"}
    migrate(database)  # again: nothing to do
    assert current_revision(database) == latest_revision()
    database.close()


def test_a_migration_that_fails_leaves_the_database_as_it_was(new_database_url: Callable[[], str]) -> None:
    database = Database(new_database_url().replace("postgresql://", "postgresql+psycopg://"))
    with database.engine.begin() as connection:
        connection.execute(text("CREATE TABLE users (x INTEGER)"))
    with pytest.raises(Exception, match="already exists"):
        migrate(database)
    assert current_revision(database) is None
    with database.engine.connect() as connection:
        assert inspect(connection).get_table_names() == ["users"]
    database.close()


def test_a_database_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/newer.db")
    upgrade_to(database, "0001")
    with database.transaction() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseTooNew, match="9999"):
        migrate(database)
    database.close()


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
def test_a_data_folder_of_the_first_version_upgrades_and_is_all_there(make_app, tmp_path: Path) -> None:
    path = tmp_path / "old" / "observatory.db"
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.executescript(OLD.read_text())
    before = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in _tables(connection)}
    connection.close()

    app = make_app(data_dir=path.parent, database_url=f"sqlite:///{path}")

    assert current_revision(app.state.database) == latest_revision()
    after = sqlite3.connect(path)
    assert {name: after.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in before} == before
    after.close()
    client = TestClient(app)
    headers = {"X-Auth-Token": "obs_the-token-of-the-old-folder"}
    assert client.get("/whoami", headers=headers).json()["user_email"] == "ada@example.com"
    (season,) = client.get("/tournament/seasons").json()
    table = client.get(f"/tournament/seasons/{season['name']}/leaderboard").json()
    assert [(row["policy"]["name"], row["score"]) for row in table] == [("second", 3.5), ("first", 1.5)]
    (match,) = client.get(f"/tournament/seasons/{season['name']}/matches").json()
    assert match["status"] == "completed" and uuid.UUID(match["episode_id"])
    (episode,) = client.get("/episodes").json()
    assert [result["avg_reward"] for result in episode["policy_results"]] == [1.5, 3.5]


def _tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return [name for (name,) in rows if name != "alembic_version"]

"""One writer at a time, readers beside it, and what happens when the database does not play along."""

import os
import sqlite3
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError

from observatory.database import Database, new_id
from observatory.database.tables.policies import Policy
from packages.observatory.tests.conftest import Account


def make(client, account: Account, name: str):
    return client.post("/stats/policies", json={"name": name}, headers=account.headers)


def test_ids_grow_and_are_version_7() -> None:
    ids = [new_id() for _ in range(5000)]
    assert ids == sorted(ids) and len(set(ids)) == len(ids)
    assert all(id_.version == 7 and id_.variant == uuid.RFC_4122 for id_ in ids)


def test_a_datetime_is_returned_in_utc_and_needs_a_time_zone(database: Database, ada) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    policy = Policy(id=new_id(), user_id=ada.user_id, name="x", attributes={}, created_at=moment)
    with database.transaction() as session:
        session.add(policy)
    with database.read() as session:
        assert session.scalars(select(Policy.created_at)).one() == moment
    with pytest.raises(Exception, match="no zone"), database.transaction() as session:
        session.add(Policy(id=new_id(), user_id=ada.user_id, name="y", attributes={}, created_at=datetime(2026, 1, 1)))


def test_an_exception_leaves_nothing_behind_and_the_gate_open(database: Database, ada, clock) -> None:
    def add(name: str) -> Policy:
        return Policy(id=new_id(), user_id=ada.user_id, name=name, attributes={}, created_at=clock())

    with pytest.raises(ZeroDivisionError), database.transaction() as session:
        session.add(add("lost"))
        session.flush()
        _ = 1 / 0
    with pytest.raises(IntegrityError), database.transaction() as session:
        session.add_all([add("twice"), add("twice")])
        session.flush()
    with database.transaction() as session:
        session.add(add("kept"))
    with database.read() as session:
        assert session.scalars(select(Policy.name)).all() == ["kept"]


def test_a_reader_sees_one_state_during_a_write(database: Database, ada, clock) -> None:
    with database.read() as reader:
        before = reader.scalar(select(func.count()).select_from(Policy))
        with database.transaction() as writer:
            writer.add(Policy(id=new_id(), user_id=ada.user_id, name="new", attributes={}, created_at=clock()))
        if database.is_sqlite:  # a snapshot; PostgreSQL reads what is committed
            assert reader.scalar(select(func.count()).select_from(Policy)) == before


def test_concurrent_clients_lose_nothing_and_never_deadlock(app, server, ada) -> None:
    """More requests than threads: those who wait for the gate must not take the threads of the one who has it."""
    with httpx.Client(base_url=server.url, headers=ada.headers, timeout=60) as client, ThreadPoolExecutor(100) as pool:
        answers = list(
            pool.map(lambda number: client.post("/stats/policies", json={"name": f"p{number % 60}"}), range(120))
        )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["id"] for answer in answers}) == 60


def test_a_writer_that_takes_too_long_gives_503_and_the_next_one_succeeds(make_app, account, ada) -> None:
    app = make_app(database_timeout_seconds=0.2)
    database: Database = app.state.database
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with database.transaction() as session:
            session.execute(select(1))
            entered.set()
            assert leave.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert entered.wait(20)
    client = TestClient(app, raise_server_exceptions=False)
    busy = client.post("/credentials/auth-codes/exchange", json={"code": "x"})
    assert busy.status_code == 503 and "busy" in busy.json()["detail"] and busy.headers["Retry-After"]
    assert client.get("/tournament/seasons").status_code == 200  # reads still work
    leave.set()
    thread.join()
    assert client.post("/credentials/auth-codes/exchange", json={"code": "x"}).status_code == 400


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True, scope="session")
class TestSQLite:
    """What only a file can do."""

    @pytest.fixture
    def app(self, make_app):
        return make_app(database_timeout_seconds=0.3)

    def test_another_process_that_locks_the_file_gives_503(self, app, client, ada) -> None:
        other = sqlite3.connect(app.state.database.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        locked = make(client, ada, "x")
        assert locked.status_code == 503 and "busy" in locked.json()["detail"]
        other.execute("ROLLBACK")
        other.close()
        assert make(client, ada, "x").status_code == 200

    def test_a_missing_file_gives_503_and_a_restored_one_is_used(self, app, client, ada) -> None:
        database: Database = app.state.database
        path: Path = database.path
        with database.transaction() as session:
            session.execute(select(1))
        with sqlite3.connect(path) as source, sqlite3.connect(path.with_suffix(".copy")) as copy:
            source.backup(copy)
        for name in ("", "-wal", "-shm"):
            os.rename(f"{path}{name}", f"{path}{name}.away")
        for answer in (client.get("/tournament/seasons"), make(client, ada, "x")):
            assert answer.status_code == 503 and "missing" in answer.json()["detail"]
        os.rename(path.with_suffix(".copy"), path)
        assert client.get("/tournament/seasons").status_code == 200
        assert make(client, ada, "x").status_code == 200

    def test_a_full_disk_gives_503_and_nothing_is_half_written(self, app, client, ada) -> None:
        database: Database = app.state.database
        with database.read() as session:
            pages = session.connection().exec_driver_sql("PRAGMA page_count").scalar_one()
        database.engine.dispose()

        from sqlalchemy import event

        def limit(connection, _record) -> None:
            connection.execute(f"PRAGMA max_page_count={pages}")

        event.listen(database.engine, "connect", limit)
        answers = [make(client, ada, f"{number}{'x' * 60}"[:60]) for number in range(200)]
        assert {answer.status_code for answer in answers} == {200, 503}
        full = next(answer for answer in answers if answer.status_code == 503)
        assert full.json()["detail"] == "The disk of the database is full; nothing was changed"
        event.remove(database.engine, "connect", limit)
        database.engine.dispose()
        created = sum(answer.status_code == 200 for answer in answers)
        assert client.get("/stats/policies?limit=1").json()["total_count"] == created
        assert make(client, ada, "more").status_code == 200

    def test_a_damaged_file_says_what_to_do(self, make_app, tmp_path) -> None:
        path = tmp_path / "broken.db"
        path.write_bytes(b"this is no database" * 1000)
        with pytest.raises(Exception, match="not a database"):
            make_app(database_url=f"sqlite:///{path}")


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True, scope="session")
class TestPostgreSQL:
    """What only a server can do."""

    def test_broken_connections_are_reopened(self, database: Database, client, ada) -> None:
        assert make(client, ada, "before").status_code == 200
        with database.engine.connect() as connection:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert make(client, ada, "after").status_code == 200

    def test_a_session_that_reads_is_in_a_transaction_only_if_it_must_be(self, database: Database) -> None:
        def transactions(*, in_transaction: bool) -> int:
            with database.read(in_transaction=in_transaction) as session:
                return len({session.scalar(text("SELECT pg_current_xact_id()::text")) for _ in range(3)})

        assert transactions(in_transaction=False) == 3
        assert transactions(in_transaction=True) == 1

    def test_an_unreachable_server_gives_503(self, make_app) -> None:
        app = make_app()
        database: Database = app.state.database
        database.engine.dispose()

        broken = Database("postgresql+psycopg://127.0.0.1:9/x", timeout_seconds=2)
        app.state.database = broken
        client = TestClient(app, raise_server_exceptions=False)
        answer = client.get("/stats/policy-versions")
        assert answer.status_code == 503 and "does not answer" in answer.json()["detail"]
        app.state.database = database
        assert client.get("/stats/policy-versions").status_code == 200
        broken.close()

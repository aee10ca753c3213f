"""A backup holds everything, whatever happens while it is made."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select

from observatory.accounts.service import create_user, mint_user_token
from observatory.app import create_app
from observatory.clock import utc_now
from observatory.database import Base, Database
from observatory.database.tables.accounts import Player, User
from observatory.serving.backup import BackupError, backup, restore
from observatory.settings import Settings

CLIENTS = 50


def facts(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with database.read() as session:
        return {
            table.name: [tuple(row) for row in session.execute(select(table).order_by(*table.primary_key.columns))]
            for table in Base.metadata.sorted_tables
        }


def test_a_backup_during_writes_of_fifty_clients_is_consistent_and_restores_equal(
    make_app: Callable[..., FastAPI],
    serve: Callable[[FastAPI], Any],
    new_database_url: Callable[[], str],
    tmp_path: Path,
) -> None:
    app = make_app(seed_seasons=True, user_rate=10**6, anonymous_rate=10**6)
    store, database, settings = app.state.store, app.state.database, app.state.settings
    store.put("policies/first.zip", b"bundle")
    with database.transaction() as session:
        users = [create_user(session, email=f"user{n}@example.com", now=utc_now()) for n in range(CLIENTS)]
        tokens = [mint_user_token(session, user, now=app.state.clock()) for user in users]
    url, stop, written = serve(app).url, threading.Event(), [0] * CLIENTS

    def write(number: int) -> None:
        with httpx.Client(base_url=url, headers={"X-Auth-Token": tokens[number]}, timeout=30) as client:
            while not stop.is_set() and written[number] < 90:
                created = client.post("/players", json={"name": f"player {written[number]}"})
                assert created.status_code == 200, created.text
                written[number] += 1

    threads = [threading.Thread(target=write, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    while sum(written) < 100:
        stop.wait(0.01)
    before = sum(written)
    counts = backup(settings, tmp_path / "backup.tar")
    after = sum(written)
    stop.set()
    for thread in threads:
        thread.join()
    assert before > 0 and after > before  # clients did write meanwhile
    assert before + CLIENTS <= counts["players"] <= after + 2 * CLIENTS
    assert (tmp_path / "backup.tar").stat().st_mode & 0o077 == 0

    restored = settings.model_copy(update={"data_dir": tmp_path / "restored"})
    if database.is_sqlite:
        restored.database_url = None
    else:
        restored.database_url = Settings(database_url=new_database_url()).database_url
    assert restore(restored, tmp_path / "backup.tar") == counts
    again = create_app(restored)
    assert again.state.store.get("policies/first.zip") == b"bundle" and again.state.keys == app.state.keys
    # Every restored row is one of the original, and of rows that do not change there are none missing.
    original, copied = facts(database), facts(again.state.database)
    for name, rows in copied.items():
        assert len(rows) == counts[name]
        assert set(map(str, rows)) <= set(map(str, original[name])), name
    assert copied["seasons"] == original["seasons"] and copied["users"] == original["users"] and copied["seasons"]
    # Players were numbered in order, so one state of the database has no gap.
    with again.state.database.read() as session:
        per_user = select(Player.user_id, func.count(), func.max(Player.created_at)).group_by(Player.user_id)
        assert len(session.execute(per_user).all()) == session.scalar(select(func.count()).select_from(User))
        for user in users:
            names = set(session.scalars(select(Player.name).where(Player.user_id == user.id, ~Player.is_default)))
            assert names == {f"player {number}" for number in range(len(names))}
    again.state.database.close()


def test_a_backup_is_restored_into_an_empty_folder_only(app: FastAPI, tmp_path: Path) -> None:
    settings = app.state.settings
    backup(settings, tmp_path / "backup.tar")
    with pytest.raises(BackupError, match="not empty"):
        restore(settings, tmp_path / "backup.tar")
    with pytest.raises(BackupError, match="exists already"):
        backup(settings, tmp_path / "backup.tar")
    (tmp_path / "broken.tar").write_bytes((tmp_path / "backup.tar").read_bytes()[:2000])
    empty = settings.model_copy(update={"data_dir": tmp_path / "empty", "database_url": None})
    with pytest.raises(BackupError):
        restore(empty, tmp_path / "broken.tar")
    assert not (tmp_path / "empty").exists()
    assert not list(tmp_path.glob("*.partial"))


def test_a_backup_of_either_database_restores_into_sqlite(
    app: FastAPI, ada: Any, admin: Any, tmp_path: Path, database: Database
) -> None:
    counts = backup(app.state.settings, tmp_path / "backup.tar")
    settings = app.state.settings.model_copy(update={"data_dir": tmp_path / "data", "database_url": None})
    assert restore(settings, tmp_path / "backup.tar") == counts
    other = Database(settings.sqlalchemy_url())
    assert facts(other) == facts(database)
    other.close()

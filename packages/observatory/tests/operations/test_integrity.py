"""What `doctor`, `backup` and `serve` say of a database, a clock and a folder that are not as they should be."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import text

from observatory.accounts.service import create_user, mint_user_token
from observatory.clock import utc_now
from observatory.database.integrity import clock_problem, integrity_problems
from observatory.serving.backup import BackupError, backup
from tests.warm import WarmProgram

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(tmp_path: Path, observatory_program: WarmProgram) -> Command:
    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        own = {"OBSERVATORY_DATA_DIR": str(tmp_path / "data"), "OBSERVATORY_SEED_SEASONS": "false"}
        return observatory_program.run(*words, env=os.environ | own | variables)

    return run


@pytest.fixture
def database_file(command: Command, tmp_path: Path) -> Path:
    assert command("admin", "user", "create", "ada").returncode == 0
    file = tmp_path / "data" / "observatory.db"
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return file


def test_a_damaged_page_is_found_before_it_is_in_a_backup(
    command: Command, database_file: Path, tmp_path: Path
) -> None:
    assert "The database is intact" in command("doctor").stdout
    assert command("backup", str(tmp_path / "good.tar")).returncode == 0
    with sqlite3.connect(database_file) as connection:
        [(page,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'tokens'")
        [(size,)] = connection.execute("PRAGMA page_size")
    connection.close()
    with database_file.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * 64)
    result = command("doctor")
    assert result.returncode == 1 and "FAIL  The database is damaged: " in result.stdout
    assert "Traceback" not in result.stderr
    refused = command("backup", str(tmp_path / "bad.tar"))
    assert refused.returncode == 1 and "The database is damaged, and no backup was made: " in refused.stderr
    assert "observatory restore" in refused.stderr and not list(tmp_path.glob("bad.tar*"))


def test_a_clock_that_was_set_back_is_noticed(command: Command, database_file: Path) -> None:
    with sqlite3.connect(database_file) as connection:
        connection.execute("UPDATE users SET created_at = '2999-01-01 00:00:00.000000'")
    connection.close()
    result = command("doctor")
    assert result.returncode == 1 and "rows of 2999-01-01 00:00 UTC: set the clock" in result.stdout


def test_a_folder_that_cannot_be_written_to_is_named(command: Command) -> None:
    read_only = {"OBSERVATORY_DATA_DIR": "/sys"}  # not even root can write there
    for words in (["serve", "--port", "0"], ["seed"], ["admin", "user", "list"]):
        refused = command(*words, **read_only)
        assert refused.returncode == 1 and refused.stdout == ""
        assert refused.stderr.startswith("Error: The data folder /sys cannot be written to: ")
        assert "OBSERVATORY_DATA_DIR" in refused.stderr and refused.stderr.count("\n") == 1
    result = command("doctor", **read_only)
    assert result.returncode == 1 and "FAIL  The data folder /sys cannot be written to: " in result.stdout
    assert "Traceback" not in result.stderr


def test_a_reference_to_a_missing_row_is_found(make_app: Callable[..., FastAPI], tmp_path: Path) -> None:
    app = make_app()
    database = app.state.database
    with database.transaction() as session:
        user = create_user(session, email="ada@example.com", now=utc_now())
        mint_user_token(session, user, now=utc_now())
    assert integrity_problems(database) == []
    if database.is_sqlite:
        with sqlite3.connect(database.path) as file:  # foreign keys are not checked by default
            file.execute("DELETE FROM users")
        file.close()
    else:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("SET session_replication_role = replica"))
            connection.execute(text("DELETE FROM users"))
            connection.invalidate()
    problems = integrity_problems(database)
    assert "1 rows of tokens.user_id name a row of users that is missing" in problems
    with pytest.raises(BackupError, match=r"tokens\.user_id"):
        backup(app.state.settings, tmp_path / "b.tar")


def test_rows_from_the_future_are_reported_as_a_clock_problem(make_app: Callable[..., FastAPI]) -> None:
    app = make_app()
    now = utc_now()
    assert clock_problem(app.state.database, now) is None  # an empty database knows no time
    with app.state.database.transaction() as session:
        create_user(session, email="ada@example.com", now=now)
    assert clock_problem(app.state.database, now + timedelta(days=400)) is None
    assert clock_problem(app.state.database, now - timedelta(minutes=4)) is None
    assert "set the clock" in (clock_problem(app.state.database, now - timedelta(hours=1)) or "")


def test_a_backup_names_the_file_of_the_store_that_cannot_be_read(
    make_app: Callable[..., FastAPI], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    app.state.store.put("policies/broken.zip", b"bundle")
    opened = Path.open

    def fail(self: Path, *arguments: Any, **options: Any) -> Any:
        if self.name == "broken.zip":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return opened(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(BackupError, match=r"The file policies/broken\.zip of the store cannot be read: Input/output"):
        backup(app.state.settings, tmp_path / "b.tar")
    assert list(tmp_path.glob("b.tar*")) == []

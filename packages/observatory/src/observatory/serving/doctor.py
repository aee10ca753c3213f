"""Check the installation, with one sentence per check."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
from sqlalchemy.exc import SQLAlchemyError

from observatory.accounts.startup import startup_problems
from observatory.clock import utc_now
from observatory.database import Database
from observatory.database.integrity import clock_problem, integrity_problems
from observatory.database.migrate import current_revision, latest_revision
from observatory.http.refusals import database_sentence
from observatory.keys import BadKey, load_keys
from observatory.serving.running import running_url, why_not_writable
from observatory.settings import Settings
from observatory.store import make_store

__all__ = ["Finding", "examine"]

_MIN_FREE_BYTES = 1 << 30


@dataclass(frozen=True)
class Finding:
    """One sentence; `ok` is False when something must be done."""

    ok: bool
    sentence: str


def examine(settings: Settings) -> Iterator[Finding]:
    """Run all checks. They write nothing but a probe in the data folder and in the store."""
    for problem in startup_problems(settings):
        yield Finding(False, problem)
    yield from _data_folder(settings)
    yield from _database(settings)
    yield _store(settings)
    yield _sandbox(settings)
    yield _server(settings)


def _data_folder(settings: Settings) -> Iterator[Finding]:
    folder = settings.data_dir
    if not folder.is_dir():
        yield Finding(False, f"There is no data folder {folder}: start the server once with `observatory serve`")
        return
    closed = not stat.S_IMODE(folder.stat().st_mode) & 0o077
    yield Finding(
        closed, f"The data folder {folder} " + ("is closed to others" if closed else "is open to others: chmod 700")
    )
    reason = why_not_writable(folder)
    if reason is not None:
        yield Finding(False, f"The data folder {folder} cannot be written to: {reason}")
        return
    yield Finding(True, "The data folder can be written to")
    free = shutil.disk_usage(folder).free
    yield Finding(free > _MIN_FREE_BYTES, f"The disk of the data folder has {free >> 30} GB free")
    try:
        load_keys(settings)
        yield Finding(True, "The keys can be read")
    except (BadKey, OSError) as problem:
        yield Finding(False, f"The keys cannot be read: {problem}")


def _database(settings: Settings) -> Iterator[Finding]:
    database = Database(settings.sqlalchemy_url(), timeout_seconds=5)
    try:
        yield from _examine_database(database)
    except SQLAlchemyError as problem:
        yield Finding(False, f"The database: {database_sentence(problem) or type(problem).__name__}")
    finally:
        database.close()


def _examine_database(database: Database) -> Iterator[Finding]:
    if database.path is not None and not database.path.exists():
        yield Finding(False, "There is no database yet: start the server once with `observatory serve`")
        return
    if database.path is not None and why_not_writable(database.path.parent) is not None:
        yield Finding(False, "The database was not examined: SQLite has to write to its folder")
        return
    current, latest = current_revision(database), latest_revision()
    if current != latest:
        yield Finding(
            False, f"The database has revision {current}, and this program needs {latest}: restart the server"
        )
        return
    kind = database.url.get_backend_name()
    yield Finding(True, f"The database ({kind}) answers and has the tables of this program")
    problems = integrity_problems(database)
    if problems:
        yield Finding(
            False, f"The database is damaged: {'; '.join(problems)}: stop the server and restore a backup of before"
        )
    else:
        yield Finding(True, "The database is intact: every row can be read, and every reference is valid")
    clock = clock_problem(database, utc_now())
    yield Finding(clock is None, clock or "The clock is not behind the newest row of the database")


def _store(settings: Settings) -> Finding:
    try:
        make_store(settings, load_keys(settings), utc_now).put("operations/doctor", b"ok")
    except Exception as problem:
        return Finding(False, f"The store cannot be written to: {problem}")
    return Finding(True, f"The store ({settings.store}) can be written to")


def _sandbox(settings: Settings) -> Finding:
    import cogbox

    try:
        level = cogbox.sandbox(minimum=settings.sandbox, at_most="bubblewrap").level.value
    except (cogbox.CogboxError, ValueError) as problem:
        return Finding(False, f"Policies cannot be isolated on this machine: {problem}")
    return Finding(True, f"Policies are isolated by {level}")


def _server(settings: Settings) -> Finding:
    url = running_url(settings.data_dir) if settings.data_dir.is_dir() else None
    if url is None:
        return Finding(True, "No server runs on this data folder")
    try:
        response = httpx.get(f"{url}/readyz", timeout=5, trust_env=False)
        state = response.json()
    except (httpx.HTTPError, ValueError):
        return Finding(False, f"The server at {url} does not answer")
    if not response.is_success:
        return Finding(False, f"The server at {url} is not ready: database {state['database']}, store {state['store']}")
    workers = state["workers"]
    return Finding(workers > 0, f"The server at {url} is ready, and {workers} workers were seen in the last minute")

"""Migrations: forward only, run when the server starts.

A migration with `expands = True` only adds: tables, indexes, columns that are nullable or have a default in the
database. Programs of the release before it work with the result, so that servers of both releases may run at the same
time. `schema_support` names the oldest migration whose programs still work; an older program reads it when it finds a
revision that it does not know. Any other migration is refused while servers of an older release run.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, delete, insert, inspect, select

from observatory.database.engine import Database
from observatory.database.presence import running_servers
from observatory.database.tables.servers import SchemaSupport

__all__ = [
    "DatabaseTooNew",
    "OlderServersRunning",
    "check_supported",
    "current_revision",
    "latest_revision",
    "migrate",
    "upgrade_to",
    "write_revision",
]

_FOLDER = Path(__file__).parent
VERSIONS = [_FOLDER / "versions"]
"""folders with migrations"""


class DatabaseTooNew(RuntimeError):
    """The database was migrated by a newer server whose tables this program cannot use."""


class OlderServersRunning(RuntimeError):
    """Servers of an older release use the database, and the migration would break them."""


def latest_revision() -> str:
    """Return the revision that this program needs."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


def current_revision(database: Database) -> str | None:
    """Return the revision of the database; None for an empty one."""
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def migrate(database: Database) -> None:
    """Migrate the database to this program's revision; do nothing if it is current."""
    upgrade_to(database, "head")


def upgrade_to(database: Database, revision: str) -> None:
    """Migrate to a revision. A newer database is left as it is if it supports this program; else `DatabaseTooNew`."""
    current = current_revision(database)
    if current is not None and not _is_known(current):
        with database.engine.connect() as connection:
            check_supported(connection)
        return
    target = latest_revision() if revision == "head" else revision
    if current == target:
        return
    with database.migration() as connection:
        if not _only_expands(current, target) and not database.is_sqlite:
            _refuse_older_servers(connection, target)
        command.upgrade(_config(connection), revision)
        if inspect(connection).has_table(SchemaSupport.__tablename__):
            connection.execute(delete(SchemaSupport))
            connection.execute(insert(SchemaSupport).values(revision=target, oldest=_oldest_supported(target)))


def check_supported(connection: Connection) -> None:
    """Raise `DatabaseTooNew` if the database has tables that this program cannot use."""
    current = MigrationContext.configure(connection).get_current_revision()
    if current is None or _is_known(current):
        return
    oldest = None
    if inspect(connection).has_table(SchemaSupport.__tablename__):
        oldest = connection.scalar(select(SchemaSupport.oldest).where(SchemaSupport.revision == current))
    if oldest is None or not _is_known(oldest):
        raise DatabaseTooNew(f"The database has revision {current!r}, which is newer than this program: upgrade it")


def _is_known(revision: str) -> bool:
    return revision in {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def _only_expands(current: str | None, target: str) -> bool:
    """Return whether all migrations between two revisions only add."""
    scripts = ScriptDirectory.from_config(_config()).iterate_revisions(target, current or "base")
    return all(getattr(script.module, "expands", False) for script in scripts)


def _oldest_supported(target: str) -> str:
    """Return the oldest revision whose programs work with the tables of `target`."""
    scripts = ScriptDirectory.from_config(_config())
    script = scripts.get_revision(target)
    while script is not None and getattr(script.module, "expands", False) and isinstance(script.down_revision, str):
        script = scripts.get_revision(script.down_revision)
    assert script is not None
    return script.revision


def _refuse_older_servers(connection: Connection, target: str) -> None:
    older = [server.url for server in running_servers(connection) if server.revision < target]
    if older:
        names = ", ".join(sorted(older))
        raise OlderServersRunning(
            f"This release changes tables that older servers use, and {names} still runs; stop it, then start this one"
        )


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.set_main_option("version_locations", os.pathsep.join(str(folder) for folder in VERSIONS))
    config.set_main_option("path_separator", "os")
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.attributes["connection"] = connection
    return config


def write_revision(message: str) -> None:
    """Write a new migration from the difference between the tables and the last one."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/new.db")
        number = len(list((_FOLDER / "versions").glob("[0-9]*.py"))) + 1
        if number > 1:
            migrate(database)
        with database.migration() as connection:
            command.revision(_config(connection), message, autogenerate=True, rev_id=f"{number:04}")
        database.close()

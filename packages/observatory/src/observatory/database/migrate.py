"""Migrations: forward only, run when the server starts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from observatory.database.engine import Database

__all__ = ["current_revision", "latest_revision", "migrate", "upgrade_to", "write_revision"]

_FOLDER = Path(__file__).parent


class DatabaseTooNew(RuntimeError):
    """The database was migrated by a newer server; downgrades are not supported."""


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
    current = current_revision(database)
    revisions = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if current is not None and current not in revisions:
        raise DatabaseTooNew(f"The database has revision {current!r}, which is newer than this program: upgrade it")
    if current == (latest_revision() if revision == "head" else revision):
        return
    with database.migration() as connection:
        command.upgrade(_config(connection), revision)


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.set_main_option("version_locations", str(_FOLDER / "versions"))
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

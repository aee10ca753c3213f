"""Backups: one file with every row, every object of the store, and the keys without which the rest is worth little.

It is made while the server runs: rows come from one transaction that sees one state of the database, and objects are
copied after it, so that everything a row speaks of is there. Rows are written as JSON with the kind of each column, the
same from SQLite and PostgreSQL; a backup of one can be restored into the other, and one of an older server is restored
as that server left it and then migrated.
"""

from __future__ import annotations

import base64
import enum
import io
import json
import shutil
import tarfile
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

import observatory.database.tables  # noqa: F401 - completes the metadata
from observatory.clock import utc_now
from observatory.database import Base, Database, Json, UtcDateTime, migrate
from observatory.database.integrity import integrity_problems
from observatory.database.migrate import current_revision, latest_revision, upgrade_to
from observatory.http.refusals import database_sentence
from observatory.keys import MASTER_KEY_FILE, SECRET_KEY_FILE, load_keys
from observatory.serving.running import why_not_writable
from observatory.settings import Settings
from observatory.store import Missing, Store, make_store

__all__ = ["BackupError", "backup", "restore"]

FORMAT = 1
_KEYS = (SECRET_KEY_FILE, MASTER_KEY_FILE)
_ROWS_AT_ONCE = 1000
_SKIPPED = "operations/"


class BackupError(Exception):
    """A backup cannot be created or restored; the message says why and what to do."""


def backup(settings: Settings, target: Path, *, files: bool = True) -> dict[str, int]:
    """Write a backup to a new file; how many rows each table has, and how many objects the store.

    Without `files` the objects stay where they are: in a bucket that is copied by other means.
    """
    if target.exists():
        raise BackupError(f"{target} exists already; choose another name")
    database = Database(settings.sqlalchemy_url(), timeout_seconds=settings.database_timeout_seconds)
    if database.path is not None and not database.path.exists():
        raise BackupError(f"There is no database in {settings.data_dir}")
    if database.path is not None and (reason := why_not_writable(database.path.parent)):
        raise BackupError(
            f"The folder {database.path.parent} cannot be written to ({reason}), and SQLite has to: "
            "copy the data folder, and back up the copy with --data"
        )
    partial = target.with_name(target.name + ".partial")
    try:
        _check_whole(database)
        store = make_store(settings, load_keys(settings), utc_now)
        partial.touch(mode=0o600)
        with tarfile.open(partial, "w") as archive:
            counts = _add_rows(archive, database)
            for name in _KEYS:
                path = settings.data_dir / name
                if path.exists():
                    _add(archive, f"keys/{name}", path.read_bytes())
            counts["objects"] = _add_objects(archive, store) if files else 0
        partial.replace(target)
    except OSError as problem:
        raise BackupError(f"{target} cannot be written: {problem.strerror or problem}") from None
    except SQLAlchemyError as problem:
        raise BackupError(database_sentence(problem) or f"The database does not answer: {problem}") from None
    finally:
        partial.unlink(missing_ok=True)
        database.close()
    return counts


def _check_whole(database: Database) -> None:
    """Refuse to back up a damaged database: the file would take the place of a good backup."""
    if current_revision(database) != latest_revision():
        return  # of an older program, whose tables are not those of this one
    problems = integrity_problems(database)
    if problems:
        raise BackupError(
            f"The database is damaged, and no backup was made: {'; '.join(problems)}. "
            "Keep the older backups, stop the server and restore the newest with `observatory restore`"
        )


def restore(settings: Settings, source: Path) -> dict[str, int]:
    """Fill an empty data folder, and an empty database, from a backup; counts as of `backup`."""
    folder = settings.data_dir
    if folder.exists() and any(folder.iterdir()):
        raise BackupError(f"{folder} is not empty; a backup is restored into an empty folder only")
    try:
        with tarfile.open(source, "r:") as archive:
            return _restore(settings, archive)
    except BaseException as problem:
        if folder.exists():
            shutil.rmtree(folder)  # it was empty, and half a server is worse than none
        if isinstance(problem, tarfile.TarError | OSError):
            raise BackupError(f"{source} cannot be read: {problem}") from None
        if isinstance(problem, KeyError | ValueError | TypeError | IntegrityError):
            raise BackupError(f"{source} is damaged, and nothing was restored: {problem}") from None
        raise


def _restore(settings: Settings, archive: tarfile.TarFile) -> dict[str, int]:
    manifest = _read_manifest(archive)
    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    _restore_keys(archive, settings.data_dir)
    database = Database(settings.sqlalchemy_url(), timeout_seconds=settings.database_timeout_seconds)
    try:
        counts = _restore_rows(archive, manifest, database)
        migrate(database)
    finally:
        database.close()
    counts["objects"] = _restore_objects(archive, make_store(settings, load_keys(settings), utc_now))
    return counts


@contextmanager
def _one_state(database: Database) -> Iterator[sa.Connection]:
    """A connection that sees one state of the database however long it reads."""
    with database.engine.connect() as connection:
        if not database.is_sqlite:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


def _add_rows(archive: tarfile.TarFile, database: Database) -> dict[str, int]:
    tables: list[dict[str, Any]] = []
    revision = current_revision(database)
    if revision is None:
        raise BackupError("The database has no tables yet: start the server once")
    with _one_state(database) as connection, tempfile.TemporaryDirectory(prefix="observatory-backup-") as scratch:
        for table in _stored_tables(connection, revision):
            path = Path(scratch) / "rows"
            columns = {column.name: _kind(column.type) for column in table.columns}
            rows = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(
                sa.select(table).order_by(*table.primary_key.columns)
            )
            count = 0
            with path.open("w") as file:
                for row in rows:
                    file.write(json.dumps([_to_json(value) for value in row]) + "\n")
                    count += 1
            archive.add(path, f"tables/{table.name}.jsonl")
            tables.append({"name": table.name, "columns": columns, "rows": count})
    manifest = {
        "format": FORMAT,
        "version": version("observatory"),
        "revision": revision,
        "created_at": utc_now().isoformat(),
        "tables": tables,
    }
    _add(archive, "manifest.json", json.dumps(manifest, indent=1).encode())
    return {table["name"]: table["rows"] for table in tables}


def _stored_tables(connection: sa.Connection, revision: str) -> list[sa.Table]:
    """Return the tables as the database has them: an older one is backed up before it is upgraded."""
    if revision == latest_revision():
        return Base.metadata.sorted_tables
    metadata = sa.MetaData()

    def name_type(_inspector: Any, _table: Any, column: Any) -> None:
        column["type"] = _own_type(column["type"])

    sa.event.listen(metadata, "column_reflect", name_type)
    metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name != "alembic_version"]


def _own_type(column_type: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any]:
    """Return the type that a migration gave to a column, from what the database calls it."""
    if isinstance(column_type, sa.CHAR) and column_type.length == 32:  # SQLite has no type for ids
        return sa.Uuid()
    if isinstance(column_type, sa.DateTime):
        return UtcDateTime()
    return Json if isinstance(column_type, sa.JSON) else column_type


class _Unreadable(Exception):
    pass


def _check_readable(path: Path) -> None:
    try:
        with path.open("rb"):
            pass
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise _Unreadable(problem.strerror or str(problem)) from None


def _add_objects(archive: tarfile.TarFile, store: Store) -> int:
    count = 0
    for key in store.keys(""):
        if key.startswith(_SKIPPED):
            continue
        try:
            with store.local(key) as path:
                _check_readable(path)
                archive.add(path, f"store/{key}")
                count += 1
        except (Missing, FileNotFoundError):
            continue  # moved or deleted since it was listed
        except _Unreadable as problem:
            raise BackupError(f"The file {key} of the store cannot be read: {problem}; no backup was made") from None
    return count


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    archive.addfile(entry, io.BytesIO(content))


def _read_manifest(archive: tarfile.TarFile) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(_read(archive, "manifest.json"))
    except (KeyError, ValueError):
        raise BackupError(f"{archive.name!s} is not a complete backup of an observatory") from None
    if manifest.get("format") != FORMAT:
        raise BackupError("The backup has a newer format: restore it with a newer program")
    return manifest


def _restore_keys(archive: tarfile.TarFile, folder: Path) -> None:
    for name in _KEYS:
        if f"keys/{name}" in archive.getnames():
            path = folder / name
            path.touch(mode=0o600)
            path.write_bytes(_read(archive, f"keys/{name}"))


def _restore_rows(archive: tarfile.TarFile, manifest: dict[str, Any], database: Database) -> dict[str, int]:
    if current_revision(database) is not None:
        raise BackupError("The database is not empty; a backup is restored into an empty one only")
    try:
        upgrade_to(database, manifest["revision"])
    except Exception as problem:
        raise BackupError(
            f"The backup has revision {manifest['revision']!r}, which this program does not know: {problem}"
        ) from None
    counts: dict[str, int] = {}
    with database.transaction() as session:
        for table in manifest["tables"]:
            kinds: dict[str, str] = table["columns"]
            target = sa.table(table["name"], *(sa.column(name, _TYPES[kind]) for name, kind in kinds.items()))
            session.execute(sa.delete(target))  # what a migration has put there is in the backup too
            content = archive.extractfile(f"tables/{table['name']}.jsonl")
            assert content is not None
            rows = [
                {name: _from_json(value, kind) for (name, kind), value in zip(kinds.items(), values, strict=True)}
                for values in map(json.loads, content)
            ]
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                session.execute(sa.insert(target), rows[start : start + _ROWS_AT_ONCE])
            if len(rows) != table["rows"]:
                raise BackupError(f"The backup is damaged: {table['name']} has {len(rows)} rows, not {table['rows']}")
            counts[table["name"]] = len(rows)
    return counts


def _restore_objects(archive: tarfile.TarFile, store: Store) -> int:
    count = 0
    with tempfile.TemporaryDirectory(prefix="observatory-restore-") as scratch:
        for entry in archive:
            if not entry.name.startswith("store/") or not entry.isfile():
                continue
            content = archive.extractfile(entry)
            assert content is not None
            path = Path(scratch) / "object"
            with path.open("wb") as file:
                while piece := content.read(1 << 20):
                    file.write(piece)
            store.put_file(entry.name.removeprefix("store/"), path)
            count += 1
    return count


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    content = archive.extractfile(name)
    assert content is not None
    return content.read()


_TYPES: dict[str, sa.types.TypeEngine[Any]] = {
    "uuid": sa.Uuid(),
    "time": UtcDateTime(),
    "bytes": sa.LargeBinary(),
    "json": Json,
    "plain": sa.types.NullType(),
}


def _kind(column_type: sa.types.TypeEngine[Any]) -> str:
    """What to make of a column's values when they are read again, whatever the tables look like by then."""
    if isinstance(column_type, sa.Uuid):
        return "uuid"
    if isinstance(column_type, UtcDateTime):
        return "time"
    if isinstance(column_type, sa.LargeBinary):
        return "bytes"
    if isinstance(column_type, sa.JSON):
        return "json"
    return "plain"


def _to_json(value: Any) -> Any:
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, enum.Enum):
        return value.value
    return value


def _from_json(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "uuid":
        return uuid.UUID(value)
    if kind == "time":
        return datetime.fromisoformat(value)
    if kind == "bytes":
        return base64.b64decode(value)
    return value

"""The database: the base of all tables, sessions, migrations."""

from observatory.database.base import Base, Json, UtcDateTime, enum_type, new_id
from observatory.database.deps import DatabaseDep, SessionDep, own_transactions
from observatory.database.engine import Database, DatabaseGone
from observatory.database.migrate import migrate

__all__ = [
    "Base",
    "Database",
    "DatabaseDep",
    "DatabaseGone",
    "Json",
    "SessionDep",
    "UtcDateTime",
    "enum_type",
    "migrate",
    "new_id",
    "own_transactions",
]

"""What Alembic runs; called by `observatory.database.migrate` with an open connection."""

from typing import Any, Literal

import sqlalchemy as sa
from alembic import context
from sqlalchemy import Connection

import observatory.database.tables  # noqa: F401
from observatory.database.base import Base, UtcDateTime


def render(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Render column types in migrations: SQLAlchemy's own, and three of this package."""
    if kind == "type":
        if isinstance(item, UtcDateTime):
            return "UtcDateTime()"
        if isinstance(item, sa.JSON):
            return "Json"
        if isinstance(item, sa.Enum):
            return f"sa.String({item.length})"
    return False


connection: Connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    render_item=render,
)
context.run_migrations()

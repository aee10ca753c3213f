"""Server processes, rate limits that they share, the programs that a database supports; the server of a hosted game."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import UtcDateTime

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None
expands = True


def upgrade() -> None:
    op.create_table(
        "server_processes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(500), nullable=False),
        sa.Column("version", sa.String(100), nullable=False),
        sa.Column("revision", sa.String(32), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_server_processes"),
        sa.UniqueConstraint("number", name="uq_server_processes_number"),
    )
    op.create_table(
        "rate_levels",
        sa.Column("limiter", sa.String(20), nullable=False),
        sa.Column("caller", sa.String(64), nullable=False),
        sa.Column("level", sa.Float(), nullable=False),
        sa.Column("updated_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("limiter", "caller", name="pk_rate_levels"),
    )
    op.create_table(
        "schema_support",
        sa.Column("revision", sa.String(32), nullable=False),
        sa.Column("oldest", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("revision", name="pk_schema_support"),
    )
    with op.batch_alter_table("hosted_games") as games:
        games.add_column(sa.Column("server_id", sa.Uuid(), nullable=True))

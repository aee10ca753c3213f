"""Workers with labels and capacity, labels that jobs require, and the token that leased a job."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import Json, UtcDateTime

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None
expands = True


def upgrade() -> None:
    op.add_column("queue_shares", sa.Column("worker_labels", Json, nullable=True))
    op.add_column("jobs", sa.Column("worker_token_id", sa.Uuid(), nullable=True))
    op.create_table(
        "connected_workers",
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("token_id", sa.Uuid(), nullable=True),
        sa.Column("labels", Json, nullable=False),
        sa.Column("cpus", sa.Integer(), nullable=True),
        sa.Column("gpus", sa.Integer(), nullable=True),
        sa.Column("memory_mb", sa.Integer(), nullable=True),
        sa.Column("unable", sa.Text(), nullable=True),
        sa.Column("last_seen_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_connected_workers"),
    )
    op.create_index("ix_connected_workers_last_seen_at", "connected_workers", ["last_seen_at"])

"""Segments of the logs of ended matches, for a fast start."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import UtcDateTime

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None
expands = True


def upgrade() -> None:
    op.create_table(
        "match_log_segments",
        sa.Column("pool_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("last_order", sa.BigInteger(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name="fk_match_log_segments_pool_id"),
        sa.PrimaryKeyConstraint("pool_id", "number", name="pk_match_log_segments"),
    )

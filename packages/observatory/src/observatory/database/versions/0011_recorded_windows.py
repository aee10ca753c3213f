"""Recorded windows of persistent leagues."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import Json, UtcDateTime

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recorded_windows",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("source_id", sa.String(200), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=False),
        sa.Column("episodes", Json, nullable=False),
        sa.Column("round_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_recorded_windows_league_id"),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_recorded_windows_round_id"),
        sa.PrimaryKeyConstraint("id", name="pk_recorded_windows"),
        sa.UniqueConstraint("league_id", "source_id", name="uq_recorded_windows_league_id_source_id"),
    )

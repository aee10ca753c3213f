"""Logs of policies: how large each is, whose it is, and when it may go."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import UtcDateTime

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "policy_logs",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("policy_index", sa.Integer(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(300), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_policy_logs_job_id"),
        sa.ForeignKeyConstraint(["policy_version_id"], ["policy_versions.id"], name="fk_policy_logs_policy_version_id"),
        sa.PrimaryKeyConstraint("job_id", "policy_index", name="pk_policy_logs"),
    )
    op.create_index("ix_policy_logs_policy_version_id", "policy_logs", ["policy_version_id"])
    op.create_index("ix_policy_logs_created_at", "policy_logs", ["created_at"])

"""Grants for all versions of an owner, the audit log, faults of workers' machines, sizes of what jobs left."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import Json, UtcDateTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "owner_grants",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("host", sa.String(253), nullable=False),
        sa.Column("granted_by", sa.String(64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_owner_grants_user_id"),
        sa.ForeignKeyConstraint(["granted_by"], ["users.id"], name="fk_owner_grants_granted_by"),
        sa.PrimaryKeyConstraint("id", name="pk_owner_grants"),
        sa.UniqueConstraint("user_id", "host", name="uq_owner_grants_user_id_host"),
    )
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("actor_id", sa.String(64), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("details", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["actor_id"], ["users.id"], name="fk_audit_log_actor_id"),
        sa.PrimaryKeyConstraint("id", name="pk_audit_log"),
    )
    op.create_index("ix_audit_log_created_at", "audit_log", ["created_at"])
    op.create_table(
        "job_faults",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("worker", sa.String(200), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_job_faults_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_job_faults"),
    )
    op.create_index("ix_job_faults_job_id", "job_faults", ["job_id"])
    op.add_column("jobs", sa.Column("artifact_bytes", sa.BigInteger(), nullable=True))
    op.add_column("jobs", sa.Column("replay_removed_at", UtcDateTime(), nullable=True))
    op.create_index("ix_jobs_completed_at", "jobs", ["completed_at"])

"""Indexes for jobs of a state, newest first, and for the bytes of a policy's logs."""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None
expands = True


def upgrade() -> None:
    op.create_index("ix_jobs_status_id", "jobs", ["status", "id"])
    op.create_index("ix_policy_logs_policy_version_id_bytes", "policy_logs", ["policy_version_id", "bytes"])
    op.drop_index("ix_policy_logs_policy_version_id", "policy_logs")  # the new one begins with the same column

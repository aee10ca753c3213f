"""Jobs of a state, newest first."""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None
expands = True


def upgrade() -> None:
    op.create_index("ix_jobs_status_id", "jobs", ["status", "id"])

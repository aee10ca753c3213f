"""Shares of the queue, the group and person of each job, and drafts of seasons."""

import uuid

import sqlalchemy as sa
from alembic import op

from observatory.database.base import UtcDateTime

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_OPEN = sa.text("status IN ('pending', 'dispatched', 'running')")


def upgrade() -> None:
    op.create_table(
        "queue_shares",
        sa.Column("key", sa.String(140), nullable=False),
        sa.Column("parent", sa.String(64), nullable=True),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("used", sa.Float(), nullable=False),
        sa.Column("clock", sa.Float(), nullable=False),
        sa.Column("waits", sa.Boolean(), nullable=False),
        sa.Column("job_seconds", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("key", name="pk_queue_shares"),
    )
    op.create_index("ix_queue_shares_parent", "queue_shares", ["parent"])
    with op.batch_alter_table("jobs") as jobs:
        jobs.add_column(sa.Column("queue_group", sa.String(64), nullable=False, server_default="other"))
        jobs.add_column(sa.Column("queue_person", sa.String(64), nullable=False, server_default=""))
        jobs.drop_index("ix_jobs_status_priority_created_at")
    _group_open_jobs()
    with op.batch_alter_table("jobs") as jobs:
        jobs.alter_column("queue_group", server_default=None)
        jobs.alter_column("queue_person", server_default=None)
        jobs.create_index(
            "ix_jobs_status_queue_group_queue_person_priority_created_at_id",
            ["status", "queue_group", "queue_person", "priority", "created_at", "id"],
        )
    with op.batch_alter_table("job_faults") as faults:
        faults.create_index("ix_job_faults_worker", ["worker"])
    with op.batch_alter_table("seasons") as seasons:
        seasons.add_column(sa.Column("opened_at", UtcDateTime(), nullable=True))
    op.execute("UPDATE seasons SET opened_at = created_at")


def _group_open_jobs() -> None:
    """Give the jobs that have not ended the groups that new jobs have."""
    connection = op.get_bind()
    jobs = sa.table(
        "jobs",
        sa.column("id", sa.Uuid()),
        sa.column("job_type", sa.String()),
        sa.column("user_id", sa.String()),
        sa.column("queue_group", sa.String()),
        sa.column("queue_person", sa.String()),
    )
    matches = sa.table("matches", sa.column("job_id", sa.Uuid()), sa.column("pool_id", sa.Uuid()))
    pools = sa.table("pools", sa.column("id", sa.Uuid()), sa.column("season_id", sa.Uuid()))
    assays = sa.table("assay_jobs", sa.column("job_id", sa.Uuid()))
    requests = sa.table("episode_requests", sa.column("job_id", sa.Uuid()))
    person = sa.func.coalesce(jobs.c.user_id, "")
    connection.execute(sa.update(jobs).where(_OPEN).values(queue_person=person))
    for group, table in (("assays", assays), ("requests", requests)):
        connection.execute(
            sa.update(jobs).where(_OPEN, jobs.c.id.in_(sa.select(table.c.job_id))).values(queue_group=group)
        )
    for kind in ("hosted", "commissioner"):
        connection.execute(sa.update(jobs).where(_OPEN, jobs.c.job_type == kind).values(queue_group=kind))
    open_jobs = sa.select(jobs.c.id).where(_OPEN)
    seasons = (
        sa.select(pools.c.season_id)
        .join_from(pools, matches, matches.c.pool_id == pools.c.id)
        .where(matches.c.job_id.in_(open_jobs))
        .distinct()
    )
    for season_id in connection.scalars(seasons).all():
        of_season = (
            sa.select(matches.c.job_id)
            .join_from(matches, pools, matches.c.pool_id == pools.c.id)
            .where(pools.c.season_id == season_id)
        )
        group = f"season:{uuid.UUID(str(season_id))}"
        connection.execute(sa.update(jobs).where(_OPEN, jobs.c.id.in_(of_season)).values(queue_group=group))

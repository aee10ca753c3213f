"""Container commissioners: conversations, their messages and episodes."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import Json, UtcDateTime

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "league_commissioners",
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.String(64), nullable=True),
        sa.Column("refused", Json, nullable=False),
        sa.Column("scheduled_at", UtcDateTime(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("failed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_league_commissioners_league_id"),
        sa.PrimaryKeyConstraint("league_id", name="pk_league_commissioners"),
    )
    op.create_table(
        "commissioner_runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("round_id", sa.Uuid(), nullable=True),
        sa.Column("phase", sa.String(32), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("coworld_id", sa.Uuid(), nullable=False),
        sa.Column("runnable_id", sa.String(200), nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("idempotency_key", sa.String(200), nullable=True),
        sa.Column("opening", Json, nullable=True),
        sa.Column("plan", Json, nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("connection", sa.Integer(), nullable=False),
        sa.Column("is_connected", sa.Boolean(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("active_at", UtcDateTime(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_commissioner_runs_league_id"),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_commissioner_runs_round_id"),
        sa.ForeignKeyConstraint(["coworld_id"], ["coworlds.id"], name="fk_commissioner_runs_coworld_id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_commissioner_runs_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_commissioner_runs"),
        sa.UniqueConstraint("job_id", name="uq_commissioner_runs_job_id"),
        sa.UniqueConstraint("league_id", "idempotency_key", name="uq_commissioner_runs_league_id_idempotency_key"),
    )
    op.create_index("ix_commissioner_runs_round_id", "commissioner_runs", ["round_id"])
    op.create_index("ix_commissioner_runs_status", "commissioner_runs", ["status"])
    op.create_table(
        "commissioner_messages",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("connection", sa.Integer(), nullable=False),
        sa.Column("from_commissioner", sa.Boolean(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("message_type", sa.String(64), nullable=False),
        sa.Column("content", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["commissioner_runs.id"], name="fk_commissioner_messages_run_id"),
        sa.PrimaryKeyConstraint("id", name="pk_commissioner_messages"),
        sa.UniqueConstraint(
            "run_id",
            "connection",
            "from_commissioner",
            "number",
            name="uq_commissioner_messages_number",
        ),
    )
    op.create_table(
        "commissioner_episodes",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("request_id", sa.String(200), nullable=False),
        sa.Column("episode_request_id", sa.Uuid(), nullable=False),
        sa.Column("requested", Json, nullable=False),
        sa.Column("asked_on", sa.Integer(), nullable=False),
        sa.Column("reported_on", sa.Integer(), nullable=False),
        sa.Column("cancelled", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["commissioner_runs.id"], name="fk_commissioner_episodes_run_id"),
        sa.ForeignKeyConstraint(
            ["episode_request_id"], ["episode_requests.id"], name="fk_commissioner_episodes_episode_request_id"
        ),
        sa.PrimaryKeyConstraint("run_id", "request_id", name="pk_commissioner_episodes"),
        sa.UniqueConstraint("episode_request_id", name="uq_commissioner_episodes_episode_request_id"),
    )

"""Notices with their deliveries and settings, reported ranks, and friendly matches."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import Json, UtcDateTime

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notices",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("topic", sa.String(200), nullable=False),
        sa.Column("title", sa.String(300), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("url", sa.String(300), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("details", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("read_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_notices_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
    )
    op.create_index("ix_notices_user_id_updated_at", "notices", ["user_id", "updated_at"])
    op.create_index("ix_notices_user_id_kind_topic", "notices", ["user_id", "kind", "topic"])
    op.create_table(
        "notice_deliveries",
        sa.Column("notice_id", sa.Uuid(), nullable=False),
        sa.Column("channel", sa.String(32), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=False),
        sa.Column("error", sa.String(500), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["notice_id"], ["notices.id"], name="fk_notice_deliveries_notice_id"),
        sa.PrimaryKeyConstraint("notice_id", "channel", name="pk_notice_deliveries"),
    )
    op.create_index("ix_notice_deliveries_status_due_at", "notice_deliveries", ["status", "due_at"])
    op.create_table(
        "notice_settings",
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("kinds", Json, nullable=False),
        sa.Column("email", sa.String(255), nullable=True),
        sa.Column("email_confirmed_at", UtcDateTime(), nullable=True),
        sa.Column("email_asked_at", UtcDateTime(), nullable=True),
        sa.Column("webhook_url", sa.String(1000), nullable=True),
        sa.Column("webhook_nonce", sa.String(64), nullable=True),
        sa.Column("challenges", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_notice_settings_user_id"),
        sa.PrimaryKeyConstraint("user_id", name="pk_notice_settings"),
    )
    op.create_table(
        "table_ranks",
        sa.Column("pool_id", sa.Uuid(), nullable=False),
        sa.Column("ranks", Json, nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("final_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name="fk_table_ranks_pool_id"),
        sa.PrimaryKeyConstraint("pool_id", name="pk_table_ranks"),
    )
    op.create_table(
        "friendlies",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("challenger_id", sa.String(64), nullable=False),
        sa.Column("opponent_id", sa.String(64), nullable=False),
        sa.Column("version_id", sa.Uuid(), nullable=False),
        sa.Column("opponent_version_id", sa.Uuid(), nullable=False),
        sa.Column("mission", sa.String(200), nullable=False),
        sa.Column("season", sa.String(100), nullable=True),
        sa.Column("env_config_id", sa.Uuid(), nullable=False),
        sa.Column("assignments", Json, nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("opponent_score", sa.Float(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("error_type", sa.String(64), nullable=True),
        sa.Column("failed_policy_index", sa.Integer(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("answered_at", UtcDateTime(), nullable=True),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["challenger_id"], ["users.id"], name="fk_friendlies_challenger_id"),
        sa.ForeignKeyConstraint(["opponent_id"], ["users.id"], name="fk_friendlies_opponent_id"),
        sa.ForeignKeyConstraint(["version_id"], ["policy_versions.id"], name="fk_friendlies_version_id"),
        sa.ForeignKeyConstraint(
            ["opponent_version_id"], ["policy_versions.id"], name="fk_friendlies_opponent_version_id"
        ),
        sa.ForeignKeyConstraint(["env_config_id"], ["env_configs.id"], name="fk_friendlies_env_config_id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_friendlies_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_friendlies"),
        sa.UniqueConstraint("job_id", name="uq_friendlies_job_id"),
    )
    op.create_index("ix_friendlies_challenger_id_created_at", "friendlies", ["challenger_id", "created_at"])
    op.create_index("ix_friendlies_opponent_id_created_at", "friendlies", ["opponent_id", "created_at"])
    op.create_index("ix_friendlies_version_id", "friendlies", ["version_id"])
    op.create_index("ix_friendlies_opponent_version_id", "friendlies", ["opponent_version_id"])

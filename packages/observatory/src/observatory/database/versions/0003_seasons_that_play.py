"""Seasons that play: the order in which matches ended, what a match is for, what proves a job, notes on teams."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    with op.batch_alter_table("matches") as batch_op:
        batch_op.add_column(sa.Column("sample", sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("picked_policy_index", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("reason", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("completed_order", sa.BigInteger(), nullable=True))
    op.execute("UPDATE matches SET sample = repetition")
    _number("matches", "completed_order", "completed_at, created_at, id", where="completed_at IS NOT NULL")
    with op.batch_alter_table("matches") as batch_op:
        batch_op.alter_column("sample", existing_type=sa.Integer(), server_default=None)
        batch_op.create_unique_constraint("uq_matches_completed_order", ["completed_order"])
        batch_op.create_index("ix_matches_pool_id_completed_order", ["pool_id", "completed_order"])

    with op.batch_alter_table("jobs") as batch_op:
        batch_op.add_column(sa.Column("runtime", _JSON, nullable=True))
        batch_op.add_column(sa.Column("digests", _JSON, nullable=True))
        batch_op.add_column(sa.Column("env_config_id", sa.Uuid(), nullable=True))
        batch_op.create_foreign_key("fk_jobs_env_config_id", "env_configs", ["env_config_id"], ["id"])

    with op.batch_alter_table("teams") as batch_op:
        batch_op.add_column(sa.Column("notes", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("position", sa.Integer(), nullable=False, server_default="0"))
    _number("teams", "position", "created_at, id", within="pool_id", first=0)
    with op.batch_alter_table("teams") as batch_op:
        batch_op.alter_column("position", existing_type=sa.Integer(), server_default=None)

    with op.batch_alter_table("seasons") as batch_op:
        batch_op.add_column(sa.Column("source", sa.Text(), nullable=True))

    with op.batch_alter_table("policy_versions") as batch_op:
        batch_op.add_column(sa.Column("public_bundle", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("policy_versions") as batch_op:
        batch_op.alter_column("public_bundle", existing_type=sa.Boolean(), server_default=None)


def _number(table: str, column: str, order: str, *, where: str = "1 = 1", within: str = "", first: int = 1) -> None:
    """Number the rows there are."""
    partition = f"PARTITION BY {within} " if within else ""
    place = f"row_number() OVER ({partition}ORDER BY {order}) - 1 + {first}"
    op.execute(
        f"UPDATE {table} SET {column} = numbered.place "
        f"FROM (SELECT id AS row_id, {place} AS place FROM {table} WHERE {where}) AS numbered "
        f"WHERE {table}.id = numbered.row_id"
    )

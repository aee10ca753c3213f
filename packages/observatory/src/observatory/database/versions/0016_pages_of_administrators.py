"""Invitations that can be revoked and used several times, last uses of tokens, quotas of users, drained workers."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import UtcDateTime

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("invitations") as invitations:
        invitations.add_column(sa.Column("note", sa.String(200), nullable=False, server_default=""))
        invitations.add_column(sa.Column("created_by", sa.String(64), nullable=True))
        invitations.add_column(sa.Column("max_uses", sa.Integer(), nullable=False, server_default="1"))
        invitations.add_column(sa.Column("uses", sa.Integer(), nullable=False, server_default="0"))
        invitations.add_column(sa.Column("revoked_at", UtcDateTime(), nullable=True))
        invitations.create_foreign_key("fk_invitations_created_by", "users", ["created_by"], ["id"])
    op.execute("UPDATE invitations SET uses = 1 WHERE used_at IS NOT NULL")
    with op.batch_alter_table("invitations") as invitations:
        for name in ("note", "max_uses", "uses"):
            invitations.alter_column(name, server_default=None)
    with op.batch_alter_table("tokens") as tokens:
        tokens.add_column(sa.Column("last_used_at", UtcDateTime(), nullable=True))
    op.create_table(
        "user_quotas",
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("max_stored_bytes", sa.BigInteger(), nullable=True),
        sa.Column("max_uploads_per_day", sa.Integer(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_user_quotas_user_id"),
        sa.PrimaryKeyConstraint("user_id", name="pk_user_quotas"),
    )
    op.create_table(
        "drained_workers",
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_drained_workers_user_id"),
        sa.PrimaryKeyConstraint("name", name="pk_drained_workers"),
    )

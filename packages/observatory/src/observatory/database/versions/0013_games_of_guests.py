"""Hosted games of guests, who have no account."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("hosted_games") as games:
        games.alter_column("user_id", existing_type=sa.String(64), nullable=True)
        games.add_column(sa.Column("guest_hash", sa.String(64), nullable=True))
        games.add_column(sa.Column("guest_address", sa.String(64), nullable=True))
        games.create_index("ix_hosted_games_guest_address_created_at", ["guest_address", "created_at"])

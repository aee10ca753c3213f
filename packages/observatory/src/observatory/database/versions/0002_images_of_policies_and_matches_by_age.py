"""Images of policies; matches by age."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:

    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.create_index("ix_matches_pool_id_created_at", ["pool_id", "created_at"], unique=False)

    with op.batch_alter_table("policy_versions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("container_image_id", sa.String(length=200), nullable=True))

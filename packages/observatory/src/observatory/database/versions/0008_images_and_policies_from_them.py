"""Container images and their blobs; policies from images and files."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import UtcDateTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "container_images",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("client_hash", sa.String(200), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("tag", sa.String(128), nullable=True),
        sa.Column("manifest", sa.LargeBinary(), nullable=True),
        sa.Column("media_type", sa.String(200), nullable=True),
        sa.Column("digest", sa.String(71), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_container_images_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_container_images"),
        sa.UniqueConstraint("user_id", "client_hash", name="uq_container_images_user_id_client_hash"),
        sa.UniqueConstraint("user_id", "name", "version", name="uq_container_images_user_id_name_version"),
    )
    op.create_index("ix_container_images_created_at_id", "container_images", ["created_at", "id"])
    op.create_table(
        "image_blobs",
        sa.Column("digest", sa.String(71), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_image_blobs"),
    )
    op.create_table(
        "image_blob_owners",
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(71), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_image_blob_owners_user_id"),
        sa.ForeignKeyConstraint(["digest"], ["image_blobs.digest"], name="fk_image_blob_owners_digest"),
        sa.PrimaryKeyConstraint("user_id", "digest", name="pk_image_blob_owners"),
    )
    op.create_index("ix_image_blob_owners_digest", "image_blob_owners", ["digest"])
    op.create_table(
        "image_blob_references",
        sa.Column("image_id", sa.Uuid(), nullable=False),
        sa.Column("digest", sa.String(71), nullable=False),
        sa.ForeignKeyConstraint(["image_id"], ["container_images.id"], name="fk_image_blob_references_image_id"),
        sa.ForeignKeyConstraint(["digest"], ["image_blobs.digest"], name="fk_image_blob_references_digest"),
        sa.PrimaryKeyConstraint("image_id", "digest", name="pk_image_blob_references"),
    )
    op.create_index("ix_image_blob_references_digest", "image_blob_references", ["digest"])
    op.create_table(
        "image_uploads",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("image_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("received", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["image_id"], ["container_images.id"], name="fk_image_uploads_image_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_image_uploads_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_image_uploads"),
    )
    op.create_index("ix_image_uploads_image_id", "image_uploads", ["image_id"])
    op.create_index("ix_image_uploads_user_id", "image_uploads", ["user_id"])
    op.create_table(
        "policy_secret_envs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_policy_secret_envs_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_policy_secret_envs"),
    )
    op.create_index("ix_policy_secret_envs_user_id", "policy_secret_envs", ["user_id"])
    op.add_column(
        "policies", sa.Column("selection_scope", sa.String(32), nullable=False, server_default="owner_visible")
    )
    op.add_column("policy_versions", sa.Column("kind", sa.String(32), nullable=False, server_default="bundle"))
    op.execute("UPDATE policy_versions SET kind = 'description' WHERE bundle_key IS NULL")

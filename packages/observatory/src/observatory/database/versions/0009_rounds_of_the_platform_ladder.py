"""Rounds of the platform ladder: plans, logs, ratings and requests for grades."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import Json, UtcDateTime

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("leagues", sa.Column("round_triggered_at", UtcDateTime(), nullable=True))
    with op.batch_alter_table("rounds") as rounds:
        rounds.add_column(sa.Column("plan", Json, nullable=True))
        rounds.add_column(sa.Column("log", Json, nullable=True))
        rounds.add_column(sa.Column("settled_order", sa.Integer(), nullable=True))
        rounds.create_unique_constraint("uq_rounds_settled_order", ["settled_order"])
    op.create_table(
        "ladder_ratings",
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("standing", Json, nullable=False),
        sa.Column("round_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_ladder_ratings_league_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_ladder_ratings_player_id"),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_ladder_ratings_round_id"),
        sa.PrimaryKeyConstraint("league_id", "player_id", name="pk_ladder_ratings"),
    )
    op.create_table(
        "grade_requests",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("idempotency_key", sa.String(200), nullable=False),
        sa.Column("policy_version_ids", Json, nullable=False),
        sa.Column("waiting", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_grade_requests_league_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_grade_requests_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_grade_requests"),
        sa.UniqueConstraint(
            "league_id", "user_id", "idempotency_key", name="uq_grade_requests_league_id_user_id_idempotency_key"
        ),
    )

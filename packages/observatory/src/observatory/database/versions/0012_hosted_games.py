"""Hosted games, the places in them, and lobbies."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import Json, UtcDateTime

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_ACTIVE = sa.text("status IN ('draft', 'pending', 'running')")


def upgrade() -> None:
    with op.batch_alter_table("episode_seats") as seats:
        seats.add_column(sa.Column("user_id", sa.String(64), nullable=True))
        seats.create_foreign_key("fk_episode_seats_user_id", "users", ["user_id"], ["id"])
        seats.create_index("ix_episode_seats_user_id", ["user_id"])
    op.create_table(
        "hosted_games",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("coworld_id", sa.Uuid(), nullable=False),
        sa.Column("variant_id", sa.String(200), nullable=True),
        sa.Column("seats", Json, nullable=False),
        sa.Column("allow_spectators", sa.Boolean(), nullable=False),
        sa.Column("episode_request_id", sa.Uuid(), nullable=True),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("joined_at", UtcDateTime(), nullable=True),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("running_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_hosted_games_user_id"),
        sa.ForeignKeyConstraint(["coworld_id"], ["coworlds.id"], name="fk_hosted_games_coworld_id"),
        sa.ForeignKeyConstraint(
            ["episode_request_id"], ["episode_requests.id"], name="fk_hosted_games_episode_request_id"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_hosted_games_job_id"),
        sa.PrimaryKeyConstraint("id", name="pk_hosted_games"),
        sa.UniqueConstraint("job_id", name="uq_hosted_games_job_id"),
    )
    op.create_index("ix_hosted_games_status", "hosted_games", ["status"])
    op.create_index("ix_hosted_games_episode_request_id", "hosted_games", ["episode_request_id"])
    op.create_index("ix_hosted_games_user_id_created_at", "hosted_games", ["user_id", "created_at"])
    op.create_table(
        "hosted_places",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=True),
        sa.Column("user_id", sa.String(64), nullable=True),
        sa.Column("player_id", sa.String(64), nullable=True),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("joined_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["hosted_games.id"], name="fk_hosted_places_game_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_hosted_places_user_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_hosted_places_player_id"),
        sa.PrimaryKeyConstraint("id", name="pk_hosted_places"),
        sa.UniqueConstraint("game_id", "slot", name="uq_hosted_places_game_id_slot"),
        sa.UniqueConstraint("token_hash", name="uq_hosted_places_token_hash"),
    )
    op.create_table(
        "lobbies",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("coworld_id", sa.Uuid(), nullable=False),
        sa.Column("host_user_id", sa.String(64), nullable=False),
        sa.Column("idempotency_key", sa.String(200), nullable=False),
        sa.Column("start_key", sa.String(200), nullable=True),
        sa.Column("variant_id", sa.String(200), nullable=True),
        sa.Column("game_config_overrides", Json, nullable=False),
        sa.Column("min_players", sa.Integer(), nullable=False),
        sa.Column("max_players", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("hosted_game_id", sa.Uuid(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_lobbies_league_id"),
        sa.ForeignKeyConstraint(["coworld_id"], ["coworlds.id"], name="fk_lobbies_coworld_id"),
        sa.ForeignKeyConstraint(["host_user_id"], ["users.id"], name="fk_lobbies_host_user_id"),
        sa.ForeignKeyConstraint(["hosted_game_id"], ["hosted_games.id"], name="fk_lobbies_hosted_game_id"),
        sa.PrimaryKeyConstraint("id", name="pk_lobbies"),
        sa.UniqueConstraint("host_user_id", "idempotency_key", name="uq_lobbies_host_user_id_idempotency_key"),
        sa.UniqueConstraint("hosted_game_id", name="uq_lobbies_hosted_game_id"),
    )
    op.create_index("ix_lobbies_league_id", "lobbies", ["league_id"])
    op.create_index("ix_lobbies_status", "lobbies", ["status"])
    op.create_index(
        "uq_lobbies_active_host_user_id",
        "lobbies",
        ["host_user_id"],
        unique=True,
        sqlite_where=_ACTIVE,
        postgresql_where=_ACTIVE,
    )
    op.create_table(
        "lobby_seats",
        sa.Column("lobby_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=True),
        sa.Column("user_id", sa.String(64), nullable=True),
        sa.Column("slot", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["lobby_id"], ["lobbies.id"], name="fk_lobby_seats_lobby_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_lobby_seats_player_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_lobby_seats_user_id"),
        sa.PrimaryKeyConstraint("lobby_id", "position", name="pk_lobby_seats"),
    )

"""Coworlds, leagues and episodes on request."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import Json, UtcDateTime

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "league_games",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("slug", sa.String(length=200), nullable=False),
        sa.Column("coworld_name", sa.String(length=200), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_league_games"),
        sa.UniqueConstraint("coworld_name", name="uq_league_games_coworld_name"),
    )
    op.create_table(
        "content_files",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_content_files_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_content_files"),
        sa.UniqueConstraint("user_id", "kind", "sha256", name="uq_content_files_user_id_kind_sha256"),
    )
    op.create_table(
        "coworld_secrets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("name_key", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.Column("size_bytes", sa.Integer(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_coworld_secrets_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_coworld_secrets"),
        sa.UniqueConstraint("user_id", "name_key", "name", name="uq_coworld_secrets_user_id_name_key_name"),
    )
    op.create_table(
        "coworlds",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("name_key", sa.String(length=200), nullable=False),
        sa.Column("version", sa.String(length=100), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("visibility", sa.String(32), nullable=False),
        sa.Column("manifest", Json, nullable=False),
        sa.Column("manifest_hash", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("canonical", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_coworlds_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_coworlds"),
        sa.UniqueConstraint("name_key", "version", name="uq_coworlds_name_key_version"),
    )
    op.create_index("ix_coworlds_created_at_id", "coworlds", ["created_at", "id"])
    op.create_index("ix_coworlds_user_id", "coworlds", ["user_id"])
    op.create_index(
        "uq_coworlds_canonical",
        "coworlds",
        ["name_key"],
        unique=True,
        sqlite_where=sa.text("canonical"),
        postgresql_where=sa.text("canonical"),
    )
    op.create_table(
        "reporters",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("display_name", sa.String(length=200), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("outputs", Json, nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_reporters_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_reporters"),
        sa.UniqueConstraint("user_id", "name", name="uq_reporters_user_id_name"),
    )
    op.create_table(
        "certifications",
        sa.Column("coworld_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("contract_version", sa.String(length=32), nullable=True),
        sa.Column("failed_step", sa.String(length=100), nullable=True),
        sa.Column("failure", Json, nullable=True),
        sa.Column("transcript", sa.Text(), nullable=True),
        sa.Column("transcript_summary", Json, nullable=False),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["coworld_id"], ["coworlds.id"], name="fk_certifications_coworld_id"),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_certifications_job_id"),
        sa.PrimaryKeyConstraint("coworld_id", name="pk_certifications"),
    )
    op.create_table(
        "leagues",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("slug", sa.String(length=200), nullable=False),
        sa.Column("default_variant_id", sa.String(length=200), nullable=True),
        sa.Column("commissioner_key", sa.String(length=100), nullable=False),
        sa.Column("commissioner_config", Json, nullable=False),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("is_game_of_week", sa.Boolean(), nullable=False),
        sa.Column("settings", Json, nullable=False),
        sa.Column("settings_revision", sa.Integer(), nullable=False),
        sa.Column("seed_policies", Json, nullable=False),
        sa.Column("state", Json, nullable=False),
        sa.Column("submissions_locked_at", UtcDateTime(), nullable=True),
        sa.Column("locked_coworld_id", sa.Uuid(), nullable=True),
        sa.Column("rounds_paused_at", UtcDateTime(), nullable=True),
        sa.Column("disabled_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["league_games.id"], name="fk_leagues_game_id"),
        sa.ForeignKeyConstraint(["locked_coworld_id"], ["coworlds.id"], name="fk_leagues_locked_coworld_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_leagues_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_leagues"),
    )
    op.create_index("ix_leagues_created_at_id", "leagues", ["created_at", "id"])
    op.create_index("ix_leagues_game_id", "leagues", ["game_id"])
    op.create_table(
        "reporter_versions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("reporter_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("attributes", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["reporter_id"], ["reporters.id"], name="fk_reporter_versions_reporter_id"),
        sa.PrimaryKeyConstraint("id", name="pk_reporter_versions"),
        sa.UniqueConstraint("reporter_id", "version", name="uq_reporter_versions_reporter_id_version"),
    )
    op.create_table(
        "divisions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("commissioner_description", Json, nullable=True),
        sa.Column("leaderboards", Json, nullable=True),
        sa.Column("archived_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_divisions_league_id"),
        sa.PrimaryKeyConstraint("id", name="pk_divisions"),
        sa.UniqueConstraint("league_id", "name", name="uq_divisions_league_id_name"),
    )
    op.create_table(
        "league_seeds",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("coworld_name", sa.String(length=200), nullable=False),
        sa.Column("league_key", sa.String(length=200), nullable=False),
        sa.Column("league_name", sa.String(length=200), nullable=False),
        sa.Column("default_variant_id", sa.String(length=200), nullable=True),
        sa.Column("template", sa.String(length=100), nullable=False),
        sa.Column("overrides", Json, nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name="fk_league_seeds_created_by"),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_league_seeds_league_id"),
        sa.PrimaryKeyConstraint("id", name="pk_league_seeds"),
        sa.UniqueConstraint("coworld_name", "league_key", name="uq_league_seeds_coworld_name_league_key"),
        sa.UniqueConstraint("league_id", name="uq_league_seeds_league_id"),
    )
    op.create_table(
        "experience_requests",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("player_id", sa.String(length=64), nullable=True),
        sa.Column("coworld_id", sa.Uuid(), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=True),
        sa.Column("division_id", sa.Uuid(), nullable=True),
        sa.Column("variant_id", sa.String(length=200), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("requested", Json, nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("episode_count", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["coworld_id"], ["coworlds.id"], name="fk_experience_requests_coworld_id"),
        sa.ForeignKeyConstraint(["division_id"], ["divisions.id"], name="fk_experience_requests_division_id"),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_experience_requests_league_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_experience_requests_player_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_experience_requests_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_experience_requests"),
    )
    op.create_index("ix_experience_requests_created_at_id", "experience_requests", ["created_at", "id"])
    op.create_index("ix_experience_requests_user_id", "experience_requests", ["user_id"])
    op.create_table(
        "memberships",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("division_id", sa.Uuid(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("player_id", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("substatus", sa.String(length=100), nullable=True),
        sa.Column("is_champion", sa.Boolean(), nullable=False),
        sa.Column("start_time", UtcDateTime(), nullable=False),
        sa.Column("end_time", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["division_id"], ["divisions.id"], name="fk_memberships_division_id"),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_memberships_league_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_memberships_player_id"),
        sa.ForeignKeyConstraint(["policy_version_id"], ["policy_versions.id"], name="fk_memberships_policy_version_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_memberships_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_memberships"),
    )
    op.create_index("ix_memberships_created_at_id", "memberships", ["created_at", "id"])
    op.create_index("ix_memberships_division_id_status", "memberships", ["division_id", "status"])
    op.create_index("ix_memberships_policy_version_id", "memberships", ["policy_version_id"])
    op.create_index("ix_memberships_user_id", "memberships", ["user_id"])
    op.create_index(
        "uq_memberships_champion",
        "memberships",
        ["league_id", "player_id"],
        unique=True,
        sqlite_where=sa.text("is_champion"),
        postgresql_where=sa.text("is_champion"),
    )
    op.create_table(
        "rounds",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("division_id", sa.Uuid(), nullable=False),
        sa.Column("round_number", sa.Integer(), nullable=False),
        sa.Column("commissioner_key", sa.String(length=100), nullable=False),
        sa.Column("execution_backend", sa.String(length=32), nullable=False),
        sa.Column("round_config", Json, nullable=False),
        sa.Column("round_display", Json, nullable=True),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["division_id"], ["divisions.id"], name="fk_rounds_division_id"),
        sa.PrimaryKeyConstraint("id", name="pk_rounds"),
        sa.UniqueConstraint("division_id", "round_number", name="uq_rounds_division_id_round_number"),
    )
    op.create_index("ix_rounds_created_at_id", "rounds", ["created_at", "id"])
    op.create_index(
        "uq_rounds_active",
        "rounds",
        ["division_id"],
        unique=True,
        sqlite_where=sa.text("status IN ('pending', 'claimed', 'running')"),
        postgresql_where=sa.text("status IN ('pending', 'claimed', 'running')"),
    )
    op.create_table(
        "competition_events",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("event_type", sa.String(length=64), nullable=False),
        sa.Column("audience", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=True),
        sa.Column("player_id", sa.String(length=64), nullable=True),
        sa.Column("policy_version_id", sa.Uuid(), nullable=True),
        sa.Column("league_id", sa.Uuid(), nullable=True),
        sa.Column("division_id", sa.Uuid(), nullable=True),
        sa.Column("round_id", sa.Uuid(), nullable=True),
        sa.Column("headline", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("payload", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["division_id"], ["divisions.id"], name="fk_competition_events_division_id"),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_competition_events_league_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_competition_events_player_id"),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name="fk_competition_events_policy_version_id"
        ),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_competition_events_round_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_competition_events_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_competition_events"),
    )
    op.create_index("ix_competition_events_created_at_id", "competition_events", ["created_at", "id"])
    op.create_index("ix_competition_events_league_id", "competition_events", ["league_id"])
    op.create_table(
        "episode_requests",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.String(32), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("coworld_id", sa.Uuid(), nullable=False),
        sa.Column("experience_request_id", sa.Uuid(), nullable=True),
        sa.Column("round_id", sa.Uuid(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("variant_id", sa.String(length=200), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("max_steps", sa.Integer(), nullable=True),
        sa.Column("game_config", Json, nullable=False),
        sa.Column("tags", Json, nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("episode_id", sa.Uuid(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("error_type", sa.String(length=64), nullable=True),
        sa.Column("failed_policy_index", sa.Integer(), nullable=True),
        sa.Column("evidence", sa.String(32), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["coworld_id"], ["coworlds.id"], name="fk_episode_requests_coworld_id"),
        sa.ForeignKeyConstraint(["episode_id"], ["episodes.id"], name="fk_episode_requests_episode_id"),
        sa.ForeignKeyConstraint(
            ["experience_request_id"], ["experience_requests.id"], name="fk_episode_requests_experience_request_id"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_episode_requests_job_id"),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_episode_requests_round_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_episode_requests_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_episode_requests"),
        sa.UniqueConstraint("episode_id", name="uq_episode_requests_episode_id"),
        sa.UniqueConstraint("job_id", name="uq_episode_requests_job_id"),
    )
    op.create_index("ix_episode_requests_coworld_id_source", "episode_requests", ["coworld_id", "source"])
    op.create_index("ix_episode_requests_created_at_id", "episode_requests", ["created_at", "id"])
    op.create_index("ix_episode_requests_experience_request_id", "episode_requests", ["experience_request_id"])
    op.create_index("ix_episode_requests_revision", "episode_requests", ["revision"])
    op.create_index("ix_episode_requests_round_id", "episode_requests", ["round_id"])
    op.create_index("ix_episode_requests_user_id", "episode_requests", ["user_id"])
    op.create_table(
        "league_submissions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("player_id", sa.String(length=64), nullable=False),
        sa.Column("auto_champion", sa.String(32), nullable=False),
        sa.Column("preferences", Json, nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("membership_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.id"], name="fk_league_submissions_league_id"),
        sa.ForeignKeyConstraint(["membership_id"], ["memberships.id"], name="fk_league_submissions_membership_id"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_league_submissions_player_id"),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name="fk_league_submissions_policy_version_id"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_league_submissions_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_league_submissions"),
    )
    op.create_index("ix_league_submissions_created_at_id", "league_submissions", ["created_at", "id"])
    op.create_index("ix_league_submissions_league_id", "league_submissions", ["league_id"])
    op.create_index("ix_league_submissions_policy_version_id", "league_submissions", ["policy_version_id"])
    op.create_index("ix_league_submissions_user_id", "league_submissions", ["user_id"])
    op.create_table(
        "membership_events",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("membership_id", sa.Uuid(), nullable=False),
        sa.Column("from_division_id", sa.Uuid(), nullable=True),
        sa.Column("to_division_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("substatus", sa.String(length=100), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["from_division_id"], ["divisions.id"], name="fk_membership_events_from_division_id"),
        sa.ForeignKeyConstraint(["membership_id"], ["memberships.id"], name="fk_membership_events_membership_id"),
        sa.ForeignKeyConstraint(["to_division_id"], ["divisions.id"], name="fk_membership_events_to_division_id"),
        sa.PrimaryKeyConstraint("id", name="pk_membership_events"),
    )
    op.create_index("ix_membership_events_membership_id", "membership_events", ["membership_id"])
    op.create_table(
        "round_results",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("round_id", sa.Uuid(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.Column("player_id", sa.String(length=64), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("result_metadata", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_round_results_player_id"),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name="fk_round_results_policy_version_id"
        ),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_round_results_round_id"),
        sa.PrimaryKeyConstraint("id", name="pk_round_results"),
        sa.UniqueConstraint("round_id", "policy_version_id", name="uq_round_results_round_id_policy_version_id"),
    )
    op.create_index("ix_round_results_policy_version_id", "round_results", ["policy_version_id"])
    op.create_table(
        "episode_seats",
        sa.Column("episode_request_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=True),
        sa.Column("player_id", sa.String(length=64), nullable=True),
        sa.Column("game_player_id", sa.String(length=200), nullable=True),
        sa.Column("is_filler", sa.Boolean(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["episode_request_id"], ["episode_requests.id"], name="fk_episode_seats_episode_request_id"
        ),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_episode_seats_player_id"),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name="fk_episode_seats_policy_version_id"
        ),
        sa.PrimaryKeyConstraint("episode_request_id", "position", name="pk_episode_seats"),
    )
    op.create_index("ix_episode_seats_policy_version_id", "episode_seats", ["policy_version_id"])
    op.create_table(
        "role_runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("episode_request_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.String(length=32), nullable=False),
        sa.Column("role_id", sa.String(length=200), nullable=False),
        sa.Column("target", sa.String(length=32), nullable=False),
        sa.Column("reporter_version_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.String(length=64), nullable=True),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["episode_request_id"], ["episode_requests.id"], name="fk_role_runs_episode_request_id"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_role_runs_job_id"),
        sa.ForeignKeyConstraint(
            ["reporter_version_id"], ["reporter_versions.id"], name="fk_role_runs_reporter_version_id"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_role_runs_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_role_runs"),
        sa.UniqueConstraint(
            "episode_request_id",
            "role",
            "role_id",
            "target",
            name="uq_role_runs_episode_request_id_role_role_id_target",
        ),
        sa.UniqueConstraint("job_id", name="uq_role_runs_job_id"),
    )
    op.create_index("ix_role_runs_reporter_version_id", "role_runs", ["reporter_version_id"])
    op.create_table(
        "role_outputs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("type", sa.String(length=100), nullable=False),
        sa.Column("media_type", sa.String(length=200), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["role_runs.id"], name="fk_role_outputs_run_id"),
        sa.PrimaryKeyConstraint("id", name="pk_role_outputs"),
        sa.UniqueConstraint("run_id", "name", name="uq_role_outputs_run_id_name"),
    )

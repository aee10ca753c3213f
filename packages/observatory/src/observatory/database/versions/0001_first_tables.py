"""The first tables."""

import sqlalchemy as sa
from alembic import op

from observatory.database.base import Json, UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "env_configs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("game_engine", sa.String(length=64), nullable=False),
        sa.Column("config", Json, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_env_configs")),
        sa.UniqueConstraint("digest", name=op.f("uq_env_configs_digest")),
    )
    op.create_table(
        "seasons",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("canonical", sa.Boolean(), nullable=False),
        sa.Column("display_name", sa.String(length=200), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("game_description", sa.Text(), nullable=True),
        sa.Column("tournament_type", sa.String(32), nullable=False),
        sa.Column("compat_version", sa.String(length=32), nullable=True),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("auto_roll_hour_utc", sa.Integer(), nullable=True),
        sa.Column("entry_pool", sa.String(length=100), nullable=True),
        sa.Column("leaderboard_pool", sa.String(length=100), nullable=True),
        sa.Column("config", Json, nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.Column("disabled_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seasons")),
        sa.UniqueConstraint("name", "version", name=op.f("uq_seasons_name_version")),
    )
    with op.batch_alter_table("seasons", schema=None) as batch_op:
        batch_op.create_index(
            "uq_seasons_canonical_name",
            ["name"],
            unique=True,
            sqlite_where=sa.text("canonical"),
            postgresql_where=sa.text("canonical"),
        )
        batch_op.create_index(
            "uq_seasons_default_of_type",
            ["tournament_type"],
            unique=True,
            sqlite_where=sa.text("is_default"),
            postgresql_where=sa.text("is_default"),
        )

    op.create_table(
        "users",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("password_hash", sa.String(length=255), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("github_id", sa.BigInteger(), nullable=True),
        sa.Column("github_login", sa.String(length=255), nullable=True),
        sa.Column("session_version", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("disabled_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
        sa.UniqueConstraint("github_id", name=op.f("uq_users_github_id")),
    )
    op.create_table(
        "auth_codes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("code_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.Column("used_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_auth_codes_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_codes")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_auth_codes_code_hash")),
    )
    op.create_table(
        "invitations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.Column("used_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_invitations_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("job_type", sa.String(length=32), nullable=False),
        sa.Column("spec", Json, nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lost_leases", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(length=200), nullable=True),
        sa.Column("job_token_hash", sa.String(length=64), nullable=True),
        sa.Column("lease_expires_at", UtcDateTime(), nullable=True),
        sa.Column("secrets_given_at", UtcDateTime(), nullable=True),
        sa.Column("result", Json, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("error_type", sa.String(length=64), nullable=True),
        sa.Column("failed_policy_index", sa.Integer(), nullable=True),
        sa.Column("episode_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("dispatched_at", UtcDateTime(), nullable=True),
        sa.Column("running_at", UtcDateTime(), nullable=True),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_jobs_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_jobs_status_priority_created_at"), ["status", "priority", "created_at"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_jobs_user_id"), ["user_id"], unique=False)

    op.create_table(
        "players",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("disabled_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_players_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_players")),
        sa.UniqueConstraint("user_id", "name", name=op.f("uq_players_user_id_name")),
    )
    op.create_table(
        "policies",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("attributes", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_policies_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_policies")),
        sa.UniqueConstraint("user_id", "name", name=op.f("uq_policies_user_id_name")),
    )
    with op.batch_alter_table("policies", schema=None) as batch_op:
        batch_op.create_index("ix_policies_name", ["name"], unique=False)

    op.create_table(
        "pools",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("season_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("config_id", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(["config_id"], ["env_configs.id"], name=op.f("fk_pools_config_id")),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name=op.f("fk_pools_season_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pools")),
        sa.UniqueConstraint("season_id", "name", name=op.f("uq_pools_season_id_name")),
    )
    op.create_table(
        "policy_versions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("policy_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.String(length=64), nullable=True),
        sa.Column("bundle_key", sa.String(length=300), nullable=True),
        sa.Column("bundle_bytes", sa.BigInteger(), nullable=True),
        sa.Column("bundle_sha256", sa.String(length=64), nullable=True),
        sa.Column("spec", Json, nullable=False),
        sa.Column("attributes", Json, nullable=False),
        sa.Column("tags", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_policy_versions_player_id")),
        sa.ForeignKeyConstraint(["policy_id"], ["policies.id"], name=op.f("fk_policy_versions_policy_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_policy_versions")),
        sa.UniqueConstraint("policy_id", "version", name=op.f("uq_policy_versions_policy_id_version")),
    )
    with op.batch_alter_table("policy_versions", schema=None) as batch_op:
        batch_op.create_index("ix_policy_versions_created_at", ["created_at"], unique=False)

    op.create_table(
        "teams",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("pool_id", sa.Uuid(), nullable=False),
        sa.Column("parent_team_id", sa.Uuid(), nullable=True),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("eliminated", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["parent_team_id"], ["teams.id"], name=op.f("fk_teams_parent_team_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_teams_pool_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
    )
    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_teams_pool_id"), ["pool_id"], unique=False)

    op.create_table(
        "tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("token_preview", sa.String(length=32), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=True),
        sa.Column("player_id", sa.String(length=64), nullable=True),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=True),
        sa.Column("revoked_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_tokens_player_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_tokens_token_hash")),
    )
    with op.batch_alter_table("tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tokens_player_id"), ["player_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_tokens_user_id"), ["user_id"], unique=False)

    op.create_table(
        "assay_runs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=True),
        sa.Column("compat_version", sa.String(length=32), nullable=True),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name=op.f("fk_assay_runs_policy_version_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_assay_runs_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assay_runs")),
    )
    with op.batch_alter_table("assay_runs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_assay_runs_policy_version_id"), ["policy_version_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_assay_runs_user_id"), ["user_id"], unique=False)

    op.create_table(
        "episodes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("season_id", sa.Uuid(), nullable=True),
        sa.Column("owner_id", sa.String(length=64), nullable=True),
        sa.Column("replay_key", sa.String(length=300), nullable=True),
        sa.Column("replay_url", sa.String(length=2000), nullable=True),
        sa.Column("thumbnail_url", sa.String(length=2000), nullable=True),
        sa.Column("attributes", Json, nullable=False),
        sa.Column("eval_task_id", sa.Uuid(), nullable=True),
        sa.Column("primary_policy_version_id", sa.Uuid(), nullable=True),
        sa.Column("game_stats", Json, nullable=False),
        sa.Column("steps", sa.Integer(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_episodes_job_id")),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_episodes_owner_id")),
        sa.ForeignKeyConstraint(
            ["primary_policy_version_id"], ["policy_versions.id"], name=op.f("fk_episodes_primary_policy_version_id")
        ),
        sa.ForeignKeyConstraint(["season_id"], ["seasons.id"], name=op.f("fk_episodes_season_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_episodes")),
        sa.UniqueConstraint("job_id", name=op.f("uq_episodes_job_id")),
    )
    with op.batch_alter_table("episodes", schema=None) as batch_op:
        batch_op.create_index("ix_episodes_created_at_id", ["created_at", "id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_episodes_primary_policy_version_id"), ["primary_policy_version_id"], unique=False
        )

    op.create_table(
        "matches",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("pool_id", sa.Uuid(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("team_id", sa.Uuid(), nullable=True),
        sa.Column("combination", sa.String(length=400), nullable=False),
        sa.Column("repetition", sa.Integer(), nullable=False),
        sa.Column("assignments", Json, nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(32), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("error_type", sa.String(length=32), nullable=True),
        sa.Column("failed_policy_index", sa.Integer(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_matches_job_id")),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_matches_pool_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_matches_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("job_id", name=op.f("uq_matches_job_id")),
        sa.UniqueConstraint(
            "pool_id", "combination", "repetition", name=op.f("uq_matches_pool_id_combination_repetition")
        ),
    )
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.create_index("ix_matches_pool_id_status", ["pool_id", "status"], unique=False)
        batch_op.create_index(batch_op.f("ix_matches_team_id"), ["team_id"], unique=False)

    op.create_table(
        "network_grants",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.Column("host", sa.String(length=253), nullable=False),
        sa.Column("reason", sa.String(32), nullable=False),
        sa.Column("granted_by", sa.String(length=64), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["granted_by"], ["users.id"], name=op.f("fk_network_grants_granted_by")),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name=op.f("fk_network_grants_policy_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_network_grants")),
        sa.UniqueConstraint("policy_version_id", "host", name=op.f("uq_network_grants_policy_version_id_host")),
    )
    op.create_table(
        "policy_secrets",
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name=op.f("fk_policy_secrets_policy_version_id")
        ),
        sa.PrimaryKeyConstraint("policy_version_id", name=op.f("pk_policy_secrets")),
    )
    op.create_table(
        "pool_players",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("pool_id", sa.Uuid(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.Column("retired", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name=op.f("fk_pool_players_policy_version_id")
        ),
        sa.ForeignKeyConstraint(["pool_id"], ["pools.id"], name=op.f("fk_pool_players_pool_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pool_players")),
        sa.UniqueConstraint("pool_id", "policy_version_id", name=op.f("uq_pool_players_pool_id_policy_version_id")),
    )
    with op.batch_alter_table("pool_players", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_pool_players_policy_version_id"), ["policy_version_id"], unique=False)

    op.create_table(
        "secret_reads",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.Column("job_id", sa.Uuid(), nullable=True),
        sa.Column("reader", sa.String(length=200), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name=op.f("fk_secret_reads_policy_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_secret_reads")),
    )
    with op.batch_alter_table("secret_reads", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_secret_reads_policy_version_id"), ["policy_version_id"], unique=False)

    op.create_table(
        "team_members",
        sa.Column("team_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name=op.f("fk_team_members_policy_version_id")
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_team_members_team_id")),
        sa.PrimaryKeyConstraint("team_id", "position", name=op.f("pk_team_members")),
    )
    with op.batch_alter_table("team_members", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_team_members_policy_version_id"), ["policy_version_id"], unique=False)

    op.create_table(
        "uploads",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("player_id", sa.String(length=64), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("completed_at", UtcDateTime(), nullable=True),
        sa.Column("policy_version_id", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name=op.f("fk_uploads_player_id")),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name=op.f("fk_uploads_policy_version_id")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_uploads_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_uploads")),
    )
    with op.batch_alter_table("uploads", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_uploads_user_id"), ["user_id"], unique=False)

    op.create_table(
        "assay_jobs",
        sa.Column("job_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("mission_name", sa.String(length=200), nullable=False),
        sa.Column("episode", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_assay_jobs_job_id")),
        sa.ForeignKeyConstraint(["run_id"], ["assay_runs.id"], name=op.f("fk_assay_jobs_run_id")),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_assay_jobs")),
    )
    with op.batch_alter_table("assay_jobs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_assay_jobs_run_id"), ["run_id"], unique=False)

    op.create_table(
        "episode_policies",
        sa.Column("episode_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("policy_version_id", sa.Uuid(), nullable=True),
        sa.Column("name", sa.String(length=200), nullable=True),
        sa.Column("num_agents", sa.Integer(), nullable=False),
        sa.Column("avg_reward", sa.Double(), nullable=False),
        sa.Column("avg_metrics", Json, nullable=False),
        sa.Column("agents", Json, nullable=False),
        sa.ForeignKeyConstraint(["episode_id"], ["episodes.id"], name=op.f("fk_episode_policies_episode_id")),
        sa.ForeignKeyConstraint(
            ["policy_version_id"], ["policy_versions.id"], name=op.f("fk_episode_policies_policy_version_id")
        ),
        sa.PrimaryKeyConstraint("episode_id", "position", name=op.f("pk_episode_policies")),
    )
    with op.batch_alter_table("episode_policies", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_episode_policies_policy_version_id"), ["policy_version_id"], unique=False)

    op.create_table(
        "episode_tags",
        sa.Column("episode_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("value", sa.String(length=500), nullable=False),
        sa.ForeignKeyConstraint(["episode_id"], ["episodes.id"], name=op.f("fk_episode_tags_episode_id")),
        sa.PrimaryKeyConstraint("episode_id", "key", name=op.f("pk_episode_tags")),
    )
    with op.batch_alter_table("episode_tags", schema=None) as batch_op:
        batch_op.create_index("ix_episode_tags_key_value", ["key", "value"], unique=False)

    op.create_table(
        "match_players",
        sa.Column("match_id", sa.Uuid(), nullable=False),
        sa.Column("policy_index", sa.Integer(), nullable=False),
        sa.Column("pool_player_id", sa.Uuid(), nullable=False),
        sa.Column("num_agents", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_match_players_match_id")),
        sa.ForeignKeyConstraint(["pool_player_id"], ["pool_players.id"], name=op.f("fk_match_players_pool_player_id")),
        sa.PrimaryKeyConstraint("match_id", "policy_index", name=op.f("pk_match_players")),
    )
    with op.batch_alter_table("match_players", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_match_players_pool_player_id"), ["pool_player_id"], unique=False)

    op.create_table(
        "membership_changes",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("pool_player_id", sa.Uuid(), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["pool_player_id"], ["pool_players.id"], name=op.f("fk_membership_changes_pool_player_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_membership_changes")),
    )
    with op.batch_alter_table("membership_changes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_membership_changes_pool_player_id"), ["pool_player_id"], unique=False)

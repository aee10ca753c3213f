BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE assay_jobs (
	job_id CHAR(32) NOT NULL, 
	run_id CHAR(32) NOT NULL, 
	mission_name VARCHAR(200) NOT NULL, 
	episode INTEGER NOT NULL, 
	CONSTRAINT pk_assay_jobs PRIMARY KEY (job_id), 
	CONSTRAINT fk_assay_jobs_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_assay_jobs_run_id FOREIGN KEY(run_id) REFERENCES assay_runs (id)
);
CREATE TABLE assay_runs (
	id CHAR(32) NOT NULL, 
	policy_version_id CHAR(32) NOT NULL, 
	user_id VARCHAR(64) NOT NULL, 
	name VARCHAR(200), 
	compat_version VARCHAR(32), 
	status VARCHAR(32) NOT NULL, 
	error TEXT, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	completed_at DATETIME, 
	CONSTRAINT pk_assay_runs PRIMARY KEY (id), 
	CONSTRAINT fk_assay_runs_policy_version_id FOREIGN KEY(policy_version_id) REFERENCES policy_versions (id), 
	CONSTRAINT fk_assay_runs_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
CREATE TABLE auth_codes (
	id CHAR(32) NOT NULL, 
	code_hash VARCHAR(64) NOT NULL, 
	user_id VARCHAR(64) NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	used_at DATETIME, 
	CONSTRAINT pk_auth_codes PRIMARY KEY (id), 
	CONSTRAINT fk_auth_codes_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_auth_codes_code_hash UNIQUE (code_hash)
);
CREATE TABLE env_configs (
	id CHAR(32) NOT NULL, 
	game_engine VARCHAR(64) NOT NULL, 
	config JSON NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_env_configs PRIMARY KEY (id), 
	CONSTRAINT uq_env_configs_digest UNIQUE (digest)
);
INSERT INTO "env_configs" VALUES('01a1e02d13c37c32adc629ed97c092e5','mettagrid','{"game_engine": "mettagrid", "game": {"num_agents": 4, "max_steps": 10}}','6093c5894c7fbcf27982bdbeafba890e5164dccfa717ef1b8eb90e2720af162b','2026-03-01 12:00:00.000000');
CREATE TABLE episode_policies (
	episode_id CHAR(32) NOT NULL, 
	position INTEGER NOT NULL, 
	policy_version_id CHAR(32), 
	name VARCHAR(200), 
	num_agents INTEGER NOT NULL, 
	avg_reward DOUBLE NOT NULL, 
	avg_metrics JSON NOT NULL, 
	agents JSON NOT NULL, 
	CONSTRAINT pk_episode_policies PRIMARY KEY (episode_id, position), 
	CONSTRAINT fk_episode_policies_episode_id FOREIGN KEY(episode_id) REFERENCES episodes (id), 
	CONSTRAINT fk_episode_policies_policy_version_id FOREIGN KEY(policy_version_id) REFERENCES policy_versions (id)
);
INSERT INTO "episode_policies" VALUES('01a1e02d142a7d90bc8cef2660a837f4',0,'01a1e02d13dd7728a6c1767e7439c780','first:v1',2,1.5,'{"moves": 1.0}','[{"agent_id": 0, "reward": 1.0, "metrics": {"moves": 0.0}}, {"agent_id": 1, "reward": 2.0, "metrics": {"moves": 2.0}}]');
INSERT INTO "episode_policies" VALUES('01a1e02d142a7d90bc8cef2660a837f4',1,'01a1e02d13e47779811671450d2f3d33','second:v1',2,3.5,'{"moves": 5.0}','[{"agent_id": 2, "reward": 3.0, "metrics": {"moves": 4.0}}, {"agent_id": 3, "reward": 4.0, "metrics": {"moves": 6.0}}]');
CREATE TABLE episode_tags (
	episode_id CHAR(32) NOT NULL, 
	"key" VARCHAR(100) NOT NULL, 
	value VARCHAR(500) NOT NULL, 
	CONSTRAINT pk_episode_tags PRIMARY KEY (episode_id, "key"), 
	CONSTRAINT fk_episode_tags_episode_id FOREIGN KEY(episode_id) REFERENCES episodes (id)
);
INSERT INTO "episode_tags" VALUES('01a1e02d142a7d90bc8cef2660a837f4','match_type','pairing');
INSERT INTO "episode_tags" VALUES('01a1e02d142a7d90bc8cef2660a837f4','match_id','01a1e02d-1405-7ed3-b94e-90d3785327f4');
INSERT INTO "episode_tags" VALUES('01a1e02d142a7d90bc8cef2660a837f4','job_id','01a1e02d-1416-7b8c-a0e3-66745a20116e');
CREATE TABLE episodes (
	id CHAR(32) NOT NULL, 
	job_id CHAR(32), 
	season_id CHAR(32), 
	owner_id VARCHAR(64), 
	replay_key VARCHAR(300), 
	replay_url VARCHAR(2000), 
	thumbnail_url VARCHAR(2000), 
	attributes JSON NOT NULL, 
	eval_task_id CHAR(32), 
	primary_policy_version_id CHAR(32), 
	game_stats JSON NOT NULL, 
	steps INTEGER, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_episodes PRIMARY KEY (id), 
	CONSTRAINT fk_episodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_episodes_owner_id FOREIGN KEY(owner_id) REFERENCES users (id), 
	CONSTRAINT fk_episodes_primary_policy_version_id FOREIGN KEY(primary_policy_version_id) REFERENCES policy_versions (id), 
	CONSTRAINT fk_episodes_season_id FOREIGN KEY(season_id) REFERENCES seasons (id), 
	CONSTRAINT uq_episodes_job_id UNIQUE (job_id)
);
INSERT INTO "episodes" VALUES('01a1e02d142a7d90bc8cef2660a837f4','01a1e02d14167b8ca0e366745a20116e','01a1e02d13c170d69e7d4f904bc7c0fc',NULL,'jobs/01a1e02d-1416-7b8c-a0e3-66745a20116e/replay.json.z',NULL,NULL,'{}',NULL,'01a1e02d13dd7728a6c1767e7439c780','{"clips": 1.0}',10,'2026-03-01 12:00:00.000000');
CREATE TABLE invitations (
	id CHAR(32) NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	user_id VARCHAR(64), 
	is_admin BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	used_at DATETIME, 
	CONSTRAINT pk_invitations PRIMARY KEY (id), 
	CONSTRAINT fk_invitations_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_invitations_token_hash UNIQUE (token_hash)
);
CREATE TABLE jobs (
	id CHAR(32) NOT NULL, 
	job_type VARCHAR(32) NOT NULL, 
	spec JSON NOT NULL, 
	status VARCHAR(32) NOT NULL, 
	priority INTEGER NOT NULL, 
	user_id VARCHAR(64), 
	attempts INTEGER NOT NULL, 
	lost_leases INTEGER NOT NULL, 
	worker VARCHAR(200), 
	job_token_hash VARCHAR(64), 
	lease_expires_at DATETIME, 
	secrets_given_at DATETIME, 
	result JSON, 
	error TEXT, 
	error_type VARCHAR(64), 
	failed_policy_index INTEGER, 
	episode_id CHAR(32), 
	created_at DATETIME NOT NULL, 
	dispatched_at DATETIME, 
	running_at DATETIME, 
	completed_at DATETIME, 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT fk_jobs_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
INSERT INTO "jobs" VALUES('01a1e02d14167b8ca0e366745a20116e','episode','{"policy_uris": ["metta://policy/01a1e02d-13dd-7728-a6c1-767e7439c780", "metta://policy/01a1e02d-13e4-7779-8116-71450d2f3d33"], "policy_names": ["first:v1", "second:v1"], "assignments": [0, 0, 1, 1], "env": {"game_engine": "mettagrid", "game": {"num_agents": 4, "max_steps": 10}}, "seed": 42, "max_action_time_ms": 10000, "episode_tags": {"match_type": "pairing", "match_id": "01a1e02d-1405-7ed3-b94e-90d3785327f4"}}','completed',0,NULL,0,0,NULL,NULL,NULL,NULL,'{"rewards": [1, 2, 3, 4], "action_timeouts": [0, 0, 0, 0], "stats": {"game": {"clips": 1.0}, "agent": [{"moves": 0.0}, {"moves": 2.0}, {"moves": 4.0}, {"moves": 6.0}]}, "steps": 10}',NULL,NULL,NULL,'01a1e02d142a7d90bc8cef2660a837f4','2026-03-01 12:00:00.000000',NULL,NULL,'2026-03-01 12:00:00.000000');
CREATE TABLE match_players (
	match_id CHAR(32) NOT NULL, 
	policy_index INTEGER NOT NULL, 
	pool_player_id CHAR(32) NOT NULL, 
	num_agents INTEGER NOT NULL, 
	score DOUBLE, 
	CONSTRAINT pk_match_players PRIMARY KEY (match_id, policy_index), 
	CONSTRAINT fk_match_players_match_id FOREIGN KEY(match_id) REFERENCES matches (id), 
	CONSTRAINT fk_match_players_pool_player_id FOREIGN KEY(pool_player_id) REFERENCES pool_players (id)
);
INSERT INTO "match_players" VALUES('01a1e02d14057ed3b94e90d3785327f4',0,'01a1e02d13fc7c969b1fb9e15c3e5201',2,1.5);
INSERT INTO "match_players" VALUES('01a1e02d14057ed3b94e90d3785327f4',1,'01a1e02d13ff74c1b9a1bc7de117ca8e',2,3.5);
CREATE TABLE matches (
	id CHAR(32) NOT NULL, 
	pool_id CHAR(32) NOT NULL, 
	job_id CHAR(32), 
	team_id CHAR(32), 
	combination VARCHAR(400) NOT NULL, 
	repetition INTEGER NOT NULL, 
	assignments JSON NOT NULL, 
	seed BIGINT NOT NULL, 
	status VARCHAR(32) NOT NULL, 
	error TEXT, 
	error_type VARCHAR(32), 
	failed_policy_index INTEGER, 
	created_at DATETIME NOT NULL, 
	completed_at DATETIME, 
	CONSTRAINT pk_matches PRIMARY KEY (id), 
	CONSTRAINT fk_matches_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_matches_pool_id FOREIGN KEY(pool_id) REFERENCES pools (id), 
	CONSTRAINT fk_matches_team_id FOREIGN KEY(team_id) REFERENCES teams (id), 
	CONSTRAINT uq_matches_job_id UNIQUE (job_id), 
	CONSTRAINT uq_matches_pool_id_combination_repetition UNIQUE (pool_id, combination, repetition)
);
INSERT INTO "matches" VALUES('01a1e02d14057ed3b94e90d3785327f4','01a1e02d13c6771782b69f019513298b','01a1e02d14167b8ca0e366745a20116e',NULL,'01a1e02d-13dd-7728-a6c1-767e7439c780+01a1e02d-13e4-7779-8116-71450d2f3d33/2:2',0,'[0, 0, 1, 1]',42,'completed',NULL,NULL,NULL,'2026-03-01 12:00:00.000000','2026-03-01 12:00:00.000000');
CREATE TABLE membership_changes (
	id CHAR(32) NOT NULL, 
	pool_player_id CHAR(32) NOT NULL, 
	action VARCHAR(32) NOT NULL, 
	notes TEXT, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_membership_changes PRIMARY KEY (id), 
	CONSTRAINT fk_membership_changes_pool_player_id FOREIGN KEY(pool_player_id) REFERENCES pool_players (id)
);
INSERT INTO "membership_changes" VALUES('01a1e02d13fd7b1a8c6e5e871569a389','01a1e02d13fc7c969b1fb9e15c3e5201','add',NULL,'2026-03-01 12:00:00.000000');
INSERT INTO "membership_changes" VALUES('01a1e02d13ff7a2da2dcf25d8cde15c0','01a1e02d13ff74c1b9a1bc7de117ca8e','add',NULL,'2026-03-01 12:00:00.000000');
CREATE TABLE network_grants (
	id CHAR(32) NOT NULL, 
	policy_version_id CHAR(32) NOT NULL, 
	host VARCHAR(253) NOT NULL, 
	reason VARCHAR(32) NOT NULL, 
	granted_by VARCHAR(64), 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_network_grants PRIMARY KEY (id), 
	CONSTRAINT fk_network_grants_granted_by FOREIGN KEY(granted_by) REFERENCES users (id), 
	CONSTRAINT fk_network_grants_policy_version_id FOREIGN KEY(policy_version_id) REFERENCES policy_versions (id), 
	CONSTRAINT uq_network_grants_policy_version_id_host UNIQUE (policy_version_id, host)
);
INSERT INTO "network_grants" VALUES('01a1e02d13f37a6892da111febaf632e','01a1e02d13e47779811671450d2f3d33','models.example.com','declared',NULL,'2026-03-01 12:00:00.000000');
CREATE TABLE players (
	id VARCHAR(64) NOT NULL, 
	user_id VARCHAR(64) NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	is_default BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	disabled_at DATETIME, 
	CONSTRAINT pk_players PRIMARY KEY (id), 
	CONSTRAINT fk_players_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_players_user_id_name UNIQUE (user_id, name)
);
INSERT INTO "players" VALUES('ply_9w4jwsuo8gz2bls1eh8c','u4n4plkuk218o7ppz911','ada',1,'2026-03-01 12:00:00.000000',NULL);
CREATE TABLE policies (
	id CHAR(32) NOT NULL, 
	user_id VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	attributes JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_policies PRIMARY KEY (id), 
	CONSTRAINT fk_policies_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_policies_user_id_name UNIQUE (user_id, name)
);
INSERT INTO "policies" VALUES('01a1e02d13dc75c8846b2895a2502984','u4n4plkuk218o7ppz911','first','{}','2026-03-01 12:00:00.000000');
INSERT INTO "policies" VALUES('01a1e02d13e4704da2895f6c3732b9a0','u4n4plkuk218o7ppz911','second','{}','2026-03-01 12:00:00.000000');
CREATE TABLE policy_secrets (
	policy_version_id CHAR(32) NOT NULL, 
	wrapped_key BLOB NOT NULL, 
	ciphertext BLOB NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_policy_secrets PRIMARY KEY (policy_version_id), 
	CONSTRAINT fk_policy_secrets_policy_version_id FOREIGN KEY(policy_version_id) REFERENCES policy_versions (id)
);
INSERT INTO "policy_secrets" VALUES('01a1e02d13e47779811671450d2f3d33',X'64776C230501E61471B6452D18C2958FC381E1DD6069DBF1181500631C399D9E6F8A53DB699184550C7540A05DFF4A965CC144ECD2B9527826D7AB1A',X'43C51746307CA5451F5580CFFD50FC32E30B35FC378BC9C08EBCC38F9882C60A2E20353408BAAF83E43250C1','2026-03-01 12:00:00.000000');
CREATE TABLE policy_versions (
	id CHAR(32) NOT NULL, 
	policy_id CHAR(32) NOT NULL, 
	version INTEGER NOT NULL, 
	player_id VARCHAR(64), 
	bundle_key VARCHAR(300), 
	bundle_bytes BIGINT, 
	bundle_sha256 VARCHAR(64), 
	spec JSON NOT NULL, 
	attributes JSON NOT NULL, 
	tags JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_policy_versions PRIMARY KEY (id), 
	CONSTRAINT fk_policy_versions_player_id FOREIGN KEY(player_id) REFERENCES players (id), 
	CONSTRAINT fk_policy_versions_policy_id FOREIGN KEY(policy_id) REFERENCES policies (id), 
	CONSTRAINT uq_policy_versions_policy_id_version UNIQUE (policy_id, version)
);
INSERT INTO "policy_versions" VALUES('01a1e02d13dd7728a6c1767e7439c780','01a1e02d13dc75c8846b2895a2502984',1,NULL,'policies/01a1e02d-13dd-7728-a6c1-767e7439c780.zip',3,'0000000000000000000000000000000000000000000000000000000000000000','{"class_path": "my_policy.Mine"}','{}','{}','2026-03-01 12:00:00.000000');
INSERT INTO "policy_versions" VALUES('01a1e02d13e47779811671450d2f3d33','01a1e02d13e4704da2895f6c3732b9a0',1,NULL,'policies/01a1e02d-13e4-7779-8116-71450d2f3d33.zip',3,'0000000000000000000000000000000000000000000000000000000000000000','{"class_path": "my_policy.Mine"}','{}','{}','2026-03-01 12:00:00.000000');
CREATE TABLE pool_players (
	id CHAR(32) NOT NULL, 
	pool_id CHAR(32) NOT NULL, 
	policy_version_id CHAR(32) NOT NULL, 
	retired BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_pool_players PRIMARY KEY (id), 
	CONSTRAINT fk_pool_players_policy_version_id FOREIGN KEY(policy_version_id) REFERENCES policy_versions (id), 
	CONSTRAINT fk_pool_players_pool_id FOREIGN KEY(pool_id) REFERENCES pools (id), 
	CONSTRAINT uq_pool_players_pool_id_policy_version_id UNIQUE (pool_id, policy_version_id)
);
INSERT INTO "pool_players" VALUES('01a1e02d13fc7c969b1fb9e15c3e5201','01a1e02d13c6771782b69f019513298b','01a1e02d13dd7728a6c1767e7439c780',0,'2026-03-01 12:00:00.000000');
INSERT INTO "pool_players" VALUES('01a1e02d13ff74c1b9a1bc7de117ca8e','01a1e02d13c6771782b69f019513298b','01a1e02d13e47779811671450d2f3d33',0,'2026-03-01 12:00:00.000000');
CREATE TABLE pools (
	id CHAR(32) NOT NULL, 
	season_id CHAR(32) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	position INTEGER NOT NULL, 
	description TEXT NOT NULL, 
	config_id CHAR(32), 
	CONSTRAINT pk_pools PRIMARY KEY (id), 
	CONSTRAINT fk_pools_config_id FOREIGN KEY(config_id) REFERENCES env_configs (id), 
	CONSTRAINT fk_pools_season_id FOREIGN KEY(season_id) REFERENCES seasons (id), 
	CONSTRAINT uq_pools_season_id_name UNIQUE (season_id, name)
);
INSERT INTO "pools" VALUES('01a1e02d13c67458898e7be514e59dba','01a1e02d13c170d69e7d4f904bc7c0fc','qualifying',0,'Every policy plays alone; those that are good enough go on','01a1e02d13c37c32adc629ed97c092e5');
INSERT INTO "pools" VALUES('01a1e02d13c6771782b69f019513298b','01a1e02d13c170d69e7d4f904bc7c0fc','competition',1,'Every two policies play together, with every split of the seats','01a1e02d13c37c32adc629ed97c092e5');
CREATE TABLE seasons (
	id CHAR(32) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	version INTEGER NOT NULL, 
	canonical BOOLEAN NOT NULL, 
	display_name VARCHAR(200) NOT NULL, 
	summary TEXT NOT NULL, 
	game_description TEXT, 
	tournament_type VARCHAR(32) NOT NULL, 
	compat_version VARCHAR(32), 
	public BOOLEAN NOT NULL, 
	is_default BOOLEAN NOT NULL, 
	auto_roll_hour_utc INTEGER, 
	entry_pool VARCHAR(100), 
	leaderboard_pool VARCHAR(100), 
	config JSON NOT NULL, 
	seed BIGINT NOT NULL, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	completed_at DATETIME, 
	disabled_at DATETIME, 
	CONSTRAINT pk_seasons PRIMARY KEY (id), 
	CONSTRAINT uq_seasons_name_version UNIQUE (name, version)
);
INSERT INTO "seasons" VALUES('01a1e02d13c170d69e7d4f904bc7c0fc','open',1,1,'Open','Everybody',NULL,'freeplay','0.26',1,1,NULL,'qualifying','competition','{"game": {"mission": "arena", "variants": [], "num_agents": 4, "max_steps": null, "game_engine": "mettagrid"}, "qualifying_matches": 2, "qualifying_threshold": 0.1, "max_failures": 3, "splits": [[2, 2], [1, 3]], "repetitions": 5, "first_map_seed": 42}',3565062868236071830,'2026-03-01 12:00:00.000000','2026-03-01 12:00:00.000000',NULL,NULL);
CREATE TABLE secret_reads (
	id CHAR(32) NOT NULL, 
	policy_version_id CHAR(32) NOT NULL, 
	job_id CHAR(32), 
	reader VARCHAR(200) NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_secret_reads PRIMARY KEY (id), 
	CONSTRAINT fk_secret_reads_policy_version_id FOREIGN KEY(policy_version_id) REFERENCES policy_versions (id)
);
CREATE TABLE team_members (
	team_id CHAR(32) NOT NULL, 
	position INTEGER NOT NULL, 
	policy_version_id CHAR(32) NOT NULL, 
	CONSTRAINT pk_team_members PRIMARY KEY (team_id, position), 
	CONSTRAINT fk_team_members_policy_version_id FOREIGN KEY(policy_version_id) REFERENCES policy_versions (id), 
	CONSTRAINT fk_team_members_team_id FOREIGN KEY(team_id) REFERENCES teams (id)
);
CREATE TABLE teams (
	id CHAR(32) NOT NULL, 
	pool_id CHAR(32) NOT NULL, 
	parent_team_id CHAR(32), 
	score DOUBLE, 
	eliminated BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_teams PRIMARY KEY (id), 
	CONSTRAINT fk_teams_parent_team_id FOREIGN KEY(parent_team_id) REFERENCES teams (id), 
	CONSTRAINT fk_teams_pool_id FOREIGN KEY(pool_id) REFERENCES pools (id)
);
CREATE TABLE tokens (
	id CHAR(32) NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	token_hash VARCHAR(64) NOT NULL, 
	token_preview VARCHAR(32) NOT NULL, 
	user_id VARCHAR(64), 
	player_id VARCHAR(64), 
	scopes JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	revoked_at DATETIME, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT fk_tokens_player_id FOREIGN KEY(player_id) REFERENCES players (id), 
	CONSTRAINT fk_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id), 
	CONSTRAINT uq_tokens_token_hash UNIQUE (token_hash)
);
INSERT INTO "tokens" VALUES('01a1e02d13b07b23967bfba8bdca3126','personal','old','10adec49a23fadcf084cdb57ada6837de2a2acac12004fcc3b8e16759f03370a','obs_the-…','u4n4plkuk218o7ppz911',NULL,'[]','2026-03-01 12:00:00.000000',NULL,NULL);
CREATE TABLE uploads (
	id CHAR(32) NOT NULL, 
	user_id VARCHAR(64) NOT NULL, 
	player_id VARCHAR(64), 
	kind VARCHAR(32) NOT NULL, 
	"key" VARCHAR(300) NOT NULL, 
	created_at DATETIME NOT NULL, 
	completed_at DATETIME, 
	policy_version_id CHAR(32), 
	CONSTRAINT pk_uploads PRIMARY KEY (id), 
	CONSTRAINT fk_uploads_player_id FOREIGN KEY(player_id) REFERENCES players (id), 
	CONSTRAINT fk_uploads_policy_version_id FOREIGN KEY(policy_version_id) REFERENCES policy_versions (id), 
	CONSTRAINT fk_uploads_user_id FOREIGN KEY(user_id) REFERENCES users (id)
);
CREATE TABLE users (
	id VARCHAR(64) NOT NULL, 
	email VARCHAR(255) NOT NULL, 
	name VARCHAR(255), 
	password_hash VARCHAR(255), 
	is_admin BOOLEAN NOT NULL, 
	github_id BIGINT, 
	github_login VARCHAR(255), 
	session_version INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	disabled_at DATETIME, 
	CONSTRAINT pk_users PRIMARY KEY (id), 
	CONSTRAINT uq_users_email UNIQUE (email), 
	CONSTRAINT uq_users_github_id UNIQUE (github_id)
);
INSERT INTO "users" VALUES('u4n4plkuk218o7ppz911','ada@example.com','ada',NULL,0,NULL,NULL,1,'2026-03-01 12:00:00.000000',NULL);
CREATE UNIQUE INDEX uq_seasons_canonical_name ON seasons (name) WHERE canonical;
CREATE UNIQUE INDEX uq_seasons_default_of_type ON seasons (tournament_type) WHERE is_default;
CREATE INDEX ix_jobs_status_priority_created_at ON jobs (status, priority, created_at);
CREATE INDEX ix_jobs_user_id ON jobs (user_id);
CREATE INDEX ix_policies_name ON policies (name);
CREATE INDEX ix_policy_versions_created_at ON policy_versions (created_at);
CREATE INDEX ix_teams_pool_id ON teams (pool_id);
CREATE INDEX ix_tokens_player_id ON tokens (player_id);
CREATE INDEX ix_tokens_user_id ON tokens (user_id);
CREATE INDEX ix_assay_runs_policy_version_id ON assay_runs (policy_version_id);
CREATE INDEX ix_assay_runs_user_id ON assay_runs (user_id);
CREATE INDEX ix_episodes_created_at_id ON episodes (created_at, id);
CREATE INDEX ix_episodes_primary_policy_version_id ON episodes (primary_policy_version_id);
CREATE INDEX ix_matches_pool_id_status ON matches (pool_id, status);
CREATE INDEX ix_matches_team_id ON matches (team_id);
CREATE INDEX ix_pool_players_policy_version_id ON pool_players (policy_version_id);
CREATE INDEX ix_secret_reads_policy_version_id ON secret_reads (policy_version_id);
CREATE INDEX ix_team_members_policy_version_id ON team_members (policy_version_id);
CREATE INDEX ix_uploads_user_id ON uploads (user_id);
CREATE INDEX ix_assay_jobs_run_id ON assay_jobs (run_id);
CREATE INDEX ix_episode_policies_policy_version_id ON episode_policies (policy_version_id);
CREATE INDEX ix_episode_tags_key_value ON episode_tags ("key", value);
CREATE INDEX ix_match_players_pool_player_id ON match_players (pool_player_id);
CREATE INDEX ix_membership_changes_pool_player_id ON membership_changes (pool_player_id);
COMMIT;

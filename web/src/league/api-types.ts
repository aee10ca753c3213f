/* Made by scripts/api_types.py from the server's OpenAPI document; `make check` compares. Do not edit. */

/** A job, without its environment and its seeds. */
export interface AdminJob {
  id: string;
  status: JobStatus;
  priority: number;
  worker: string | null;
  attempts: number;
  lost_leases: number;
  faults: string[];
  policies: string[];
  match_id: string | null;
  season_name: string | null;
  error: string | null;
  error_type: string | null;
  runtime: Record<string, unknown> | null;
  digests: Record<string, string> | null;
  created_at: string;
  dispatched_at: string | null;
  running_at: string | null;
  completed_at: string | null;
}

/** One version of a season. `seed` is null until the version has ended; then it has decimal digits. */
export interface AdminSeason {
  id: string;
  name: string;
  version: number;
  display_name: string;
  tournament_type: TournamentType;
  status: SeasonStatus;
  canonical: boolean;
  public: boolean;
  is_default: boolean;
  compat_version: string | null;
  auto_roll_hour_utc: number | null;
  seed: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  disabled_at: string | null;
}

/** A worker seen since the start, and its current job. */
export interface AdminWorker {
  name: string;
  last_seen_at: string | null;
  job_id: string | null;
  match_id: string | null;
  since: string | null;
  lease_expires_at: string | null;
}

/** A decision of an administrator. */
export interface AuditRow {
  at: string;
  actor: string;
  action: string;
  details: Record<string, string | null>;
}

/** The commissioner's decisions in its last pass over a season. */
export interface CommissionerNote {
  season: string;
  at: string;
  scheduled: number;
  sentence: string;
  failed: boolean;
}

/** An upload that has arrived becomes a version. `policy_secret_env` is never shown again. */
export interface CompleteRequest {
  upload_id: string;
  name: string;
  season?: string | null;
  policy_secret_env?: Record<string, string> | null;
}

/** The state of a submission. */
export type EntryState = "waiting" | "queued" | "playing" | "out" | "finished";

/** A match that failed; `blamed` is the policy at fault, if any. */
export interface Failure {
  match_id: string;
  season_name: string;
  season_version: number;
  pool_name: string;
  error: string | null;
  error_type: string | null;
  blamed: string | null;
  blamed_policy_version_id: string | null;
  isolation: (string | null)[];
  failed_at: string | null;
}

export interface FailureLine {
  match_id: string;
  season: string;
  pool: string;
  error: string | null;
  error_type: string | null;
  at: string;
}

/** One difference, in a sentence. */
export interface Finding {
  kind: FindingKind;
  season: string;
  match_id?: string | null;
  sentence: string;
}

/** The kind of a difference between stored and recomputed data. */
export type FindingKind = "file" | "score" | "table" | "member" | "team" | "season";

/** Matches with one other policy: our mean score, theirs, and the difference with its interval. */
export interface HeadToHead {
  opponent: PolicyRef;
  matches: number;
  score: number;
  opponent_score: number;
  difference: number;
  low: number | null;
  high: number | null;
}

/** What happened to a policy version in a pool. */
export interface HistoryLine {
  season: string;
  season_version: number;
  pool: string;
  action: string;
  notes: string | null;
  at: string;
}

/** The state of a job. */
export type JobStatus = "pending" | "dispatched" | "running" | "completed" | "failed";

export interface Leader {
  policy: PolicyRef;
  score: number;
}

/** What the logs of a league's rounds give, compared bit by bit with what is stored. */
export interface LeagueRecomputeReport {
  rounds: number;
  results: number;
  players: number;
  repaired: number;
  differences: string[];
  sentence: string;
}

/** `check` changes nothing. */
export interface LeagueRecomputeRequest {
  check?: boolean;
}

/** The match that replaces a failed one. */
export interface MatchAgain {
  match_id: string;
  sentence: string;
}

/** A match in a list. `status` is waiting, running, completed or failed. */
export interface MatchLine {
  id: string;
  season: string;
  season_version: number;
  pool: string;
  status: string;
  players: MatchPolicy[];
  team_id: string | null;
  why: string | null;
  error: string | null;
  error_type: string | null;
  created_at: string;
  completed_at: string | null;
  has_replay: boolean;
}

/** A match with its details. */
export interface MatchPage {
  id: string;
  season: string;
  season_version: number;
  pool: string;
  status: string;
  players: MatchPolicy[];
  team_id: string | null;
  why: string | null;
  error: string | null;
  error_type: string | null;
  created_at: string;
  completed_at: string | null;
  has_replay: boolean;
  season_display_name: string;
  job_id: string | null;
  episode_id: string | null;
  assignments: number[];
  rewards: number[] | null;
  steps: number | null;
  sample: number | null;
  seed: string | null;
  worker: string | null;
  attempts: number;
  timings: Timings;
  isolation: string[];
  runtime: Record<string, unknown>;
  digests: Record<string, string>;
  replay_url: string | null;
  viewer_url: string | null;
  my_policies: string[];
}

export interface MatchPolicy {
  policy: PolicyRef;
  num_agents: number;
  score: number | null;
  to_blame: boolean;
}

export interface MatchesPage {
  rows: MatchLine[];
  total: number;
  next_cursor: string | null;
}

/** The current user. Send `csrf` in the header `X-CSRF-Token` of requests that change something. */
export interface Me {
  signed_in: boolean;
  user_id: string | null;
  name: string | null;
  email: string | null;
  is_admin: boolean;
  csrf: string;
}

/** One of the caller's policies in a season: where it is, what happened last, and why. */
export interface MyEntry {
  policy: PolicyRef;
  pool: string;
  state: EntryState;
  place: number | null;
  rank: number | null;
  score: number | null;
  completed: number;
  failed: number;
  last_event: string;
  last_event_at: string;
  why: string;
}

/** Everything public about a policy version. Points and rows are those of `pool` in `season`. */
export interface PolicyPage {
  policy: PolicyRef;
  created_at: string;
  bundle_bytes: number | null;
  public_bundle: boolean;
  mine: boolean;
  versions: PolicyVersionLine[];
  seasons: PolicySeason[];
  history: HistoryLine[];
  season: string | null;
  pool: string | null;
  points: ScorePoint[];
  head_to_head: HeadToHead[];
  mean_seconds: number | null;
  failures: FailureLine[];
  card_url: string;
}

/** A policy version wherever it appears; its page is `/observatory/policies/{id}`. */
export interface PolicyRef {
  id: string;
  policy_id: string;
  name: string;
  version: number;
  author: string;
}

/** A policy version in a pool of a season. */
export interface PolicySeason {
  season: string;
  season_version: number;
  display_name: string;
  pool: string;
  active: boolean;
  rank: number | null;
  of: number;
  score: number | null;
  low: number | null;
  high: number | null;
  vor: number | null;
  matches: number;
  failed: number;
}

export interface PolicyVersionLine {
  id: string;
  version: number;
  created_at: string;
  seasons: string[];
}

/** A new version, and the pools it entered, when a season was named. */
export interface PolicyVersionResponse {
  id: string;
  name: string;
  version: number;
  pools?: string[] | null;
  submit_error?: string | null;
}

/** A policy version. Only its owner sees `s3_path`. */
export interface PolicyVersionRow {
  user_id: string;
  user?: UserRow | null;
  id: string;
  policy_id: string;
  name: string;
  version: number;
  created_at: string;
  policy_created_at: string;
  tags?: Record<string, string> | null;
  attributes?: Record<string, unknown> | null;
  internal_id?: number | null;
  s3_path?: string | null;
  container_image_id?: string | null;
  kind: "bundle" | "image" | "file" | "description" | null;
  policy_version_id: string | null;
  policy_name: string | null;
}

export interface PolicyVersionsResponse {
  entries: PolicyVersionRow[];
  total_count: number;
  next_cursor: string | null;
}

/** Where to PUT a bundle, as `application/zip`, within the hour. */
export interface PresignedUploadUrlResponse {
  upload_url: string;
  s3_key: string;
  upload_id: string;
}

export interface QueuePage {
  running: RunningMatch[];
  queued: QueuedMatch[];
  queued_total: number;
  workers: WorkerLine[];
  commissioner: CommissionerNote[];
}

export interface QueuedMatch {
  place: number;
  kind: string;
  match: MatchLine | null;
  queued_at: string;
  why: string;
}

export interface RecomputeReport {
  seasons: number;
  matches: number;
  files: number;
  repaired: number;
  findings: Finding[];
  sentence: string;
}

/** Without a season all of them. `check` changes nothing. */
export interface RecomputeRequest {
  season?: string | null;
  check?: boolean;
}

/** A job that a worker is running. Jobs other than matches of public seasons show as `private`. */
export interface RunningMatch {
  kind: string;
  match: MatchLine | null;
  since: string | null;
  worker: string | null;
}

/** A match score, and the running score after it with its interval. */
export interface ScorePoint {
  match_id: string;
  at: string;
  match_score: number;
  score: number;
  low?: number | null;
  high?: number | null;
}

/** A season in the list of seasons. */
export interface SeasonCard {
  id: string;
  name: string;
  version: number;
  display_name: string;
  summary: string;
  tournament_type: TournamentType;
  status: SeasonStatus;
  is_default: boolean;
  public: boolean;
  compat_version: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  entrants: number;
  active_entrants: number;
  matches: number;
  failed: number;
  running: number;
  waiting: number;
  leader: Leader | null;
}

/** The change to a season: texts change in place, changed rules create a new version. */
export interface SeasonChanged {
  name: string;
  version: number;
  change: "created" | "edited" | "unchanged" | "new_version" | "closed" | "opened" | "started";
  sentence: string;
}

/** Whether a text describes a season. `sentence` names the first mistake and its place, or the effect of saving. */
export interface SeasonChecked {
  good: boolean;
  sentence: string;
  change?: "create" | "edit" | "new_version" | "unchanged" | null;
}

/** `final` ends the season permanently: it cannot be reopened, and its seeds become public. */
export interface SeasonClose {
  final?: boolean;
}

/** A season with its details. */
export interface SeasonPage {
  id: string;
  name: string;
  version: number;
  display_name: string;
  summary: string;
  tournament_type: TournamentType;
  status: SeasonStatus;
  is_default: boolean;
  public: boolean;
  compat_version: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  entrants: number;
  active_entrants: number;
  matches: number;
  failed: number;
  running: number;
  waiting: number;
  leader: Leader | null;
  canonical: boolean;
  game_description: string | null;
  entry_pool: string | null;
  leaderboard_pool: string | null;
  auto_roll_hour_utc: number | null;
  closed_at: string | null;
  takes_policies: boolean;
  why_closed: string | null;
  seed: string | null;
  stages: Stage[];
  versions: SeasonVersionLine[];
  why_nothing_is_scheduled: string | null;
  my_entries: MyEntry[];
}

/** A season as YAML, and which one it is. */
export interface SeasonSource {
  yaml: string;
  name: string;
  version: number;
}

/** The state of a season; derived from its timestamps. */
export type SeasonStatus = "not_started" | "in_progress" | "complete";

/** A season as YAML. */
export interface SeasonText {
  yaml: string;
}

export interface SeasonVersionLine {
  version: number;
  canonical: boolean;
  status: SeasonStatus;
  created_at: string;
  completed_at: string | null;
  closed_at: string | null;
}

/** A pool, and what is played in it. */
export interface Stage {
  index: number;
  pool: string;
  title: string;
  kind: string;
  description: string;
  state: StageState;
  policies: number;
  active: number;
  teams: number;
  eliminated: number;
  completed: number;
  failed: number;
  running: number;
  waiting: number;
  percent: number;
}

/** How far a stage is. */
export type StageState = "open" | "pending" | "active" | "complete";

export interface SubmitRequest {
  policy_version_id: string;
}

/** The pools that the policy entered. */
export interface SubmitResponse {
  pools: string[];
}

export interface Table {
  season: string;
  season_version: number;
  pool: string;
  kind: TableKind;
  lower_is_better: boolean;
  maps: number;
  matches: number;
  updated_at: string | null;
  rows: TableRow[];
}

/** The kind of scores in a table. */
export type TableKind = "scores" | "placements";

/** A policy in a table. `low` to `high` holds the true score in 95 of 100 cases. */
export interface TableRow {
  rank: number;
  policy: PolicyRef;
  score: number;
  low: number | null;
  high: number | null;
  rank_low: number | null;
  rank_high: number | null;
  stddev: number | null;
  matches: number;
  failed: number;
  failing: boolean;
  vor: number | null;
  vor_low: number | null;
  vor_high: number | null;
  trend: number | null;
  last_match_at: string | null;
  isolation: string | null;
  active: boolean;
  team_ranks?: number[];
}

/** A team. `rank` is its place in its pool; None while it has no score. */
export interface TeamRow {
  id: string;
  pool: string;
  rank: number | null;
  score: number | null;
  low: number | null;
  high: number | null;
  matches: number;
  eliminated: boolean;
  notes: string | null;
  parent_team_id: string | null;
  members: PolicyRef[];
}

export interface Teams {
  season: string;
  season_version: number;
  pools: string[];
  total: number;
  rows: TeamRow[];
}

/** Seconds. */
export interface Timings {
  waited: number | null;
  played: number | null;
}

/** How a season is played. */
export type TournamentType = "freeplay" | "team";

/** An account as administrators see it. */
export interface UserRead {
  id: string;
  email: string;
  name: string | null;
  is_admin: boolean;
  github_login: string | null;
  created_at: string;
  disabled_at: string | null;
}

/** A user as others may see them; `email` only for themselves and administrators. */
export interface UserRow {
  id: string;
  name?: string | null;
  email?: string | null;
  is_softmax_team_member?: boolean | null;
  discord_id?: string | null;
  created_at?: string | null;
}

export interface WorkerLine {
  name: string;
  seen_seconds_ago: number;
}

export interface GetCalls {
  "/observatory/api/admin/audit": { answer: AuditRow[]; body: undefined };
  "/observatory/api/admin/failures": { answer: Failure[]; body: undefined };
  "/observatory/api/admin/jobs": { answer: AdminJob[]; body: undefined };
  "/observatory/api/admin/seasons": { answer: AdminSeason[]; body: undefined };
  "/observatory/api/admin/seasons/{season}/yaml": { answer: SeasonSource; body: undefined };
  "/observatory/api/admin/users": { answer: UserRead[]; body: undefined };
  "/observatory/api/admin/workers": { answer: AdminWorker[]; body: undefined };
  "/observatory/api/matches/{match_id}": { answer: MatchPage; body: undefined };
  "/observatory/api/me": { answer: Me; body: undefined };
  "/observatory/api/policies/{policy_version_id}": { answer: PolicyPage; body: undefined };
  "/observatory/api/queue": { answer: QueuePage; body: undefined };
  "/observatory/api/seasons": { answer: SeasonCard[]; body: undefined };
  "/observatory/api/seasons/{season}": { answer: SeasonPage; body: undefined };
  "/observatory/api/seasons/{season}/matches": { answer: MatchesPage; body: undefined };
  "/observatory/api/seasons/{season}/table": { answer: Table; body: undefined };
  "/observatory/api/seasons/{season}/teams": { answer: Teams; body: undefined };
  "/stats/policy-versions": { answer: PolicyVersionsResponse; body: undefined };
  "/tournament/matches/{match_id}/{policy_version_id}/policy-logs": { answer: string[]; body: undefined };
}

export interface PostCalls {
  "/observatory/api/admin/leagues/{league_id}/recompute": { answer: LeagueRecomputeReport; body: LeagueRecomputeRequest };
  "/observatory/api/admin/matches/{match_id}/again": { answer: MatchAgain; body: undefined };
  "/observatory/api/admin/recompute": { answer: RecomputeReport; body: RecomputeRequest };
  "/observatory/api/admin/seasons": { answer: SeasonChanged; body: SeasonText };
  "/observatory/api/admin/seasons/check": { answer: SeasonChecked; body: SeasonText };
  "/observatory/api/admin/seasons/{season}/close": { answer: SeasonChanged; body: SeasonClose | null };
  "/observatory/api/admin/seasons/{season}/open": { answer: SeasonChanged; body: undefined };
  "/observatory/api/admin/seasons/{season}/roll": { answer: SeasonChanged; body: undefined };
  "/observatory/api/admin/seasons/{season}/start": { answer: SeasonChanged; body: undefined };
  "/stats/policies/submit/complete": { answer: PolicyVersionResponse; body: CompleteRequest };
  "/stats/policies/submit/presigned-url": { answer: PresignedUploadUrlResponse; body: undefined };
  "/tournament/seasons/{season}/submissions": { answer: SubmitResponse; body: SubmitRequest };
}

export interface PutCalls {
  "/observatory/api/admin/seasons/{season}/yaml": { answer: SeasonChanged; body: SeasonText };
}

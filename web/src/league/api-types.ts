/* Made by scripts/api_types.py from the server's OpenAPI document; `make check` compares. Do not edit. */

/** The steps of a policy's agents, summed. A number is null where the replay does not record it. */
export interface ActionCounts {
  steps: number;
  idle: number;
  blocked: number | null;
  failed: number | null;
  missed: number | null;
  cells: number | null;
}

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
  life: SeasonLife;
  canonical: boolean;
  public: boolean;
  is_default: boolean;
  compat_version: string | null;
  auto_roll_hour_utc: number | null;
  seed: string | null;
  created_at: string;
  opened_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  disabled_at: string | null;
}

/** A worker seen in the last day, and its current job. */
export interface AdminWorker {
  name: string;
  last_seen_at: string | null;
  job_id: string | null;
  match_id: string | null;
  since: string | null;
  lease_expires_at: string | null;
  labels: string[];
  cpus: number | null;
  gpus: number | null;
  memory_mb: number | null;
  unable: string | null;
  drained_at: string | null;
}

/** The properties that an assay scores. */
export type AssayAxisName = "stability" | "efficiency" | "control";

export interface AssayRunResponse {
  id: string;
  policy_version_id: string;
  user_id: string;
  name: string | null;
  compat_version: string | null;
  status: AssayStatus;
  total_jobs: number;
  completed_jobs: number;
  failed_jobs: number;
  error: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
}

/** The state of an assay. */
export type AssayStatus = "pending" | "completed" | "failed";

/** A part of the audit log, newest first. */
export interface AuditPage {
  rows: AuditRow[];
  next_cursor: string | null;
  actions: string[];
}

/** A decision of an administrator. */
export interface AuditRow {
  at: string;
  actor: string;
  action: string;
  details: Record<string, string | null>;
}

export type AutoChampion = "always" | "never" | "lineage";

export interface AxisScore {
  axis: AssayAxisName;
  score: number;
  derived_metrics: MissionMetrics;
}

/** A high place in a table. */
export interface BestResult {
  kind: "season" | "league";
  title: string;
  url: string;
  policy: PolicyRef;
  rank: number;
  of: number;
  score: number | null;
  is_final: boolean;
  at: string;
}

/** One of the best players of a division. `low` to `high` is the 95 % interval of `measured`. */
export interface BoardPlace {
  rank: number;
  player: PlayerRef;
  policy: PolicyRef | null;
  score: number | null;
  measured?: number | null;
  low?: number | null;
  high?: number | null;
}

export interface Cancellation {
  reason?: string | null;
}

export type CertificationState = "never_run" | "queued" | "certifying" | "certified" | "failed";

/** A friendly match to be played: a policy version of the caller's against another one. */
export interface ChallengeCreate {
  policy_version_id: string;
  opponent_version_id: string;
  mission: string;
}

/** What the caller can choose for a challenge to a policy version. */
export interface ChallengeOptions {
  opponent: PolicyRef;
  rule: ChallengeRule;
  why_not: string | null;
  policies: PolicyRef[];
  missions: MissionOption[];
}

/** The challenges that the policies of a user accept. */
export type ChallengeRule = "accept" | "ask" | "refuse";

/** A way in which a notice leaves the server. */
export type Channel = "email" | "webhook";

/** A message from or to a commissioner. */
export interface CommissionerMessageRow {
  id: string;
  connection: number;
  number: number;
  from_commissioner: boolean;
  message_type: string;
  content: Record<string, unknown>;
  created_at: string;
}

/** The commissioner's decisions in its last pass over a season. */
export interface CommissionerNote {
  season: string;
  at: string;
  scheduled: number;
  sentence: string;
  failed: boolean;
}

/** A league. */
export interface Competition {
  id: string;
  name: string;
  slug: string | null;
  game: CompetitionGame;
  participation_url: string;
  forum_markdown_url: string | null;
  wiki_markdown_url: string | null;
  commissioner_key: string | null;
  commissioner_config: Record<string, unknown> | null;
  public?: boolean;
  hidden?: boolean;
  is_game_of_week?: boolean;
  created_at: string;
  disabled_at: string | null;
  rounds_paused_at: string | null;
}

export interface CompetitionDivision {
  id: string;
  name: string;
  level: number;
  type: "competition" | "staging";
  hidden: boolean;
  league: Competition;
  description: string | null;
  archived_at: string | null;
  commissioner_description: Record<string, unknown> | null;
  created_at: string;
}

export interface CompetitionGame {
  id: string;
  name: string;
  slug: string | null;
  coworld_name: string | null;
  coworld_id: string | null;
  description: string | null;
  created_at: string;
}

/** A lobby. Each change raises `revision`; a change names the revision that it was made from. */
export interface CompetitionLobby {
  id: string;
  league_id: string;
  coworld_id: string;
  coworld_name: string;
  coworld_version: string;
  coworld_manifest_hash: string;
  host_user_id: string | null;
  variant_id: string | null;
  min_players: number;
  max_players: number;
  status: string;
  revision: number;
  episode_request_id: string | null;
  episode_id: string | null;
  replay_url: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  expires_at: string;
  seats: CompetitionLobbySeat[];
  can_manage?: boolean;
  permissions: LobbyPermissions;
  league_name: string | null;
  host_name: string | null;
  variants: Record<string, string>[];
  error: string | null;
  lobby_url: string | null;
  play_url: string | null;
  watch_url: string | null;
}

/** A seat; `kind` is `human`, `human_open`, `league_player`, `random` or `closed`. */
export interface CompetitionLobbySeat {
  position: number;
  kind: string;
  player_id: string | null;
  player_name: string | null;
  is_me?: boolean;
  claimant_label: string | null;
  can_claim?: boolean;
  can_remove?: boolean;
}

/** A policy version in a division. */
export interface CompetitionMembership {
  id: string;
  status: string;
  substatus: string | null;
  is_champion?: boolean;
  is_active?: boolean;
  start_time: string | null;
  end_time: string | null;
  league: Competition;
  division: CompetitionDivision;
  policy_version: CompetitionPolicyVersion;
  player: CompetitionPlayer | null;
  created_at: string;
}

/** A player as all callers see it. */
export interface CompetitionPlayer {
  id: string;
  name: string | null;
  avatar_url: string | null;
}

export interface CompetitionPolicy {
  id: string;
  name: string;
}

export interface CompetitionPolicyVersion {
  id: string;
  policy: CompetitionPolicy;
  version: number;
  player_id: string | null;
}

/** The one pool of a round, for clients of the first generation. */
export interface CompetitionPool {
  id: string;
  round_id: string | null;
  pool_index: number | null;
  label: string;
  pool_type: string;
  env_config: Record<string, unknown> | null;
  coworld_id: string | null;
  config: Record<string, unknown>;
  status: string;
  error: string | null;
  started_at: string | null;
  completed_at: string | null;
  created_at: string;
}

export interface CompetitionRoundDetail {
  id: string;
  round_number: number;
  commissioner_key: string;
  execution_backend: string;
  round_config: Record<string, unknown>;
  round_display: Record<string, unknown> | null;
  status: string;
  error: string | null;
  started_at: string | null;
  completed_at: string | null;
  division: CompetitionDivision;
  created_at: string;
  results: CompetitionRoundResult[];
  pools: CompetitionPool[];
}

export interface CompetitionRoundResult {
  id: string;
  rank: number;
  score: number;
  result_metadata: Record<string, unknown> | null;
  policy_version: CompetitionPolicyVersion;
  player: CompetitionPlayer | null;
  created_at: string;
}

export interface CompetitionSubmission {
  id: string;
  auto_champion?: string;
  status: string;
  league: Competition;
  policy_version: CompetitionPolicyVersion;
  player: CompetitionPlayer | null;
  league_policy_membership_id: string | null;
  preferences?: Record<string, unknown>;
  notes: string | null;
  created_at: string;
}

/** An upload that has arrived becomes a version. `policy_secret_env` is never shown again. */
export interface CompleteRequest {
  upload_id: string;
  name: string;
  season?: string | null;
  policy_secret_env?: Record<string, string> | null;
}

/** A game in the catalogue: its canonical version, else its newest. */
export interface CoworldCard {
  id: string;
  name: string;
  version: string;
  description: string;
  owner: string;
  uploader: string;
  public: boolean;
  canonical: boolean;
  certification: CertificationState;
  seats_min: number;
  seats_max: number;
  variants: number;
  roles: string[];
  tags: string[];
  leagues: CoworldLeague[];
  versions: number;
  created_at: string;
}

/** A page of a game's documentation: Markdown, or a link. */
export interface CoworldDoc {
  id: string;
  title: string;
  text: string | null;
  url: string | null;
}

export interface CoworldLeague {
  id: string;
  name: string;
}

/** A version of a game with everything that its manifest and this server say about it. */
export interface CoworldPage {
  id: string;
  name: string;
  version: string;
  description: string;
  owner: string;
  uploader: string;
  public: boolean;
  canonical: boolean;
  certification: CertificationState;
  seats_min: number;
  seats_max: number;
  variants: number;
  roles: string[];
  tags: string[];
  leagues: CoworldLeague[];
  versions: number;
  created_at: string;
  mine: boolean;
  shown: CoworldVersionLine;
  all_versions: CoworldVersionLine[];
  variant_list: CoworldVariant[];
  parts: CoworldPart[];
  docs: CoworldDoc[];
  replay: "bundle" | "hosted" | "viewer";
  episodes: EpisodeLine[];
  can_play: boolean;
}

/** A program that comes with a game. */
export interface CoworldPart {
  role: string;
  id: string;
  name: string;
  description: string;
}

/** The game of a league; its page is `/observatory/coworlds/{coworld_name}`. */
export interface CoworldRef {
  name: string;
  coworld_name: string;
  coworld_id: string | null;
  version: string | null;
  description: string;
}

export interface CoworldVariant {
  id: string;
  name: string;
  description: string;
}

/** A version, and what the server's certification says of it. */
export interface CoworldVersionLine {
  id: string;
  version: string;
  public: boolean;
  canonical: boolean;
  certification: CertificationState;
  failed_step: string | null;
  failure: string | null;
  steps: unknown[][];
  transcript_url: string | null;
  completed_at: string | null;
  created_at: string;
}

/** The link, shown once. */
export interface CreatedInvitation {
  id: string;
  url: string;
  expires_at: string;
}

/** A recent delivery, for users who find out why nothing arrives. */
export interface DeliveryLine {
  channel: Channel;
  status: DeliveryStatus;
  title: string;
  error: string | null;
  at: string;
}

/** The state of a delivery. */
export type DeliveryStatus = "waiting" | "sending" | "sent" | "failed" | "skipped";

/** A weakness of a policy, and what its author can do; `severity` is between 0 and 1. */
export interface DiagnosisFinding {
  axis: string;
  severity: number;
  likely_cause: string;
  action: string;
  expected_effect: string;
}

/** The last diagnosis of a policy version of the caller's. */
export interface DiagnosisPage {
  run: AssayRunResponse | null;
  axes: AxisScore[];
  missions: Record<string, MissionMetrics>;
  findings: DiagnosisFinding[];
  why_not: string | null;
}

/** A rate in which a policy differs much from another one, or from all others where there are several. */
export interface Difference {
  measure: string;
  policy: number;
  other: number | null;
  value: number;
  other_value: number;
  text: string;
}

export interface DivisionCard {
  id: string;
  name: string;
  level: number;
  type: string;
  hidden: boolean;
  description: string;
  members: number;
  champions: number;
  state: DivisionState;
  why: string;
  next_at: string | null;
  round: RoundLine | null;
  score_label: string;
  best: BoardPlace[];
}

/** When players leave a division. A line is null where no such move exists. */
export interface DivisionLines {
  promote_above: number | null;
  promote_to: DivisionRef | null;
  relegate_below: number | null;
  relegate_to: DivisionRef | null;
  disqualify_after: number | null;
  gate: number | null;
  gate_to: DivisionRef | null;
  sentences: string[];
}

export interface DivisionPage {
  id: string;
  name: string;
  level: number;
  type: string;
  hidden: boolean;
  description: string;
  members: number;
  champions: number;
  state: DivisionState;
  why: string;
  next_at: string | null;
  round: RoundLine | null;
  score_label: string;
  best: BoardPlace[];
  league: LeagueRef;
  game: CoworldRef;
  archived_at: string | null;
  lines: DivisionLines;
  rules: RulesText | null;
  rounds: number;
  ladder: DivisionRef[];
  may_manage: boolean;
}

export interface DivisionRef {
  id: string;
  name: string;
  level: number;
  type: string;
  hidden: boolean;
}

/** A player in a view of a division's table. `low` to `high` is the 95 % interval of `measured`. */
export interface DivisionRow {
  rank: number;
  subject_id: string;
  player: PlayerRef | null;
  name: string;
  policy: PolicyRef | null;
  score: number | null;
  measured: number | null;
  low: number | null;
  high: number | null;
  rounds: number | null;
  settling: boolean;
  zone: string | null;
  values: Record<string, string | number | boolean | null>;
  form: FormPoint[];
}

/** The current state of a division. */
export type DivisionState = "playing" | "waiting" | "paused" | "off" | "failed" | "closed";

/** One view of a division's table. */
export interface DivisionTable {
  division: DivisionRef;
  views: DivisionView[];
  view: string | null;
  score_label: string;
  score_key: string | null;
  measured_label: string | null;
  columns: LeaderboardColumn[];
  rows: DivisionRow[];
  lines: DivisionLines;
  waiting: WaitingChampion[];
  settled_rounds: number;
}

export interface DivisionView {
  key: string;
  title: string;
  description: string;
  axis_values: Record<string, string>;
}

/** One step of entering a league on a command line. */
export interface EnterCommand {
  title: string;
  commands: string[];
}

/** The state of a submission. */
export type EntryState = "waiting" | "queued" | "playing" | "out" | "finished";

/** A version of a game; its page is `/observatory/coworlds/{id}`. */
export interface EpisodeCoworld {
  id: string;
  name: string;
  version: string;
  variant_id: string | null;
  variant: string | null;
}

/** Why an episode failed. */
export interface EpisodeFault {
  kind: FaultKind;
  seat: number | null;
  error_type: string;
  message: string;
}

/** A file that the caller may download. */
export interface EpisodeFileLine {
  title: string;
  name: string;
  url: string;
  kind: "log" | "json" | "archive" | "replay";
  seat: number | null;
}

/** Addresses of third-party pages, for frames. They need no credentials and expire. */
export interface EpisodeFrames {
  page_url: string | null;
  replay_url: string | null;
  output_urls: Record<string, string>;
  live_url: string | null;
}

/** An episode in a list. */
export interface EpisodeLine {
  id: string;
  status: EpisodeRequestStatus;
  source: RequestSource;
  coworld: EpisodeCoworld;
  round: EpisodeRound | null;
  seats: SeatLine[];
  sentence: string;
  created_at: string;
  completed_at: string | null;
  has_replay: boolean;
  is_live: boolean;
}

/** A file that a role wrote. */
export interface EpisodeOutput {
  id: string;
  name: string;
  type: string;
  size_bytes: number;
}

/** An episode with its details, as far as the caller may see them. */
export interface EpisodePage {
  id: string;
  status: EpisodeRequestStatus;
  source: RequestSource;
  coworld: EpisodeCoworld;
  round: EpisodeRound | null;
  seats: SeatLine[];
  sentence: string;
  created_at: string;
  completed_at: string | null;
  has_replay: boolean;
  is_live: boolean;
  requester: string;
  request_id: string | null;
  request_title: string | null;
  seed: number | null;
  max_steps: number | null;
  steps: number | null;
  attempts: number;
  timings: Timings;
  fault: EpisodeFault | null;
  replay: EpisodeReplay;
  sees_results: boolean;
  results_schema: Record<string, unknown>;
  game_config: Record<string, unknown>;
  files: EpisodeFileLine[];
  bundle_url: string;
  roles: EpisodeRole[];
  runs: EpisodeRoleRun[];
  may_run_roles: boolean;
}

export interface EpisodeReplay {
  kind: ReplayKind;
  download_url: string | null;
  why: string | null;
}

export type EpisodeRequestStatus = "pending" | "submitted" | "running" | "completed" | "failed" | "cancelled";

/** A reporter, grader or diagnoser of the game. */
export interface EpisodeRole {
  role: "reporter" | "grader" | "diagnoser";
  id: string;
  name: string;
  description: string;
}

/** A run of a role on the episode. */
export interface EpisodeRoleRun {
  id: string;
  role: "reporter" | "grader" | "diagnoser";
  role_id: string;
  seat: number | null;
  status: "pending" | "running" | "completed" | "failed";
  error: string | null;
  outputs: EpisodeOutput[];
  completed_at: string | null;
}

/** The round that an episode belongs to. */
export interface EpisodeRound {
  id: string;
  number: number;
  division_id: string;
  division: string;
  league_id: string;
  league: string;
}

export interface EpisodeSeatLine {
  position: number;
  player: PlayerRef | null;
  policy: PolicyRef | null;
  name: string;
  score: number | null;
  is_filler: boolean;
  side: number | null;
  won: boolean;
  at_fault: boolean;
}

/** An attempt to play an episode that failed before the shown one. */
export interface EpisodeTry {
  id: string;
  status: string;
  error: string | null;
  error_type: string | null;
}

export interface EventLine {
  id: string;
  kind: string;
  headline: string;
  summary: string;
  player: PlayerRef | null;
  division: DivisionRef | null;
  round_id: string | null;
  at: string;
}

export interface EventsPage {
  rows: EventLine[];
  next_cursor: string | null;
}

export type ExperienceStatus = "pending" | "running" | "completed" | "failed" | "cancelled";

/** A policy in an episode. Lists have a value for each of the sampled steps and count from the beginning. */
export interface ExplainedPolicy {
  name: string;
  agents: number[];
  status: string;
  failed_step: number | null;
  reward: number[];
  taken: number[];
  hearts: number[] | null;
  deaths: number[] | null;
  counts: ActionCounts;
}

/** A team, and how many objects it held at each of the sampled steps. */
export interface ExplainedTeam {
  name: string;
  agents: number[];
  held: number[];
}

/** What happened in an episode, from its replay. The same episode gives the same document. */
export interface Explanation {
  version: number;
  steps: number;
  max_steps: number;
  ticks: number[];
  held_name: string | null;
  teams: ExplainedTeam[];
  policies: ExplainedPolicy[];
  shared_reward: boolean;
  summary: string[];
  moments: Moment[];
  differences: Difference[];
}

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

/** The party that a failed episode blames. */
export type FaultKind = "policy" | "game" | "server" | "unknown";

/** A problem, and the path of its field in the document; an empty path for the season as a whole. */
export interface FieldProblem {
  path: string[];
  message: string;
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

/** One setting. `path` leads to it in the document; its step `play` is the part of the season's type. */
export interface FormField {
  path: string[];
  group: string;
  title: string;
  about: string;
  kind: string;
  default?: unknown;
  required?: boolean;
  minimum?: number | null;
  maximum?: number | null;
  choices?: string[];
  only?: string | null;
}

/** A player's result in a recent round. */
export interface FormPoint {
  round_id: string;
  number: number;
  rank: number;
  of: number;
  score: number;
  rating: number | null;
}

/** A challenge, or the friendly match that came of it. */
export interface FriendlyLine {
  id: string;
  status: FriendlyStatus;
  expired: boolean;
  players: FriendlyPolicy[];
  mission: string;
  season: string | null;
  mine: boolean;
  can_answer: boolean;
  can_withdraw: boolean;
  created_at: string;
  completed_at: string | null;
}

export interface FriendlyPage {
  id: string;
  status: FriendlyStatus;
  expired: boolean;
  players: FriendlyPolicy[];
  mission: string;
  season: string | null;
  mine: boolean;
  can_answer: boolean;
  can_withdraw: boolean;
  created_at: string;
  completed_at: string | null;
  error: string | null;
  error_type: string | null;
  assignments: number[];
  rewards: number[] | null;
  steps: number | null;
  job_id: string | null;
  episode_id: string | null;
  replay_url: string | null;
  viewer_url: string | null;
  watch_url: string | null;
}

/** A policy in a friendly match. */
export interface FriendlyPolicy {
  policy: PolicyRef;
  num_agents: number;
  score: number | null;
  to_blame: boolean;
}

/** The state of a friendly match. */
export type FriendlyStatus = "asked" | "declined" | "withdrawn" | "waiting" | "running" | "completed" | "failed";

/** A match to play small beside other content. `kind` is live, replay, or none if there is no match to show. */
export interface FrontMatch {
  kind: "live" | "replay" | "none";
  match: MatchLine | null;
  season_display_name: string | null;
  viewer_url: string | null;
}

/** Seasons and leagues together: those that play now first. */
export interface FrontPage {
  seasons: SeasonCard[];
  leagues: LeagueCard[];
  coworlds: number;
  my_seasons: SeasonEntryLine[];
  my_leagues: PlayerMembership[];
}

/** A game that guests may play. */
export interface GuestGame {
  game: string;
  coworld_id: string;
  coworld_name: string;
  title: string;
  description: string;
  variant_id: string | null;
  variant_name: string | null;
  variant_description?: string;
}

/** The choice of a guest. */
export interface GuestGameStart {
  game: string;
}

/** The games that guests may play, in the operator's order. */
export interface GuestGames {
  games: GuestGame[];
}

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

/** A change of a membership. A division that the caller may not see is null. */
export interface HistoryEvent {
  id: string;
  membership_id: string;
  league: LeagueRef;
  policy: PolicyRef;
  from_division: DivisionRef | null;
  to_division: DivisionRef | null;
  move: string;
  status: string;
  substatus: string | null;
  reason: string;
  notes: string | null;
  evidence: Record<string, unknown>[];
  at: string;
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

export interface HistoryPage {
  rows: HistoryEvent[];
  next_cursor: string | null;
}

/** Why a game is hosted. */
export type HostedKind = "play" | "lobby" | "replay";

/** A game that the caller hosts in the browser. */
export interface HostedLine {
  id: string;
  kind: HostedKind;
  coworld_id: string;
  coworld: string;
  status: HostedStatus;
  url: string | null;
  created_at: string;
  ended_at: string | null;
}

/** The state of a hosted game. */
export type HostedStatus = "open" | "starting" | "running" | "ended";

/** A link to register an account or, for an existing account, to choose a new password. */
export interface InvitationCreate {
  email?: string | null;
  is_admin?: boolean;
  expires_in_hours?: number;
  max_uses?: number;
  note?: string;
}

/** An invitation without its link, which is shown only when it is created. */
export interface InvitationRow {
  id: string;
  account: string | null;
  is_admin: boolean;
  note: string;
  created_by: string | null;
  uses: number;
  max_uses: number;
  state: "open" | "used" | "expired" | "revoked";
  created_at: string;
  expires_at: string;
}

/** The purpose of a job. */
export type JobKind = "match" | "episode" | "friendly" | "commissioner" | "certification" | "report" | "hosted_game" | "assay" | "private";

/** The state of a job. */
export type JobStatus = "pending" | "dispatched" | "running" | "completed" | "failed";

export interface JoinedPlayer {
  slot: number;
  label: string;
  user_id: string | null;
  player_id: string | null;
  player_name: string | null;
  joined_at: string | null;
}

/** The caller's place in a game. Its addresses hold a token: they are for the caller only. */
export interface JoinedSession {
  entrant_kind: "player" | "spectator";
  target_url: string;
  player_url: string;
  socket_url: string;
  slot: number | null;
  player: JoinedPlayer | null;
  spectator: JoinedSpectator | null;
}

export interface JoinedSpectator {
  label: string;
  player_id: string | null;
  player_name: string | null;
  joined_at: string;
}

/** Where notices of a kind go. */
export interface KindSetting {
  kind: NoticeKind;
  page: boolean;
  email: boolean;
  webhook: boolean;
}

/** A policy at the top of a table. `low` to `high` holds the true score in 95 of 100 cases. */
export interface Leader {
  policy: PolicyRef;
  score: number;
  low?: number | null;
  high?: number | null;
}

export interface LeaderboardColumn {
  key: string;
  label: string | null;
  value_type: "number" | "integer" | "string" | "boolean" | "percent";
  sort: "asc" | "desc" | null;
}

/** A league in the list of leagues. */
export interface LeagueCard {
  id: string;
  name: string;
  game: CoworldRef;
  public: boolean;
  hidden: boolean;
  is_game_of_week: boolean;
  commissioner: string;
  state: LeagueState;
  players: number;
  members: number;
  divisions: number;
  rounds: number;
  playing: RoundLine[];
  leader: BoardPlace | null;
  leader_label: string;
  best: BoardPlace[];
  best_division: string | null;
  created_at: string;
}

/** One of the caller's policy versions in a league. */
export interface LeagueEntry {
  membership_id: string;
  player: PlayerRef;
  policy: PolicyRef;
  division: DivisionRef;
  state: LeagueEntryState;
  is_champion: boolean;
  status: string;
  substatus: string | null;
  rank: number | null;
  score: number | null;
  score_label: string;
  why: string;
  last_event: string;
  last_event_at: string;
  can_be_champion: boolean;
  can_retire: boolean;
}

/** The state of one of the caller's policy versions in a league. */
export type LeagueEntryState = "playing" | "champion" | "benched" | "qualifying" | "waiting" | "disqualified" | "retired";

export interface LeagueLocks {
  submissions_locked: boolean;
  submissions_locked_at: string | null;
  game_version_locked: boolean;
  locked_game_version: string | null;
  canonical_game_version: string;
}

export interface LeagueLocksRead {
  submissions_locked: boolean;
  game_version_locked: boolean;
  locked_game_version: string | null;
  canonical_game_version: string;
}

/** A league with its details. */
export interface LeaguePage {
  id: string;
  name: string;
  game: CoworldRef;
  public: boolean;
  hidden: boolean;
  is_game_of_week: boolean;
  commissioner: string;
  state: LeagueState;
  players: number;
  members: number;
  divisions: number;
  rounds: number;
  playing: RoundLine[];
  leader: BoardPlace | null;
  leader_label: string;
  best: BoardPlace[];
  best_division: string | null;
  created_at: string;
  division_cards: DivisionCard[];
  takes_policies: boolean;
  why_closed: string | null;
  players_per_user: number;
  guide_url: string;
  commands: EnterCommand[];
  rules: RulesText[];
  locks: LeagueLocksRead;
  paused_at: string | null;
  owner: string;
  commissioner_problem: string | null;
  may_manage: boolean;
  my_entries: LeagueEntry[];
  my_refused: RefusedSubmission[];
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

export interface LeagueRef {
  id: string;
  name: string;
}

/** How a league is played: the stored document, and the same with every default filled in. */
export interface LeagueSettings {
  settings: Record<string, unknown>;
  effective_ladder_config: Record<string, unknown>;
  round_interval_minutes: number | null;
  revision: number;
}

/** The settings of a league for its owner. Saving them names the revision, so that no change is overwritten. */
export interface LeagueSettingsForm {
  settings: Record<string, unknown>;
  revision: number;
  fields: SettingsField[];
}

/** The state of a league in one line. */
export interface LeagueState {
  state: DivisionState;
  sentence: string;
  next_at: string | null;
}

/** A step that the season can take now. */
export interface LifeStep {
  action: "open" | "start" | "close" | "reopen" | "end" | "roll" | "draft" | "unstart";
  title: string;
  consequences: string[];
  undo: string;
  can_undo: boolean;
  is_undo: boolean;
}

/** A match or an episode that is being played and may be watched on its page. */
export interface LiveLine {
  title: string;
  url: string;
  about: string;
}

/** A game of a league to be joined. */
export interface LobbyCreate {
  idempotency_key: string;
  variant_id?: string | null;
  game_config_overrides?: Record<string, unknown> | null;
  num_players?: number | null;
  seats?: LobbySeatChoice[] | null;
}

/** What the caller may do. */
export interface LobbyPermissions {
  can_start?: boolean;
  can_edit?: boolean;
  can_remove_player?: boolean;
  can_end_game?: boolean;
}

export interface LobbySeatChoice {
  position: number;
  kind: "human" | "human_open" | "league_player" | "random" | "closed";
  player_id?: string | null;
}

export interface LobbySeatEdit {
  expected_revision: number;
  kind: "human" | "human_open" | "league_player" | "random" | "closed";
  player_id?: string | null;
}

export interface LobbyStart {
  idempotency_key: string;
  expected_revision: number;
}

export interface LocksUpdate {
  submissions_locked: boolean;
  game_version_locked: boolean;
}

/** The place in the log of a policy that shows its failure. */
export interface LogPlace {
  agent: number;
  line: number;
  lines: string[];
}

/** The match that replaces a failed one. */
export interface MatchAgain {
  match_id: string;
  sentence: string;
}

/** What decided a match. */
export interface MatchExplanation {
  explanation: Explanation | null;
  why_not: string | null;
  failures: PolicyFailure[];
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
  watch_url: string | null;
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
  watch_url: string | null;
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

export interface MemberLine {
  membership_id: string;
  player: PlayerRef;
  policy: PolicyRef;
  status: string;
  substatus: string | null;
  is_champion: boolean;
  since: string;
  ended_at: string | null;
  reason: string;
  reason_at: string;
  is_mine: boolean;
  can_retire: boolean;
  can_be_champion: boolean;
}

export interface MembersPage {
  rows: MemberLine[];
  live: number;
  total: number;
  next_cursor: string | null;
}

export interface MissionMetrics {
  reward_variance?: number;
  non_zero_episode_pct?: number;
  timeout_rate?: number;
  mean_move_success?: number;
  mean_action_failed?: number;
  mean_stuck_steps?: number;
}

export interface MissionOption {
  key: string;
  title: string;
}

/** A turning point. `tick` is where to look in the replay. */
export interface Moment {
  tick: number;
  kind: string;
  text: string;
  policy: number | null;
  team: number | null;
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

/** The kind of event that a notice is about. */
export type NoticeKind = "match" | "failure" | "promotion" | "overtaken" | "challenge";

/** A notice; `url` is the path of the page that it is about. */
export interface NoticeLine {
  id: string;
  kind: NoticeKind;
  title: string;
  text: string;
  url: string;
  events: number;
  created_at: string;
  updated_at: string;
  read: boolean;
}

export interface NoticeSettingsPage {
  kinds: KindSetting[];
  has_email: boolean;
  email: string | null;
  email_confirmed: boolean;
  has_webhooks: boolean;
  webhook_url: string | null;
  webhook_secret: string | null;
  challenges: ChallengeRule;
  deliveries: DeliveryLine[];
}

/** New settings; a field that is missing stays as it is, and null removes an address. */
export interface NoticeSettingsUpdate {
  kinds?: Record<string, ("page" | "email" | "webhook")[]> | null;
  email?: string | null;
  webhook_url?: string | null;
  new_webhook_secret?: boolean;
  challenges?: ChallengeRule | null;
}

export interface NoticesPage {
  rows: NoticeLine[];
  next_cursor: string | null;
  unread: number;
}

/** The notices that the user has read; without `ids` all of them. */
export interface NoticesRead {
  ids?: string[] | null;
}

/** A token of the caller, without the token. */
export interface OwnToken {
  id: string;
  kind: TokenKind;
  name: string;
  preview: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  is_expired: boolean;
}

export interface OwnTokenCreate {
  name: string;
  scopes?: string[];
  expires_in_days?: number | null;
}

/** The only response that shows the token. */
export interface OwnTokenCreated {
  token: string;
  row: OwnToken;
}

/** Meetings of two entrants, seen from the first; both are positions in `entrants`. */
export interface PairingCell {
  first: number;
  second: number;
  won: number;
  drawn: number;
  lost: number;
  episode_id: string;
}

/** The meetings of entrants in a round, with their results. Only pairs that have met are listed, once each. */
export interface Pairings {
  division: DivisionRef;
  entrants: RoundEntrant[];
  cells: PairingCell[];
}

/** Matches with one partner in a game with a shared reward. */
export interface PartnerLine {
  partner: PolicyRef;
  matches: number;
  score: number;
  average: number;
  difference: number;
  low: number | null;
  high: number | null;
}

/** The public data of a person. Never the address to sign in with. */
export interface PersonPage {
  id: string;
  key: string;
  name: string;
  mine: boolean;
  since: string;
  policies: PlayerPolicy[];
  seasons: SeasonEntryLine[];
  leagues: PlayerMembership[];
  best: BestResult[];
  matches: MatchLine[];
}

/** A game that people join, as the caller sees it. */
export interface PlaySession {
  session_id: string;
  lobby_url: string;
  join_url: string;
  global_url: string | null;
  player_url: string | null;
  player_count: number;
  coworld_id: string;
  coworld_name: string;
  coworld_version: string;
  description?: string;
  variant_id: string | null;
  variant_description?: string;
  variants: Record<string, string>[];
  allow_spectators: boolean;
  status: "open" | "starting" | "running" | "ended";
  error: string | null;
  seats: PlaySessionSeat[];
  can_manage: boolean;
  can_join: boolean;
  starts_at: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

/** A game that people join. */
export interface PlaySessionCreate {
  coworld_id: string;
  variant_id?: string | null;
  allow_spectators?: boolean;
}

/** A seat: free, taken by a person or an agent, or played by the game's own player. */
export interface PlaySessionSeat {
  slot: number;
  label: string | null;
  kind: "free" | "person" | "program";
  is_me?: boolean;
}

/** A recent episode; its page is `/observatory/episodes/{id}`. */
export interface PlayerEpisode {
  id: string;
  league: LeagueRef;
  round_id: string;
  round_number: number;
  status: string;
  score: number | null;
  opponents: PlayerRef[];
  at: string;
}

export interface PlayerLine {
  id: string;
  name: string;
  is_default: boolean;
  created_at: string;
}

/** A policy version of the player in a league. */
export interface PlayerMembership {
  id: string;
  league: LeagueRef;
  division: DivisionRef;
  policy: PolicyRef;
  status: string;
  substatus: string | null;
  is_champion: boolean;
  is_live: boolean;
  since: string;
  ended_at: string | null;
  rank: number | null;
  of: number;
  score: number | null;
  score_label: string;
  settling: boolean;
}

export interface PlayerPage {
  player: PlayerRef;
  owner: string;
  mine: boolean;
  created_at: string;
  memberships: PlayerMembership[];
  policies: PlayerPolicy[];
  seasons: PlayerSeason[];
  ratings: Ratings[];
  rounds: PlayerRound[];
  episodes: PlayerEpisode[];
}

/** A policy of the player, by its newest version. */
export interface PlayerPolicy {
  policy: PolicyRef;
  versions: number;
  created_at: string;
}

/** A player wherever it appears; its page is `/observatory/players/{id}`. */
export interface PlayerRef {
  id: string;
  name: string;
}

export interface PlayerRound {
  round_id: string;
  number: number;
  division: DivisionRef;
  policy: PolicyRef;
  at: string;
  before: number | null;
  after: number | null;
  rank: number;
  of: number;
  score: number;
  league: LeagueRef;
}

/** A policy of the same owner in a season. */
export interface PlayerSeason {
  season: string;
  season_version: number;
  display_name: string;
  policy: PolicyRef;
  pool: string;
  active: boolean;
}

/** A policy of a match that did not play to the end or missed deadlines. */
export interface PolicyFailure {
  policy_index: number;
  name: string;
  status: string;
  step: number | null;
  missed_deadlines: number;
  message: string | null;
  log: LogPlace | null;
}

/** Where a policy version plays besides seasons. */
export interface PolicyLeagues {
  leagues: PlayerMembership[];
  episodes: EpisodeLine[];
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
  shared_reward: boolean;
  head_to_head: HeadToHead[];
  partners: PartnerLine[];
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
  author_id: string;
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

/** A version of a policy with its score in the chosen pool. */
export interface PolicyVersionLine {
  id: string;
  version: number;
  created_at: string;
  seasons: string[];
  rank: number | null;
  score: number | null;
  low: number | null;
  high: number | null;
  matches: number;
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

/** A part of the schedule. */
export interface PreviewStage {
  title: string;
  sentence: string;
  policies: number;
  matches: number;
}

/** Everything of the current user, in one place. */
export interface Profile {
  seasons: SeasonEntryLine[];
  leagues: PlayerMembership[];
  submissions: SubmissionLine[];
  requests: RequestLine[];
  episodes: EpisodeLine[];
  hosted: HostedLine[];
  players: PlayerLine[];
  tokens: TokenLine[];
}

export interface QueuePage {
  running: RunningMatch[];
  queued: QueuedMatch[];
  queued_total: number;
  shares: QueueShareLine[];
  workers: WorkerLine[];
  commissioner: CommissionerNote[];
}

/** A season, a league or a kind of job with waiting jobs, and its share of the workers' time. */
export interface QueueShareLine {
  title: string;
  url: string | null;
  weight: number;
  share: number;
  waiting: number;
  running: number;
  ahead_seconds: number;
}

export interface QueuedMatch {
  kind: JobKind;
  title: string;
  url: string | null;
  about: string;
  about_url: string | null;
  match: MatchLine | null;
  is_live?: boolean;
  place: number;
  queued_at: string;
  why: string;
}

/** Limits of a user; null means the server's. */
export interface QuotaChange {
  max_stored_bytes?: number | null;
  max_uploads_per_day?: number | null;
}

/** What a user may store and upload, and has. A limit of its own is not null. */
export interface QuotaRow {
  user_id: string;
  stored_bytes: number;
  uploads_today: number;
  max_stored_bytes: number | null;
  max_uploads_per_day: number | null;
}

export interface RatingPoint {
  round_id: string;
  number: number;
  division: DivisionRef;
  policy: PolicyRef;
  at: string;
  before: number | null;
  after: number | null;
  rank: number;
  of: number;
  score: number;
}

/** The results of the player in one league, oldest first. `label` is that of the ratings; None without ratings. */
export interface Ratings {
  league: LeagueRef;
  label: string | null;
  points: RatingPoint[];
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

/** A submission of the caller that was not placed. */
export interface RefusedSubmission {
  policy: PolicyRef;
  status: string;
  notes: string | null;
  created_at: string;
}

/** How a replay is shown. */
export type ReplayKind = "viewer" | "bundle" | "hosted" | "none";

/** A page that shows a replay. */
export interface ReplaySession {
  viewer_url: string;
  ready: boolean;
}

/** A replay to be shown. */
export interface ReplaySessionCreate {
  coworld_id: string;
  replay_uri: string;
  episode_id?: string | null;
}

/** An experience request of the caller. */
export interface RequestLine {
  id: string;
  title: string;
  coworld_id: string;
  coworld: string;
  status: ExperienceStatus;
  episodes: number;
  ended: number;
  failed: number;
  first_episode: string | null;
  created_at: string;
}

/** Why an episode is played. */
export type RequestSource = "experience_request" | "coworld_upload" | "round" | "lobby";

export interface Retirement {
  reason?: string | null;
}

/** What a role wrote about an episode. */
export interface RoleOutputRow {
  id: string;
  name: string;
  type: string;
  media_type: string | null;
  size_bytes: number;
  created_at: string;
  url: string;
}

/** Which roles look at an episode; without any field, all reporters and graders of the game. */
export interface RoleRunRequest {
  role?: "reporter" | "grader" | "diagnoser" | null;
  role_id?: string | null;
  target?: number | null;
}

/** A reporter, grader or diagnoser of a game looks at an episode. */
export interface RoleRunRow {
  id: string;
  episode_request_id: string;
  role: "reporter" | "grader" | "diagnoser";
  role_id: string;
  target: number | null;
  status: "pending" | "running" | "completed" | "failed";
  error: string | null;
  outputs: RoleOutputRow[];
  created_at: string;
  completed_at: string | null;
}

/** The output of the commissioner of a round. */
export interface RoundCommissioner {
  notes: string | null;
  warnings: string[];
  rule: string | null;
  rule_description: string | null;
  observed: Record<string, unknown>[];
  render_url: string | null;
  facts: RoundFact[];
}

export interface RoundEntrant {
  player: PlayerRef | null;
  policy: PolicyRef;
}

/** An episode of a round; its page is `/observatory/episodes/{id}`. */
export interface RoundEpisode {
  id: string;
  number: number;
  label: string | null;
  status: string;
  variant_id: string | null;
  seats: EpisodeSeatLine[];
  drawn: boolean;
  error: string | null;
  error_type: string | null;
  earlier: EpisodeTry[];
  completed_at: string | null;
}

export interface RoundEpisodes {
  rows: RoundEpisode[];
  total: number;
}

export interface RoundFact {
  name: string;
  text: string;
}

/** A round in a list. `ended` counts episodes of the plan whose last attempt has ended. */
export interface RoundLine {
  id: string;
  number: number;
  division: DivisionRef;
  status: string;
  kind: string;
  entrants: number | null;
  episodes: number;
  ended: number;
  failed: number;
  running: number;
  waiting: number;
  winner: PlayerRef | null;
  winner_policy: PolicyRef | null;
  error: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
}

/** A promotion, relegation, retirement or disqualification that followed from the round. */
export interface RoundMove {
  kind: string;
  headline: string;
  why: string;
  player: PlayerRef | null;
}

/** A round with its results. */
export interface RoundPage {
  id: string;
  number: number;
  division: DivisionRef;
  status: string;
  kind: string;
  entrants: number | null;
  episodes: number;
  ended: number;
  failed: number;
  running: number;
  waiting: number;
  winner: PlayerRef | null;
  winner_policy: PolicyRef | null;
  error: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  league: LeagueRef;
  game: CoworldRef;
  previous_id: string | null;
  next_id: string | null;
  structure: string;
  ranking: string | null;
  rating_label: string | null;
  retries: number;
  participants: RoundEntrant[];
  results: RoundResultLine[];
  moves: RoundMove[];
  commissioner: RoundCommissioner | null;
  may_manage: boolean;
}

export interface RoundResultLine {
  rank: number;
  player: PlayerRef | null;
  policy: PolicyRef;
  score: number;
  rating_before: number | null;
  rating_after: number | null;
  episodes: number | null;
  forfeits: number | null;
  won: number | null;
}

export interface RoundsPage {
  rows: RoundLine[];
  total: number;
  next_cursor: string | null;
}

export interface RoundsPaused {
  paused: boolean;
}

/** How a division is played, in words: of its commissioner, or of the platform ladder. */
export interface RulesText {
  division: DivisionRef;
  round_schedule?: string | null;
  next_round?: string | null;
  round_structure?: string | null;
  leaderboard_rules?: string | null;
  scoring_mechanics?: string | null;
  changelog: Record<string, unknown>[];
}

/** A job that a worker is running. */
export interface RunningMatch {
  kind: JobKind;
  title: string;
  url: string | null;
  about: string;
  about_url: string | null;
  match: MatchLine | null;
  is_live?: boolean;
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

/** A page that fits. `url` is its address. */
export interface SearchHit {
  kind: "season" | "league" | "division" | "policy" | "person" | "player" | "coworld" | "round" | "episode" | "match";
  title: string;
  about: string;
  url: string;
}

export interface SearchPage {
  query: string;
  hits: SearchHit[];
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
  top: Leader[];
}

/** The change to a season: texts change in place, changed rules create a new version. */
export interface SeasonChanged {
  name: string;
  version: number;
  change: "created" | "edited" | "unchanged" | "new_version" | "closed" | "opened" | "started" | "draft";
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
  reason?: string;
}

/** One of the caller's policies in a season. */
export interface SeasonEntryLine {
  policy: PolicyRef;
  season: string;
  display_name: string;
  pool: string;
  active: boolean;
  rank: number | null;
  of: number;
  score: number | null;
  entered_at: string;
}

/** The form for a season, and the document of a new one. */
export interface SeasonForm {
  fields: FormField[];
  document: Record<string, unknown>;
}

/** The season in both forms, the problems in it, and what it would play and cost. */
export interface SeasonFormChecked {
  good: boolean;
  sentence: string;
  problems: FieldProblem[];
  yaml: string;
  document: Record<string, unknown> | null;
  preview: SeasonPreview | null;
}

/** A season as the form or as its YAML has it: one of both. */
export interface SeasonFormText {
  yaml?: string | null;
  document?: Record<string, unknown> | null;
  policies?: number;
}

/** The life of a season, for the people who run it. Published clients see `SeasonStatus`. */
export type SeasonLife = "draft" | "open" | "playing" | "closed" | "ended";

/** Where a season is in its life, and the steps it can take. */
export interface SeasonLifeRead {
  name: string;
  version: number;
  life: SeasonLife;
  steps: LifeStep[];
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
  top: Leader[];
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

/** The schedule and the cost of a season with a number of policies. Numbers are null if no match was measured. */
export interface SeasonPreview {
  policies: number;
  stages: PreviewStage[];
  matches: number;
  match_seconds: number | null;
  cpu_seconds: number | null;
  workers: number;
  days: number | null;
  share: number;
  storage_bytes: number | null;
  basis: string;
}

/** A season as YAML, and which one it is. */
export interface SeasonSource {
  yaml: string;
  name: string;
  version: number;
}

/** The state of a season; derived from its timestamps. */
export type SeasonStatus = "not_started" | "in_progress" | "complete";

/** A season as YAML. A draft is visible to administrators only, until it is opened. */
export interface SeasonText {
  yaml: string;
  draft?: boolean;
}

export interface SeasonVersionLine {
  version: number;
  canonical: boolean;
  status: SeasonStatus;
  created_at: string;
  completed_at: string | null;
  closed_at: string | null;
}

/** A seat: a policy version, or a player that comes with the game. */
export interface SeatLine {
  position: number;
  name: string;
  policy: PolicyRef | null;
  player_id: string | null;
  player: string | null;
  is_filler: boolean;
  score: number | null;
  rank: number | null;
  at_fault: boolean;
  mine: boolean;
  has_log: boolean;
  has_artifact: boolean;
}

/** One setting. `path` leads to it in the document; a step `divisions[div_...]` is the entry of that division. */
export interface SettingsField {
  path: string[];
  group: string;
  title: string;
  about: string;
  kind: string;
  default: unknown;
  required: boolean;
  minimum?: number | null;
  maximum?: number | null;
  choices?: string[];
  only_with?: Record<string, string>;
}

export interface SpectatorsConfig {
  kind: "spectators";
  allow_spectators: boolean;
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

export interface SubmissionCreate {
  league_id: string;
  policy_version_id: string;
  auto_champion?: AutoChampion;
  preferences?: Record<string, unknown> | null;
  player_id?: string | null;
}

export interface SubmissionLine {
  id: string;
  policy: PolicyRef;
  league_id: string;
  league: string;
  player: string;
  status: SubmissionStatus;
  notes: string | null;
  created_at: string;
}

export type SubmissionStatus = "pending" | "processing" | "placed" | "rejected";

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

/** The identity that a token gives its holder. */
export type TokenKind = "personal" | "player_session" | "player_credential" | "worker";

export interface TokenLine {
  id: string;
  name: string;
  kind: string;
  preview: string;
  created_at: string;
  expires_at: string | null;
}

/** How a season is played. */
export type TournamentType = "freeplay" | "team";

/** How many notices the user has not read. */
export interface Unread {
  unread: number;
}

/** An account with its quota. */
export interface UserLine {
  user: UserRead;
  quota: QuotaRow;
}

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

export interface UserUpdate {
  is_admin?: boolean | null;
  disabled?: boolean | null;
}

/** Accounts that fit the search, oldest first, and the limits of users without their own. */
export interface UsersPage {
  users: UserLine[];
  total: number;
  default_max_stored_bytes: number;
  default_max_uploads_per_day: number;
}

export interface VariantConfig {
  kind: "variant";
  variant_id: string;
}

export interface WaitingChampion {
  player: PlayerRef;
  policy: PolicyRef;
  since: string;
}

/** The change of a worker. */
export interface WorkerChanged {
  name: string;
  sentence: string;
}

export interface WorkerLine {
  name: string;
  seen_seconds_ago: number;
}

export interface GetCalls {
  "/observatory/api/admin/audit": { answer: AuditRow[]; body: undefined };
  "/observatory/api/admin/audit-log": { answer: AuditPage; body: undefined };
  "/observatory/api/admin/failures": { answer: Failure[]; body: undefined };
  "/observatory/api/admin/invitations": { answer: InvitationRow[]; body: undefined };
  "/observatory/api/admin/jobs": { answer: AdminJob[]; body: undefined };
  "/observatory/api/admin/people": { answer: UsersPage; body: undefined };
  "/observatory/api/admin/seasons": { answer: AdminSeason[]; body: undefined };
  "/observatory/api/admin/seasons/form": { answer: SeasonForm; body: undefined };
  "/observatory/api/admin/seasons/{season}/life": { answer: SeasonLifeRead; body: undefined };
  "/observatory/api/admin/seasons/{season}/yaml": { answer: SeasonSource; body: undefined };
  "/observatory/api/admin/users": { answer: UserRead[]; body: undefined };
  "/observatory/api/admin/workers": { answer: AdminWorker[]; body: undefined };
  "/observatory/api/coworlds": { answer: CoworldCard[]; body: undefined };
  "/observatory/api/coworlds/{coworld}": { answer: CoworldPage; body: undefined };
  "/observatory/api/divisions/{division_id}": { answer: DivisionPage; body: undefined };
  "/observatory/api/divisions/{division_id}/members": { answer: MembersPage; body: undefined };
  "/observatory/api/divisions/{division_id}/table": { answer: DivisionTable; body: undefined };
  "/observatory/api/episodes/{episode}": { answer: EpisodePage; body: undefined };
  "/observatory/api/episodes/{episode}/frames": { answer: EpisodeFrames; body: undefined };
  "/observatory/api/friendlies": { answer: FriendlyLine[]; body: undefined };
  "/observatory/api/friendlies/of-policy/{policy_version_id}": { answer: FriendlyLine[]; body: undefined };
  "/observatory/api/friendlies/options/{policy_version_id}": { answer: ChallengeOptions; body: undefined };
  "/observatory/api/friendlies/{friendly_id}": { answer: FriendlyPage; body: undefined };
  "/observatory/api/friendlies/{friendly_id}/explanation": { answer: MatchExplanation; body: undefined };
  "/observatory/api/front": { answer: FrontPage; body: undefined };
  "/observatory/api/front-match": { answer: FrontMatch; body: undefined };
  "/observatory/api/guest/games": { answer: GuestGames; body: undefined };
  "/observatory/api/guest/games/{session_id}": { answer: PlaySession; body: undefined };
  "/observatory/api/leagues": { answer: LeagueCard[]; body: undefined };
  "/observatory/api/leagues/{league_id}": { answer: LeaguePage; body: undefined };
  "/observatory/api/leagues/{league_id}/events": { answer: EventsPage; body: undefined };
  "/observatory/api/leagues/{league_id}/rounds": { answer: RoundsPage; body: undefined };
  "/observatory/api/leagues/{league_id}/settings-form": { answer: LeagueSettingsForm; body: undefined };
  "/observatory/api/live": { answer: LiveLine[]; body: undefined };
  "/observatory/api/matches/{match_id}": { answer: MatchPage; body: undefined };
  "/observatory/api/me": { answer: Me; body: undefined };
  "/observatory/api/notices": { answer: NoticesPage; body: undefined };
  "/observatory/api/notices/settings": { answer: NoticeSettingsPage; body: undefined };
  "/observatory/api/notices/unread": { answer: Unread; body: undefined };
  "/observatory/api/people/{person}": { answer: PersonPage; body: undefined };
  "/observatory/api/players/{player_id}": { answer: PlayerPage; body: undefined };
  "/observatory/api/players/{player_id}/history": { answer: HistoryPage; body: undefined };
  "/observatory/api/policies/{policy_version_id}": { answer: PolicyPage; body: undefined };
  "/observatory/api/policies/{policy_version_id}/diagnosis": { answer: DiagnosisPage; body: undefined };
  "/observatory/api/policies/{policy_version_id}/leagues": { answer: PolicyLeagues; body: undefined };
  "/observatory/api/policies/{policy_version_id}/matches": { answer: MatchesPage; body: undefined };
  "/observatory/api/profile": { answer: Profile; body: undefined };
  "/observatory/api/queue": { answer: QueuePage; body: undefined };
  "/observatory/api/rounds/{round_id}": { answer: RoundPage; body: undefined };
  "/observatory/api/rounds/{round_id}/episodes": { answer: RoundEpisodes; body: undefined };
  "/observatory/api/rounds/{round_id}/pairings": { answer: Pairings; body: undefined };
  "/observatory/api/search": { answer: SearchPage; body: undefined };
  "/observatory/api/seasons": { answer: SeasonCard[]; body: undefined };
  "/observatory/api/seasons/{season}": { answer: SeasonPage; body: undefined };
  "/observatory/api/seasons/{season}/matches": { answer: MatchesPage; body: undefined };
  "/observatory/api/seasons/{season}/table": { answer: Table; body: undefined };
  "/observatory/api/seasons/{season}/teams": { answer: Teams; body: undefined };
  "/observatory/api/tokens": { answer: OwnToken[]; body: undefined };
  "/stats/policy-versions": { answer: PolicyVersionsResponse; body: undefined };
  "/tournament/matches/{match_id}/explanation": { answer: MatchExplanation; body: undefined };
  "/tournament/matches/{match_id}/{policy_version_id}/policy-logs": { answer: string[]; body: undefined };
  "/v2/coworlds/play/session/{session_id}": { answer: PlaySession; body: undefined };
  "/v2/league-policy-memberships": { answer: CompetitionMembership[]; body: undefined };
  "/v2/lobbies/{lobby_id}": { answer: CompetitionLobby; body: undefined };
  "/v2/rounds/{round_id}/commissioner-messages": { answer: CommissionerMessageRow[]; body: undefined };
}

export interface PostCalls {
  "/observatory/api/admin/invitations": { answer: CreatedInvitation; body: InvitationCreate };
  "/observatory/api/admin/invitations/{invitation_id}/revoke": { answer: InvitationRow; body: undefined };
  "/observatory/api/admin/leagues/{league_id}/recompute": { answer: LeagueRecomputeReport; body: LeagueRecomputeRequest };
  "/observatory/api/admin/matches/{match_id}/again": { answer: MatchAgain; body: undefined };
  "/observatory/api/admin/people/{user_id}": { answer: UserRead; body: UserUpdate };
  "/observatory/api/admin/recompute": { answer: RecomputeReport; body: RecomputeRequest };
  "/observatory/api/admin/seasons": { answer: SeasonChanged; body: SeasonText };
  "/observatory/api/admin/seasons/check": { answer: SeasonChecked; body: SeasonText };
  "/observatory/api/admin/seasons/preview": { answer: SeasonFormChecked; body: SeasonFormText };
  "/observatory/api/admin/seasons/{season}/close": { answer: SeasonChanged; body: SeasonClose | null };
  "/observatory/api/admin/seasons/{season}/draft": { answer: SeasonChanged; body: undefined };
  "/observatory/api/admin/seasons/{season}/open": { answer: SeasonChanged; body: undefined };
  "/observatory/api/admin/seasons/{season}/roll": { answer: SeasonChanged; body: undefined };
  "/observatory/api/admin/seasons/{season}/start": { answer: SeasonChanged; body: undefined };
  "/observatory/api/admin/seasons/{season}/unstart": { answer: SeasonChanged; body: undefined };
  "/observatory/api/admin/workers/{worker}/drain": { answer: WorkerChanged; body: undefined };
  "/observatory/api/admin/workers/{worker}/resume": { answer: WorkerChanged; body: undefined };
  "/observatory/api/friendlies": { answer: FriendlyLine; body: ChallengeCreate };
  "/observatory/api/friendlies/{friendly_id}/accept": { answer: FriendlyLine; body: undefined };
  "/observatory/api/friendlies/{friendly_id}/decline": { answer: FriendlyLine; body: undefined };
  "/observatory/api/friendlies/{friendly_id}/withdraw": { answer: FriendlyLine; body: undefined };
  "/observatory/api/guest/games": { answer: PlaySession; body: GuestGameStart };
  "/observatory/api/guest/games/{session_id}/end": { answer: PlaySession; body: undefined };
  "/observatory/api/notices/read": { answer: Unread; body: NoticesRead };
  "/observatory/api/policies/{policy_version_id}/diagnosis": { answer: DiagnosisPage; body: undefined };
  "/observatory/api/tokens": { answer: OwnTokenCreated; body: OwnTokenCreate };
  "/observatory/api/tokens/{token_id}/revoke": { answer: OwnToken; body: undefined };
  "/stats/policies/submit/complete": { answer: PolicyVersionResponse; body: CompleteRequest };
  "/stats/policies/submit/presigned-url": { answer: PresignedUploadUrlResponse; body: undefined };
  "/tournament/seasons/{season}/submissions": { answer: SubmitResponse; body: SubmitRequest };
  "/v2/coworlds/play/session": { answer: PlaySession; body: PlaySessionCreate };
  "/v2/coworlds/play/session/{session_id}/end": { answer: PlaySession; body: undefined };
  "/v2/coworlds/play/session/{session_id}/join": { answer: JoinedSession; body: undefined };
  "/v2/coworlds/play/session/{session_id}/start": { answer: PlaySession; body: undefined };
  "/v2/coworlds/replays/session": { answer: ReplaySession; body: ReplaySessionCreate };
  "/v2/episode-requests/{request_id}/role-runs": { answer: RoleRunRow[]; body: RoleRunRequest };
  "/v2/league-policy-memberships/{membership_id}/champion": { answer: CompetitionMembership; body: undefined };
  "/v2/league-policy-memberships/{membership_id}/retire": { answer: CompetitionMembership; body: Retirement | null };
  "/v2/league-submissions": { answer: CompetitionSubmission; body: SubmissionCreate };
  "/v2/leagues/{league_id}/lobbies": { answer: CompetitionLobby; body: LobbyCreate };
  "/v2/leagues/{league_id}/locks": { answer: LeagueLocks; body: LocksUpdate };
  "/v2/leagues/{league_id}/rounds-paused": { answer: Competition; body: RoundsPaused };
  "/v2/leagues/{league_id}/settings": { answer: LeagueSettings; body: Record<string, unknown> };
  "/v2/leagues/{league_id}/trigger-round": { answer: Competition; body: undefined };
  "/v2/lobbies/{lobby_id}/cancel": { answer: CompetitionLobby; body: undefined };
  "/v2/lobbies/{lobby_id}/end": { answer: CompetitionLobby; body: undefined };
  "/v2/lobbies/{lobby_id}/leave": { answer: CompetitionLobby; body: undefined };
  "/v2/lobbies/{lobby_id}/seats/{position}/claim": { answer: CompetitionLobby; body: undefined };
  "/v2/lobbies/{lobby_id}/start": { answer: CompetitionLobby; body: LobbyStart };
  "/v2/rounds/{round_id}/cancel": { answer: CompetitionRoundDetail; body: Cancellation | null };
}

export interface PutCalls {
  "/observatory/api/admin/people/{user_id}/quota": { answer: QuotaRow; body: QuotaChange };
  "/observatory/api/admin/seasons/{season}/yaml": { answer: SeasonChanged; body: SeasonText };
  "/observatory/api/notices/settings": { answer: NoticeSettingsPage; body: NoticeSettingsUpdate };
  "/v2/coworlds/play/session/{session_id}/config": { answer: PlaySession; body: VariantConfig | SpectatorsConfig };
  "/v2/lobbies/{lobby_id}/seats/{position}": { answer: CompetitionLobby; body: LobbySeatEdit };
}

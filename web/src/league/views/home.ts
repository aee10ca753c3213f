import { el, renew } from "../../ui/dom";
import type { BoardPlace, FrontPage, Leader, LeagueCard, QueuePage, SeasonCard } from "../api-types";
import { count, counted, score } from "../format";
import type { Change } from "../live";
import { buttonLink, chip, empty, facts, intervalBar, link, name, policyLink, progressBar, time } from "../parts/bits";
import { LiveMatch } from "../parts/live-match";
import { leagueEntry, seasonEntry } from "../parts/own-entries";
import { PlayChoices } from "../parts/play-choices";
import { type Route, to } from "../router";
import { intervalScale } from "../scale";
import { type Site, View } from "../view";

const MOST_SHOWN = 6;

/** What this is and a game to play at once; the user's own entries first; seasons and leagues, what runs now. */
export class HomeView extends View {
  override title = "";
  private readonly front = this.source(
    (signal) => this.site.api.get("/observatory/api/front", {}, {}, signal),
    "season",
    "match",
    "table",
    "membership",
    "league",
    "league_entry",
    "round",
    "round_episode",
  );
  private readonly queue = this.source(
    (signal) => this.site.api.get("/observatory/api/queue", {}, {}, signal),
    "queue",
    "match",
  );
  private readonly games = this.source(
    (signal) => this.site.api.get("/observatory/api/guest/games", {}, {}, signal),
    "coworld",
  );
  private readonly own = el("div", { class: "column" });
  private readonly choices = new PlayChoices(this.site);
  private readonly match = new LiveMatch(this.site);
  private readonly rest = el("div", { class: "column" });

  constructor(site: Site, route: Route) {
    super(site, route);
    this.content.append(this.own, el("div", { class: "front" }, this.welcome(), this.match.element), this.rest);
  }

  override start(): void {
    super.start();
    this.match.start();
  }

  override handleChanges(changes: readonly Change[]): void {
    super.handleChanges(changes);
    this.match.handleChanges(changes);
  }

  override close(): void {
    this.match.close();
    super.close();
  }

  draw(): void {
    const front = this.dataOf(this.front);
    if (!front) return;
    const hasEntries = front.my_seasons.length + front.my_leagues.length > 0;
    this.own.hidden = !hasEntries;
    renew(this.own, hasEntries && ownEntries(front));
    this.choices.draw(this.games.value?.games ?? []);
    renew(this.rest, now(this.queue.value), ...competitions(front, this.site.api.me?.is_admin ?? false));
  }

  /** One sentence on what this is, and what a visitor can do at once. */
  private welcome(): HTMLElement {
    return el(
      "section",
      { class: "panel welcome", attrs: { "aria-label": "Welcome" } },
      el("h1", {}, "Programs play, the league ranks them"),
      el(
        "p",
        { class: "lead" },
        "Policies are programs that play games with and against each other; seasons and leagues show which is better, and how sure that is.",
      ),
      this.choices.element,
      el(
        "p",
        { class: "actions" },
        link(to.queue(), "See what runs now"),
        link(to.coworlds(), "Browse the games"),
        link(to.leagues(), "Leagues"),
      ),
    );
  }
}

function ownEntries(front: FrontPage): HTMLElement {
  return el(
    "section",
    { class: "panel", attrs: { "aria-label": "Your entries" } },
    el("div", { class: "now-line" }, el("h2", {}, "Your entries"), el("span"), link(to.me(), "Profile")),
    el(
      "ul",
      { class: "plain-list own-entries" },
      ...front.my_leagues.map(leagueEntry),
      ...front.my_seasons.map(seasonEntry),
    ),
  );
}

function now(queue: QueuePage | null): HTMLElement {
  const running = queue?.running ?? [];
  const workers = queue?.workers.length ?? 0;
  const summary = !queue
    ? "Loading the queue …"
    : running.length
      ? `${counted(running.length, "job")} running, ${count(queue.queued_total)} waiting`
      : queue.queued_total
        ? `${counted(queue.queued_total, "job waits", "jobs wait")} for ${workers ? "a free worker" : "a worker; none has connected recently"}`
        : "Nothing runs now";
  const lines = running
    .slice(0, MOST_SHOWN)
    .map((job) =>
      el(
        "li",
        {},
        job.url ? link(job.url, name(job.title)) : el("span", { class: "quiet" }, job.title),
        el("span", { class: "quiet small" }, job.about ? name(job.about) : "", job.about ? " · " : "", time(job.since)),
      ),
    );
  return el(
    "section",
    { class: "panel now", attrs: { "aria-label": "Running now" } },
    el(
      "p",
      { class: "now-line" },
      el("span", { class: running.length ? "dot is-on" : "dot" }),
      el("span", {}, summary),
      link(to.queue(), "Queue"),
    ),
    lines.length > 0 && el("ul", { class: "plain-list" }, ...lines),
  );
}

type Competition = { isLive: boolean; hasEnded: boolean; card: HTMLElement };

/** Seasons and leagues as one list: those that play now first, those that have ended last. */
function competitions(front: FrontPage, isAdmin: boolean): HTMLElement[] {
  if (!front.seasons.length && !front.leagues.length) return [nothing(isAdmin)];
  const all: Competition[] = [
    ...front.leagues.map((league) => ({
      isLive: league.playing.length > 0,
      hasEnded: league.state.state === "closed",
      card: leagueCard(league),
    })),
    ...front.seasons.map((season) => ({
      isLive: season.running > 0,
      hasEnded: season.status === "complete",
      card: seasonCard(season),
    })),
  ];
  const open = all.filter((one) => !one.hasEnded).sort((a, b) => Number(b.isLive) - Number(a.isLive));
  const ended = all.filter((one) => one.hasEnded);
  return [...(open.length ? [group("Open competitions", open)] : []), ...(ended.length ? [group("Ended", ended)] : [])];
}

function group(title: string, all: readonly Competition[]): HTMLElement {
  return el(
    "section",
    { class: "column", attrs: { "aria-label": title } },
    el("h2", { class: "group-title" }, title),
    el("div", { class: "cards" }, ...all.map(({ card }) => card)),
  );
}

function seasonCard(season: SeasonCard): HTMLElement {
  return el(
    "article",
    { class: "card", attrs: { "data-season": season.name } },
    el("h3", { class: "card-title" }, link(to.season(season.name), season.display_name)),
    el(
      "p",
      { class: "chips" },
      chip("plain", "season"),
      chip(season.status),
      chip("plain", season.tournament_type),
      season.version > 1 && chip("plain", `version ${season.version}`),
      season.is_default && chip("plain", "default"),
      !season.public && chip("out", "private"),
    ),
    el("p", { class: "grow" }, season.summary),
    topList(season.top, ({ policy }: Leader) => policyLink(policy)),
    facts(
      ["Policies", count(season.active_entrants)],
      ["Matches", count(season.matches)],
      ["Running", count(season.running)],
      ["Waiting", count(season.waiting)],
    ),
  );
}

function leagueCard(league: LeagueCard): HTMLElement {
  return el(
    "article",
    { class: "card", attrs: { "data-league": league.id } },
    el("h3", { class: "card-title" }, link(to.league(league.id), name(league.name))),
    el(
      "p",
      { class: "chips" },
      chip("plain", "league"),
      chip(league.state.state),
      link(to.coworld(league.game.coworld_name), chip("plain", league.game.coworld_name)),
      league.is_game_of_week && chip("running", "game of the week"),
      (!league.public || league.hidden) && chip("out", "private"),
    ),
    el("p", { class: "grow" }, league.game.description || league.state.sentence),
    topList(league.best.map(placed), (place) => link(to.player(place.player.id), name(place.player.name))),
    ...league.playing.map((round) =>
      el(
        "div",
        { class: "card-round" },
        el(
          "p",
          { class: "small" },
          link(to.round(round.id), `Round ${round.number}`),
          el(
            "span",
            { class: "quiet" },
            ` of ${round.division.name}: ${count(round.ended)} of ${counted(round.episodes, "episode")}`,
          ),
        ),
        progressBar(round.episodes ? round.ended / round.episodes : 0, "Progress of the round"),
      ),
    ),
    facts(
      ["Players", count(league.players)],
      ["Divisions", count(league.divisions)],
      ["Rounds", count(league.rounds)],
      league.state.next_at ? ["Next round", time(league.state.next_at)] : null,
    ),
  );
}

/** A place as a row of the short list; the interval belongs to `measured`, which may differ from the ranking score. */
function placed(place: BoardPlace) {
  return { ...place, score: place.score ?? 0, at: place.measured ?? place.score ?? 0 };
}

/** The first three of a table with their scores and intervals. */
function topList<R extends { score: number; at?: number; low?: number | null; high?: number | null }>(
  rows: readonly R[],
  title: (row: R) => HTMLElement,
): HTMLElement | null {
  if (!rows.length) return null;
  const intervals = rows.map((row) => ({ score: row.at ?? row.score, low: row.low, high: row.high }));
  const scale = intervalScale(intervals);
  const hasIntervals = rows.some((row) => typeof row.low === "number");
  return el(
    "ol",
    { class: hasIntervals ? "top-list has-bars" : "top-list" },
    ...rows.map((row, i) =>
      el(
        "li",
        {},
        el("span", { class: `rank rank-${i + 1}` }, String(i + 1)),
        title(row),
        hasIntervals
          ? el("span", { class: "top-bar", title: "95 % interval" }, intervalBar(intervals[i], scale))
          : null,
        el("span", { class: "number" }, score(row.score)),
      ),
    ),
  );
}

function nothing(isAdmin: boolean): HTMLElement {
  return isAdmin
    ? empty(
        "No seasons or leagues yet. Create a season from a YAML description, or a league with `coworld league create`.",
        buttonLink(to.manage(), "Create a season"),
      )
    : empty("No seasons or leagues yet. The operator of this server creates them.");
}

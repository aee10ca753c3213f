import { el, renew, setText } from "../../ui/dom";
import type { SeasonPage, SeasonVersionLine } from "../api-types";
import { count, counted, words } from "../format";
import type { Change } from "../live";
import { chip, empty, facts, link, Part, time } from "../parts/bits";
import { Entries } from "../parts/entries";
import { followRow } from "../parts/feed-links";
import { LiveNow } from "../parts/live-now";
import { rich } from "../parts/rich";
import { SeasonMatches } from "../parts/season-matches";
import { SeasonTeams } from "../parts/season-teams";
import { StageFlow } from "../parts/stages";
import { Standings } from "../parts/standings";
import { type Route, SEASON_TABS, type SeasonTab, to } from "../router";
import { type Site, View } from "../view";

type SeasonRoute = Extract<Route, { page: "season" }>;

const TITLES: Record<SeasonTab, string> = {
  table: "Leaderboard",
  stages: "Stages",
  teams: "Teams",
  matches: "Matches",
  about: "Rules",
};

/** A season: its table, stages, teams, matches and rules. The tabs share one event stream and the loaded data. */
export class SeasonView extends View<SeasonRoute> {
  private readonly page = this.source(
    (signal) => this.site.api.get("/observatory/api/seasons/{season}", { season: this.route.season }, {}, signal),
    "season",
    "stage",
    "membership",
    "match",
    "table",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly live: LiveNow;
  private readonly tabs = el("nav", { class: "tabs", attrs: { "aria-label": "Season" } });
  private readonly entries: Entries;
  private readonly standings: Standings;
  private readonly flow = new StageFlow();
  private readonly teams: SeasonTeams;
  private readonly matches: SeasonMatches;
  private readonly about = new Part("Rules");
  private readonly panes: Record<SeasonTab, HTMLElement>;

  constructor(site: Site, route: SeasonRoute) {
    super(site, route);
    this.title = route.season;
    this.entries = new Entries(site, route.season, () => this.page.reload());
    this.standings = new Standings(site, route.season);
    this.teams = new SeasonTeams(site, route.season);
    this.matches = new SeasonMatches(site, route.season);
    this.panes = {
      table: this.standings.element,
      stages: this.flow.element,
      teams: this.teams.element,
      matches: this.matches.element,
      about: this.about.element,
    };
    this.live = new LiveNow(site, { season: route.season });
    this.content.append(this.head, this.live.element, this.entries.element, this.tabs, ...Object.values(this.panes));
  }

  override get stream(): string {
    return `/observatory/api/events?season=${encodeURIComponent(this.route.season)}`;
  }

  override navigate(route: Route): boolean {
    if (route.page !== "season" || route.season !== this.route.season) return false;
    this.route = route;
    this.draw();
    return true;
  }

  override handleChanges(changes: readonly Change[]): void {
    super.handleChanges(changes);
    this.standings.handleChanges(changes);
    this.teams.handleChanges(changes);
    this.matches.handleChanges(changes);
  }

  override refresh(): void {
    super.refresh();
    this.standings.refresh();
    this.teams.refresh();
    this.matches.refresh();
  }

  override close(): void {
    super.close();
    this.live.close();
    for (const pane of [this.standings, this.teams, this.matches]) pane.close();
  }

  draw(): void {
    const season = this.dataOf(this.page);
    if (!season) return;
    const tab = this.route.tab;
    this.title = tab === "table" ? season.display_name : `${TITLES[tab]} · ${season.display_name}`;
    document.title = `${this.title} · Alignment League`;
    this.live.reload();
    const follow = followRow(
      this.site,
      "seasons",
      this.route.season,
      to.season(this.route.season),
      season.display_name,
    );
    renew(this.head, ...headOf(season), season.public ? follow : null);
    this.entries.update(season);
    renew(
      this.tabs,
      ...SEASON_TABS.filter((name) => name !== "teams" || season.tournament_type === "team").map((name) =>
        tabLink(season, this.route, name),
      ),
    );
    for (const name of SEASON_TABS) this.panes[name].hidden = name !== tab;
    if (tab === "table") this.standings.show(season);
    if (tab === "stages") this.flow.update(season);
    if (tab === "teams") this.teams.show(season);
    if (tab === "matches") this.matches.show(season);
    if (tab === "about") this.drawAbout(season);
  }

  private drawAbout(season: SeasonPage): void {
    const { game_description: text } = season;
    setText(this.about.heading, "Rules");
    renew(
      this.about.body,
      text ? rich(text) : empty("This season has no description yet."),
      facts(
        ["Kind", season.tournament_type],
        ["Compatible with", season.compat_version ? `cogames ${season.compat_version}` : "any version"],
        ["Created", time(season.created_at)],
        season.started_at ? ["Started", time(season.started_at)] : null,
        season.completed_at ? ["Ended", time(season.completed_at)] : null,
        season.auto_roll_hour_utc !== null
          ? ["Restarts", `daily at ${season.auto_roll_hour_utc}:00 UTC when complete`]
          : null,
        [
          "Seed",
          season.seed === null ? "hidden until this version ends" : el("span", { class: "mono" }, String(season.seed)),
        ],
      ),
      el("h3", {}, "Versions"),
      el("ul", { class: "plain-list" }, ...season.versions.map((version) => versionLine(season, version))),
    );
  }
}

function headOf(season: SeasonPage): HTMLElement[] {
  const why = season.why_nothing_is_scheduled;
  return [
    el("h1", {}, season.display_name),
    el(
      "p",
      { class: "chips" },
      chip(season.status),
      chip("plain", season.tournament_type),
      chip("plain", `version ${season.version}`),
      season.canonical ? null : chip("out", "not the current version"),
      season.public ? null : chip("out", "private"),
    ),
    el("p", {}, season.summary),
    el(
      "p",
      { class: "quiet counts" },
      `${counted(season.active_entrants, "policy", "policies")} of ${count(season.entrants)} still active`,
      ` · ${counted(season.matches, "match", "matches")} played`,
      season.failed > 0 ? ` · ${count(season.failed)} failed` : "",
      ` · ${count(season.running)} running · ${count(season.waiting)} waiting`,
    ),
    ...(why && season.status !== "complete"
      ? [el("p", { class: "quiet small" }, `Nothing more is scheduled. ${why}.`)]
      : []),
  ];
}

function tabLink(season: SeasonPage, route: SeasonRoute, name: SeasonTab): HTMLElement {
  const text = name === "matches" ? `${TITLES[name]} (${count(season.matches + season.failed)})` : TITLES[name];
  return el(
    "a",
    { attrs: { href: to.season(route.season, name), "aria-current": name === route.tab && "page" } },
    text,
  );
}

function versionLine(season: SeasonPage, line: SeasonVersionLine): HTMLElement {
  const text = `Version ${line.version}`;
  const isShown = line.version === season.version;
  return el(
    "li",
    {},
    isShown ? el("strong", {}, text) : link(to.season(`${season.name}:v${line.version}`), text),
    chip(line.status, words(line.status)),
    line.canonical && chip("plain", "current"),
    el("span", { class: "quiet small" }, "created ", time(line.created_at)),
  );
}

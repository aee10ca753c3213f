import { el, renew } from "../../ui/dom";
import type { LeaguePage, RulesText } from "../api-types";
import { counted, plainName } from "../format";
import type { Change } from "../live";
import { chip, empty, link, name, Part, time } from "../parts/bits";
import { EventList } from "../parts/event-list";
import { followRow } from "../parts/feed-links";
import { command, crumbs, divisionLink, stateLine } from "../parts/league-bits";
import { divisionCard } from "../parts/league-cards";
import { LeagueControls } from "../parts/league-controls";
import { LeagueEntries } from "../parts/league-entries";
import { LiveNow } from "../parts/live-now";
import { rich } from "../parts/rich";
import { RoundList } from "../parts/round-table";
import { SettingsForm } from "../parts/settings-form";
import { LEAGUE_TABS, type LeagueTab, type Route, to } from "../router";
import { type Site, View } from "../view";

type LeagueRoute = Extract<Route, { page: "league" }>;

const TITLES: Record<LeagueTab, string> = {
  divisions: "Divisions",
  rounds: "Rounds",
  events: "Events",
  rules: "Enter and rules",
  manage: "Manage",
};

/** A league: its divisions from top to bottom, rounds, events, how to enter, and the owner's controls. */
export class LeagueView extends View<LeagueRoute> {
  private readonly page = this.source(
    (signal) => this.site.api.get("/observatory/api/leagues/{league_id}", { league_id: this.route.league }, {}, signal),
    "league",
    "league_entry",
    "round",
    "round_episode",
    "division",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly live: LiveNow;
  private readonly tabs = el("nav", { class: "tabs", attrs: { "aria-label": "League" } });
  private readonly entries: LeagueEntries;
  private readonly divisions = new Part("Divisions");
  private readonly rounds: RoundList;
  private readonly events: EventList;
  private readonly rules = el("div", { class: "column" });
  private readonly controls: LeagueControls;
  private readonly settings: SettingsForm;
  private readonly manage: HTMLElement;
  private readonly panes: Record<LeagueTab, HTMLElement>;

  constructor(site: Site, route: LeagueRoute) {
    super(site, route);
    this.title = "League";
    const reload = () => this.page.reload();
    this.entries = new LeagueEntries(site, route.league, reload);
    this.rounds = new RoundList(site, () => route.league);
    this.events = new EventList(site, route.league);
    this.controls = new LeagueControls(site, reload);
    this.settings = new SettingsForm(site, route.league, reload);
    this.manage = el("div", { class: "column" }, this.controls.element, this.settings.element);
    this.panes = {
      divisions: this.divisions.element,
      rounds: this.rounds.element,
      events: this.events.element,
      rules: this.rules,
      manage: this.manage,
    };
    this.live = new LiveNow(site, { league: route.league });
    this.content.append(this.head, this.live.element, this.entries.element, this.tabs, ...Object.values(this.panes));
  }

  override get stream(): string {
    return `/observatory/api/events?league=${encodeURIComponent(this.route.league)}`;
  }

  override navigate(route: Route): boolean {
    if (route.page !== "league" || route.league !== this.route.league) return false;
    this.route = route;
    this.draw();
    return true;
  }

  override handleChanges(changes: readonly Change[]): void {
    super.handleChanges(changes);
    this.rounds.handleChanges(changes);
    this.events.handleChanges(changes);
  }

  override refresh(): void {
    super.refresh();
    this.rounds.refresh();
    this.events.refresh();
  }

  override close(): void {
    super.close();
    this.live.close();
    this.rounds.close();
    this.events.close();
  }

  draw(): void {
    const league = this.dataOf(this.page);
    if (!league) return;
    const tab = this.route.tab === "manage" && !league.may_manage ? "divisions" : this.route.tab;
    this.title = tab === "divisions" ? league.name : `${TITLES[tab]} · ${league.name}`;
    document.title = `${this.title} · Alignment League`;
    this.live.reload();
    renew(
      this.head,
      ...headOf(league),
      followRow(this.site, "leagues", this.route.league, to.league(this.route.league), plainName(league.name)),
    );
    this.entries.update(league);
    renew(
      this.tabs,
      ...LEAGUE_TABS.filter((one) => one !== "manage" || league.may_manage).map((one) =>
        el("a", { attrs: { href: to.league(league.id, one), "aria-current": one === tab && "page" } }, TITLES[one]),
      ),
    );
    for (const one of LEAGUE_TABS) this.panes[one].hidden = one !== tab;
    if (tab === "divisions") {
      // The overview shows the recent rounds below the divisions.
      this.panes.rounds.hidden = false;
      this.drawDivisions(league);
    }
    if (tab === "divisions" || tab === "rounds") this.rounds.show();
    if (tab === "events") this.events.show();
    if (tab === "rules") renew(this.rules, ...this.rulesOf(league));
    if (tab === "manage") {
      this.controls.update(league);
      this.settings.show();
    }
  }

  private drawDivisions(league: LeaguePage): void {
    const cards = league.division_cards;
    renew(
      this.divisions.body,
      el("ol", { class: "stages ladder" }, ...cards.map((card, i) => divisionCard(card, i + 1))),
    );
    this.divisions.show(
      cards.length === 1 ? "Division" : "Divisions, from the top",
      cards.length > 0,
      empty(
        league.may_manage
          ? "No divisions yet. Send them with `PUT /v2/leagues/{id}/divisions`, or set the league up with `coworld league setup`."
          : "No divisions yet. The owner of the league creates them.",
      ),
    );
  }

  private rulesOf(league: LeaguePage): HTMLElement[] {
    const steps = league.commands.map((step, i) =>
      el(
        "li",
        {},
        el("h3", {}, `${i + 1}. ${step.title}`),
        ...step.commands.map((text) => command(this.site, text)),
        step.commands.length === 0 && el("p", { class: "quiet small" }, "No version of the game is certified yet."),
      ),
    );
    return [
      el(
        "section",
        { class: "panel", attrs: { "aria-label": "How to enter" } },
        el("h2", {}, "How to enter"),
        el(
          "p",
          {},
          `Up to ${counted(league.players_per_user, "player")} of a user take part. `,
          "Each player plays one policy version, its champion; the others wait on the bench.",
        ),
        el("ol", { class: "enter-steps" }, ...steps),
        el(
          "p",
          {},
          link(league.guide_url, "The whole guide"),
          el("span", { class: "quiet" }, ", also for coding agents"),
        ),
      ),
      ...league.rules.map((rules) => rulesPart(rules)),
      league.rules.length === 0
        ? el(
            "section",
            { class: "panel" },
            el("h2", {}, "Rules"),
            empty("Neither the owner nor the commissioner of this league has described its rules yet."),
          )
        : null,
    ].filter((part): part is HTMLElement => part !== null);
  }
}

const RULES: [keyof RulesText, string][] = [
  ["round_schedule", "When rounds are played"],
  ["next_round", "Next round"],
  ["round_structure", "Who meets"],
  ["leaderboard_rules", "The table"],
  ["scoring_mechanics", "Scores and moves"],
];

/** The rules of a division in the words of its commissioner or of the platform ladder. */
export function rulesPart(rules: RulesText): HTMLElement {
  const texts = RULES.filter(([key]) => typeof rules[key] === "string");
  return el(
    "section",
    { class: "panel", attrs: { "aria-label": `Rules of ${rules.division.name}` } },
    el("h2", {}, "Rules of ", divisionLink(rules.division)),
    ...texts.map(([key, title]) => el("div", {}, el("h3", {}, title), rich(String(rules[key])))),
    rules.changelog.length > 0 && el("h3", {}, "Changes"),
    rules.changelog.length > 0 &&
      el(
        "ul",
        { class: "plain-list" },
        ...rules.changelog.map((entry) =>
          el(
            "li",
            {},
            el("strong", {}, String(entry.title ?? "")),
            el("span", { class: "small" }, String(entry.detail ?? "")),
            el("span", { class: "small quiet" }, String(entry.date ?? "")),
          ),
        ),
      ),
  );
}

function headOf(league: LeaguePage): HTMLElement[] {
  return [
    crumbs(link(to.leagues(), "Leagues"), link(to.coworld(league.game.coworld_name), name(league.game.name))),
    el("h1", {}, name(league.name)),
    el(
      "p",
      { class: "chips" },
      chip("plain", league.commissioner === "platform" ? "platform ladder" : "own commissioner"),
      league.is_game_of_week && chip("champion", "game of the week"),
      league.hidden ? chip("out", "hidden") : league.public ? null : chip("out", "private"),
      league.locks.submissions_locked ? chip("plain", "submissions locked") : null,
    ),
    stateLine(league.state),
    league.game.description ? el("p", {}, league.game.description) : el("p", { class: "quiet" }, ""),
    el(
      "p",
      { class: "quiet counts" },
      `${counted(league.players, "player")} with ${counted(league.members, "policy", "policies")}`,
      ` · ${counted(league.divisions, "division")} · ${counted(league.rounds, "round")} played`,
      league.game.version ? ` · game version ${league.game.version}` : "",
      " · run by ",
      name(league.owner),
      " since ",
      time(league.created_at),
    ),
  ];
}

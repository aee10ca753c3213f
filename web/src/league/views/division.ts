import { el, renew } from "../../ui/dom";
import type { DivisionPage } from "../api-types";
import { counted } from "../format";
import type { Change } from "../live";
import { chip, empty, link, name, time } from "../parts/bits";
import { DivisionStandings } from "../parts/division-table";
import { crumbs, roundLink, roundProgress, stateChip } from "../parts/league-bits";
import { MemberList } from "../parts/member-list";
import { RoundList } from "../parts/round-table";
import { DIVISION_TABS, type DivisionTab, type Route, to } from "../router";
import { type Site, View } from "../view";
import { rulesPart } from "./league";

type DivisionRoute = Extract<Route, { page: "division" }>;

const TITLES: Record<DivisionTab, string> = {
  table: "Standings",
  rounds: "Rounds",
  members: "Members",
  rules: "Rules",
};

/** A division: its table with promotion lines, its rounds, members and rules. */
export class DivisionView extends View<DivisionRoute> {
  private readonly page = this.source(
    (signal) =>
      this.site.api.get("/observatory/api/divisions/{division_id}", { division_id: this.route.division }, {}, signal),
    "league",
    "league_entry",
    "round",
    "round_episode",
    "division",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly ladder = el("nav", { class: "ladder-nav chips", attrs: { "aria-label": "Divisions" } });
  private readonly tabs = el("nav", { class: "tabs", attrs: { "aria-label": "Division" } });
  private readonly standings: DivisionStandings;
  private readonly rounds: RoundList;
  private readonly members: MemberList;
  private readonly rules = el("div", { class: "column" });
  private readonly panes: Record<DivisionTab, HTMLElement>;
  private league = "";

  constructor(site: Site, route: DivisionRoute) {
    super(site, route);
    this.title = "Division";
    this.standings = new DivisionStandings(site, route.division);
    this.rounds = new RoundList(site, () => this.league, route.division);
    this.members = new MemberList(site, route.division);
    this.panes = {
      table: this.standings.element,
      rounds: this.rounds.element,
      members: this.members.element,
      rules: this.rules,
    };
    this.content.append(this.head, this.ladder, this.tabs, ...Object.values(this.panes));
  }

  override get stream(): string {
    return `/observatory/api/events?league=${encodeURIComponent(this.route.division)}`;
  }

  override navigate(route: Route): boolean {
    if (route.page !== "division" || route.division !== this.route.division) return false;
    this.route = route;
    this.draw();
    return true;
  }

  override handleChanges(changes: readonly Change[]): void {
    super.handleChanges(changes);
    for (const pane of [this.standings, this.rounds, this.members]) pane.handleChanges(changes);
  }

  override refresh(): void {
    super.refresh();
    for (const pane of [this.standings, this.rounds, this.members]) pane.refresh();
  }

  override close(): void {
    super.close();
    for (const pane of [this.standings, this.rounds, this.members]) pane.close();
  }

  draw(): void {
    const division = this.dataOf(this.page);
    if (!division) return;
    const { tab } = this.route;
    this.league = division.league.id;
    this.title = `${tab === "table" ? "" : `${TITLES[tab]} · `}${division.name} · ${division.league.name}`;
    document.title = `${this.title} · Alignment League`;
    renew(this.head, ...headOf(division));
    this.ladder.hidden = division.ladder.length < 2;
    renew(
      this.ladder,
      ...division.ladder.map((one) =>
        el(
          "a",
          {
            class: "chip",
            attrs: { href: to.division(one.id, tab), "aria-current": one.id === division.id && "page" },
          },
          name(one.name),
        ),
      ),
    );
    renew(
      this.tabs,
      ...DIVISION_TABS.map((one) =>
        el("a", { attrs: { href: to.division(division.id, one), "aria-current": one === tab && "page" } }, TITLES[one]),
      ),
    );
    for (const one of DIVISION_TABS) this.panes[one].hidden = one !== tab;
    if (tab === "table") this.standings.show();
    if (tab === "table" && division.type === "staging") {
      // A staging division has no table: it shows the members that have to qualify.
      this.panes.table.hidden = true;
      this.panes.members.hidden = false;
      this.members.show();
    }
    if (tab === "rounds") this.rounds.show();
    if (tab === "members") this.members.show();
    if (tab === "rules")
      renew(
        this.rules,
        division.rules
          ? rulesPart(division.rules)
          : el("section", { class: "panel" }, el("h2", {}, "Rules"), empty("This division has no description yet.")),
      );
  }
}

function headOf(division: DivisionPage): HTMLElement[] {
  const { round } = division;
  return [
    crumbs(
      link(to.leagues(), "Leagues"),
      link(to.league(division.league.id), name(division.league.name)),
      link(to.coworld(division.game.coworld_name), name(division.game.name)),
    ),
    el("h1", {}, name(division.name)),
    el(
      "p",
      { class: "chips" },
      stateChip(division.state),
      chip("plain", division.type === "staging" ? "qualification" : `level ${division.level}`),
      division.hidden && chip("out", "hidden"),
      division.archived_at && chip("out", "archived"),
    ),
    round
      ? el("p", { class: "state-line" }, roundLink(round), roundProgress(round))
      : el(
          "p",
          { class: "state-line" },
          el("span", {}, division.why, ...(division.next_at ? [" ", time(division.next_at)] : [])),
        ),
    division.description ? el("p", {}, division.description) : el("p", {}, ""),
    division.lines.gate_to ? el("p", { class: "gate" }, division.lines.sentences[0] ?? "") : el("p", {}, ""),
    el(
      "p",
      { class: "quiet counts" },
      `${counted(division.members, "member")}, ${counted(division.champions, "champion")} · ${counted(division.rounds, "round")} played`,
    ),
  ];
}

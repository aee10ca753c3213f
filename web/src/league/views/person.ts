import { el, renew } from "../../ui/dom";
import type { BestResult, PersonPage } from "../api-types";
import { count, counted, plainName, score } from "../format";
import { chip, empty, link, name, Part, policyLink, time } from "../parts/bits";
import { feedLinks } from "../parts/feed-links";
import { matchTable } from "../parts/matches";
import { meTabs } from "../parts/me-tabs";
import { leagueEntry, seasonEntry } from "../parts/own-entries";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

type PersonRoute = Extract<Route, { page: "person" }>;

/** A person: best results, policies, seasons, leagues and last matches. */
export class PersonView extends View<PersonRoute> {
  private readonly page = this.source(
    (signal) => this.site.api.get("/observatory/api/people/{person}", { person: this.route.person }, {}, signal),
    "policy",
    "table",
    "membership",
    "match",
    "league_entry",
    "round",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly matches = matchTable("Last matches");
  private readonly parts = {
    best: new Part("Best results"),
    policies: new Part("Policies"),
    seasons: new Part("Seasons"),
    leagues: new Part("Leagues"),
    matches: new Part("Last matches", this.matches.element),
  };

  constructor(site: Site, route: PersonRoute) {
    super(site, route);
    this.title = "Person";
    this.content.append(this.head, ...Object.values(this.parts).map((part) => part.element));
  }

  draw(): void {
    const page = this.dataOf(this.page);
    if (!page) return;
    this.title = plainName(page.name);
    document.title = `${this.title} · Alignment League`;
    if (page.key !== this.route.person) {
      // The id leads here too; the name reads better.
      this.route = { page: "person", person: page.key };
      history.replaceState(null, "", to.person(page.key) + location.search);
    }
    renew(this.head, ...headOf(page));
    this.list(this.parts.best, page.best.map(result), "No table with a place yet.");
    this.list(
      this.parts.policies,
      page.policies.map((row) =>
        el(
          "li",
          {},
          policyLink(row.policy),
          el(
            "span",
            { class: "quiet small" },
            `${counted(row.versions, "version")}, the last one `,
            time(row.created_at),
          ),
        ),
      ),
      "No policies yet.",
      `Policies (${count(page.policies.length)})`,
    );
    this.list(this.parts.seasons, page.seasons.map(seasonEntry), "Not in a season yet.");
    this.list(this.parts.leagues, page.leagues.map(leagueEntry), "Not in a league yet.");
    this.matches.update(page.matches);
    this.parts.matches.show("Last matches", page.matches.length > 0, empty("No matches yet."));
  }

  private list(part: Part, lines: HTMLElement[], otherwise: string, title = part.heading.textContent ?? ""): void {
    renew(part.body, el("ul", { class: "plain-list" }, ...lines));
    part.show(title, lines.length > 0, empty(otherwise));
  }
}

function headOf(page: PersonPage): HTMLElement[] {
  const head = [
    el("h1", {}, name(page.name)),
    el(
      "p",
      { class: "quiet" },
      `${counted(page.policies.length, "policy", "policies")} · ${counted(page.seasons.length, "entry in seasons", "entries in seasons")} · here since `,
      time(page.since),
    ),
    feedLinks("people", page.key),
  ];
  if (page.mine) head.push(meTabs("me", ""));
  return head;
}

function result(row: BestResult): HTMLElement {
  return el(
    "li",
    { attrs: { "data-best": row.kind } },
    chip(row.rank === 1 ? "champion" : "plain", `${row.rank} of ${count(row.of)}`),
    link(row.url, name(row.title)),
    policyLink(row.policy),
    row.score === null ? null : el("span", { class: "number" }, score(row.score)),
    el("span", { class: "quiet small" }, row.is_final ? "final" : "now"),
  );
}

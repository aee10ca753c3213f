import { el, onClick, renew, setText } from "../../ui/dom";
import type { FailureLine, HeadToHead, HistoryLine, PolicyPage, PolicySeason } from "../api-types";
import { bytes, count, difference, duration, plainName, score, words } from "../format";
import type { Change } from "../live";
import { chip, empty, facts, link, name, Part, personLink, time } from "../parts/bits";
import { challengeButton } from "../parts/challenge-form";
import { HistoryChart } from "../parts/chart";
import { Diagnosis } from "../parts/diagnosis";
import { Differences } from "../parts/differences";
import { episodeTable } from "../parts/episodes";
import { feedLinks } from "../parts/feed-links";
import { FriendlyList } from "../parts/friendly-list";
import { leagueEntry } from "../parts/own-entries";
import { Partners } from "../parts/partners";
import { PolicyMatches } from "../parts/policy-matches";
import { LiveTable } from "../parts/table";
import { Versions } from "../parts/versions";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

type PolicyRoute = Extract<Route, { page: "policy" }>;

/** A policy version: rank, score history, opponents, failures. */
export class PolicyView extends View<PolicyRoute> {
  private chosen = "";
  private readonly page = this.source((signal) => this.ask(signal), "policy", "table", "membership", "match");
  private readonly elsewhere = this.source(
    (signal) =>
      this.site.api.get(
        "/observatory/api/policies/{policy_version_id}/leagues",
        { policy_version_id: this.route.policy },
        {},
        signal,
      ),
    "policy",
    "queue",
    "league_entry",
    "round",
  );
  private readonly episodeTable = episodeTable("Last episodes");
  private readonly head = el("header", { class: "page-head" });
  private readonly chart = new HistoryChart();
  private readonly place = el("select", { class: "field", attrs: { "aria-label": "Season and pool" } });
  private readonly seasons = new LiveTable<PolicySeason>(
    "Seasons",
    [
      {
        title: "Season",
        kind: "name",
        cell: (row) => [
          link(to.season(seasonRef(row)), row.display_name),
          el("span", { class: "quiet small" }, ` ${row.pool}`),
        ],
      },
      { title: "Rank", kind: "number", cell: (row) => (row.rank === null ? "–" : `${row.rank} of ${count(row.of)}`) },
      {
        title: "Score",
        kind: "number",
        cell: (row) => [
          score(row.score),
          row.low !== null && row.high !== null
            ? el("span", { class: "quiet small" }, ` ${score(row.low)} to ${score(row.high)}`)
            : null,
        ],
      },
      { title: "VOR", kind: "number", from: "tablet", cell: (row) => difference(row.vor) },
      {
        title: "Matches",
        kind: "number",
        from: "tablet",
        cell: (row) => [
          count(row.matches),
          row.failed ? el("span", { class: "bad small" }, ` ${count(row.failed)} failed`) : null,
        ],
      },
      { title: "", from: "tablet", cell: (row) => (row.active ? chip("active") : chip("plain", "inactive")) },
    ],
    (row) => `${row.season} ${row.season_version} ${row.pool}`,
  );
  private readonly opponents = new Differences<HeadToHead>({
    table: "Head to head",
    other: "Opponent",
    policy: (row) => row.opponent,
    score: "Score",
    base: "Opponent's score",
    baseOf: (row) => row.opponent_score,
  });
  private readonly versions = new Versions();
  private readonly partners = new Partners();
  private readonly matches = new PolicyMatches(this.site, this.route.policy);
  private diagnosis: Diagnosis | null = null;
  private readonly parts = {
    seasons: new Part("Seasons", this.seasons.element),
    leagues: new Part("Leagues"),
    chart: new Part("Score, match by match", el("p", { class: "fields" }, this.place), this.chart.element),
    versions: new Part("Versions", this.versions.element),
    opponents: new Part("Head to head", this.opponents.element),
    partners: new Part("Partners", this.partners.element),
    matches: new Part("Matches", this.matches.element),
    diagnosis: new Part("Diagnosis"),
    episodes: new Part("Last episodes", this.episodeTable.element),
    failures: new Part("Failures"),
    history: new Part("History"),
    share: new Part("Share"),
  };

  constructor(site: Site, route: PolicyRoute) {
    super(site, route);
    this.title = "Policy";
    this.place.addEventListener("change", () => {
      this.chosen = this.place.value;
      void this.page.load();
    });
    this.content.append(this.head, ...Object.values(this.parts).map((part) => part.element));
    this.content.append(new FriendlyList(site, route.policy).element);
    void this.matches.source.load();
  }

  override handleChanges(changes: readonly Change[]): void {
    super.handleChanges(changes);
    this.matches.source.handleChanges(changes);
    this.diagnosis?.source.handleChanges(changes);
  }

  override close(): void {
    super.close();
    this.matches.source.close();
    this.diagnosis?.source.close();
  }

  private ask(signal: AbortSignal): Promise<PolicyPage> {
    const [season, pool] = this.chosen ? (JSON.parse(this.chosen) as [string, string]) : [null, null];
    return this.site.api.get(
      "/observatory/api/policies/{policy_version_id}",
      { policy_version_id: this.route.policy },
      { season, pool },
      signal,
    );
  }

  draw(): void {
    const page = this.dataOf(this.page);
    if (!page) return;
    const { policy } = page;
    this.title = `${plainName(policy.name)} v${policy.version}`;
    document.title = `${this.title} · Alignment League`;
    renew(this.head, ...headOf(page), el("p", { class: "actions" }, challengeButton(this.site, policy)));
    const { parts } = this;
    this.seasons.update(page.seasons);
    parts.seasons.show(
      "Seasons",
      page.seasons.length > 0,
      empty(
        page.mine ? "It is not in a season yet. Open a season and submit it." : "It is not in a season yet.",
        link(to.home(), "All competitions"),
      ),
    );
    this.drawLeagues();
    this.drawChart(page);
    this.opponents.update(page.head_to_head);
    parts.opponents.element.hidden = page.shared_reward;
    parts.opponents.show("Head to head", page.head_to_head.length > 0, empty("No matches with other policies yet."));
    parts.partners.element.hidden = !page.shared_reward;
    this.partners.update(page.partners);
    this.matches.offer(page);
    this.drawDiagnosis(page);
    renew(parts.failures.body, el("ul", { class: "plain-list" }, ...page.failures.map(failure)));
    parts.failures.show(
      `Failures (${count(page.failures.length)})`,
      page.failures.length > 0,
      empty("It has not caused any failed match."),
    );
    renew(parts.history.body, el("ol", { class: "plain-list history" }, ...page.history.map(event)));
    parts.history.show("History", page.history.length > 0, empty("No events yet."));
    this.versions.update(page);
    this.drawShare(page);
  }

  /** Owners see the diagnosis; bundles only can be played. */
  private drawDiagnosis(page: PolicyPage): void {
    const { diagnosis } = this.parts;
    diagnosis.element.hidden = !page.mine || page.bundle_bytes === null;
    if (diagnosis.element.hidden || this.diagnosis) return;
    this.diagnosis = new Diagnosis(this.site, page.policy.id);
    diagnosis.body.append(this.diagnosis.element);
    void this.diagnosis.source.load();
  }

  private drawLeagues(): void {
    const { leagues, episodes } = this.parts;
    const { value, error } = this.elsewhere;
    leagues.element.hidden = episodes.element.hidden = !value;
    if (!value || error) return;
    renew(leagues.body, el("ul", { class: "plain-list" }, ...value.leagues.map(leagueEntry)));
    leagues.show("Leagues", value.leagues.length > 0, empty("It is not in a league."));
    this.episodeTable.update(value.episodes);
    episodes.element.hidden = value.episodes.length === 0;
  }

  private drawChart(page: PolicyPage): void {
    const { chart } = this.parts;
    const value = JSON.stringify([page.season, page.pool]);
    const options = page.seasons.map((row) => ({
      value: JSON.stringify([seasonRef(row), row.pool]),
      text: `${row.display_name} · ${row.pool}`,
    }));
    const optionsKey = JSON.stringify(options);
    if (this.place.dataset.options !== optionsKey) {
      this.place.dataset.options = optionsKey;
      this.place.replaceChildren(
        ...options.map(({ value: own, text }) => el("option", { attrs: { value: own } }, text)),
      );
    }
    this.place.value =
      this.chosen || (options.find((option) => option.value === value)?.value ?? options[0]?.value ?? "");
    this.place.parentElement!.hidden = options.length < 2;
    chart.show("Score, match by match", page.points.length > 0, empty("No scored matches here yet."));
    this.chart.update(page.points);
  }

  private drawShare(page: PolicyPage): void {
    const base = page.card_url.replace(/\.(svg|png)$/, "");
    const { body, heading } = this.parts.share;
    setText(heading, "Share");
    const address = location.origin + to.policy(page.policy.id);
    const copy = el("button", { class: "button bordered", attrs: { type: "button" } }, "Copy the link");
    onClick(copy, () => {
      void navigator.clipboard?.writeText(address);
      this.site.say("Copied");
    });
    renew(
      body,
      el("img", {
        class: "card-picture",
        attrs: {
          src: `${base}.svg?${stampOf(page)}`,
          alt: `Card of ${plainName(page.policy.name)} version ${page.policy.version}`,
          width: 1200,
          height: 630,
          loading: "lazy",
        },
      }),
      el(
        "p",
        { class: "actions" },
        copy,
        el("a", { class: "button bordered", attrs: { href: `${base}.png`, download: "" } }, "PNG"),
        el("a", { class: "button bordered", attrs: { href: `${base}.svg`, download: "" } }, "SVG"),
      ),
    );
  }
}

/** A version of the card, for its address. */
function stampOf(page: PolicyPage): string {
  return page.seasons.map((row) => `${row.rank}.${row.matches}`).join("-") || "0";
}

function seasonRef(row: { season: string; season_version: number }): string {
  return row.season.includes(":") ? row.season : `${row.season}:v${row.season_version}`;
}

function headOf(page: PolicyPage): HTMLElement[] {
  const { policy } = page;
  return [
    el("h1", {}, name(policy.name), el("span", { class: "version" }, `v${policy.version}`)),
    el(
      "p",
      { class: "quiet" },
      "by ",
      personLink(policy.author_id, policy.author),
      " · uploaded ",
      time(page.created_at),
      page.mine ? " · yours" : "",
    ),
    facts(
      ["Size", page.bundle_bytes === null ? "–" : bytes(page.bundle_bytes)],
      ["Mean match duration", duration(page.mean_seconds)],
      ["Bundle", page.public_bundle ? "public" : "private: visible only to its owner"],
    ),
    feedLinks("policies", policy.id),
  ];
}

function failure(line: FailureLine): HTMLElement {
  return el(
    "li",
    {},
    link(to.match(line.match_id), words(line.error_type ?? "failed")),
    el("span", { class: "small" }, line.error ?? ""),
    el("span", { class: "quiet small" }, `${line.season} · ${line.pool} · `, time(line.at)),
  );
}

const ACTIONS: Record<string, string> = { add: "entered", remove: "left" };

function event(line: HistoryLine): HTMLElement {
  return el(
    "li",
    {},
    el(
      "span",
      {},
      `${ACTIONS[line.action] ?? words(line.action)} `,
      link(to.season(seasonRef(line)), line.season),
      ` · ${line.pool}`,
    ),
    line.notes ? el("span", { class: "small" }, line.notes) : null,
    el("span", { class: "quiet small" }, time(line.at)),
  );
}

import { el, renew } from "../../ui/dom";
import type { Explanation, MatchExplanation, MatchLine, MatchPage } from "../api-types";
import { moment, NONE, plainName, score } from "../format";
import type { Change } from "../live";
import { chip, empty, link, loading, Part, problem, time } from "../parts/bits";
import { countsTable, sentences } from "../parts/explanation";
import { matchText, matchTitle, outcome, playersOf } from "../parts/matches";
import { LiveTable } from "../parts/table";
import { TimelineChart } from "../parts/timeline-chart";
import { type Route, to } from "../router";
import {
  type ComparedCount,
  comparedCounts,
  countsOf,
  highest,
  type PolicyCounts,
  paired,
  type Timeline,
  timelinesOf,
} from "../timelines";
import { type Site, View } from "../view";

type CompareRoute = Extract<Route, { page: "compare" }>;

interface Side {
  match: MatchPage;
  explained: MatchExplanation;
}

const MOST_MATCHES = 100;

/** Two matches side by side: what happened when, and what a policy did in each. */
export class CompareView extends View<CompareRoute> {
  private readonly left = this.source((signal) => this.ask(this.route.match, signal), "match");
  private readonly right = this.source(
    (signal) => (this.route.other ? this.ask(this.route.other, signal) : Promise.resolve(null)),
    "match",
  );
  private readonly others = this.source((signal) => this.askOthers(signal), "match");
  private readonly head = el("header", { class: "page-head" });
  private readonly policy = el("select", { class: "field", id: "compare-policy" });
  private readonly other = el("select", { class: "field", id: "compare-other" });
  private readonly note = el("div");
  private readonly charts = new Map<string, TimelineChart>();
  private readonly rows = el("div", { class: "compare-rows" });
  private readonly counts = new LiveTable<ComparedCount>(
    "The policy in both matches",
    [
      { title: "Measure", kind: "name", cell: (row) => row.title },
      { title: "This match", kind: "number", cell: (row) => row.left },
      { title: "Other match", kind: "number", cell: (row) => row.right },
      { title: "", cell: (row) => (row.isLarge ? chip("plain", "differs much") : "") },
    ],
    (row) => row.title,
  );
  private readonly tables = [countsTable("Actions in this match"), countsTable("Actions in the other match")] as const;
  private readonly parts = {
    matches: new Part("Matches"),
    policy: new Part("The policy in both matches", this.counts.element),
    timelines: new Part("Timelines", this.rows),
    moments: new Part("Turning points"),
    actions: new Part(
      "Actions",
      el("h3", {}, "This match"),
      this.tables[0].element,
      el("h3", {}, "Other match"),
      this.tables[1].element,
    ),
  };

  constructor(site: Site, route: CompareRoute) {
    super(site, route);
    this.title = "Compare two matches";
    const labelled = (text: string, field: HTMLElement) => el("label", { class: "match-choice" }, text, field);
    const form = el(
      "form",
      { class: "filters", attrs: { "aria-label": "Choose the other match" } },
      labelled("Policy", this.policy),
      labelled("Other match", this.other),
    );
    form.addEventListener("submit", (event) => event.preventDefault());
    this.policy.addEventListener("change", () => {
      this.others.value = null;
      void this.others.load();
      this.draw();
    });
    this.other.addEventListener("change", () => this.site.go(to.compare(this.route.match, this.other.value)));
    this.content.append(this.head, form, this.note, ...Object.values(this.parts).map((part) => part.element));
  }

  override navigate(route: Route): boolean {
    if (route.page !== "compare" || route.match !== this.route.match) return false;
    this.route = route;
    this.right.value = null;
    void this.right.load();
    this.draw();
    return true;
  }

  override handleChanges(changes: readonly Change[]): void {
    const shown = [this.route.match, this.route.other];
    super.handleChanges(changes.filter((change) => !change.ids?.length || change.ids.some((id) => shown.includes(id))));
  }

  draw(): void {
    const left = this.dataOf(this.left);
    if (!left) return;
    renew(
      this.head,
      el("p", { class: "crumbs" }, link(to.match(left.match.id), ...matchTitle(left.match))),
      el("h1", {}, "Compare two matches"),
    );
    this.drawPolicies(left.match);
    this.drawOthers(left.match);
    const { value: right, error } = this.right;
    for (const part of Object.values(this.parts)) part.element.hidden = right === null;
    const waiting =
      this.route.other && !error
        ? loading()
        : empty(
            this.other.options.length > 1
              ? "Choose another match of the policy to compare with."
              : "The policy has no other match yet.",
          );
    renew(this.note, right ? null : error ? problem(error) : waiting);
    if (right) this.drawPair(left, right);
  }

  private drawPair(left: Side, right: Side): void {
    const sides = [left, right];
    renew(this.parts.matches.body, pair(...sides.map(({ match }, i) => matchBox(match, i))), besideLink(left, right));
    const explained = sides.map((side) => side.explained.explanation);
    const { policy, timelines, moments, actions } = this.parts;
    const [a, b] = explained;
    const isFull = a !== null && b !== null;
    const missing = sides.find((side) => side.explained.explanation === null)?.explained.why_not;
    for (const part of [policy, moments, actions]) part.element.hidden = !isFull;
    timelines.show("Timelines", isFull, empty(`${missing ?? "There are no timelines"}.`));
    if (!a || !b) return;
    const [counted, other] = [this.countsIn(left, a), this.countsIn(right, b)];
    policy.element.hidden = !counted || !other;
    if (counted && other) this.counts.update(comparedCounts(counted, other));
    this.drawTimelines(paired(timelinesOf(a), timelinesOf(b)));
    renew(
      moments.body,
      pair(
        ...sides.map((side, i) => {
          const list = (explained[i]?.moments ?? []).map((moment) => momentItem(side.match, moment));
          return el("div", {}, el("h3", {}, NAMES[i]), el("ol", { class: "moments" }, ...list));
        }),
      ),
      pair(
        ...explained.map((explanation) =>
          sentences([...(explanation?.summary ?? []), ...(explanation?.differences ?? []).map((row) => row.text)]),
        ),
      ),
    );
    this.tables[0].update(countsOf(a));
    this.tables[1].update(countsOf(b));
  }

  private drawTimelines(rows: readonly [Timeline | null, Timeline | null][]): void {
    const cells = rows.map((row) => {
      const top = highest(...row);
      return pair(
        ...row.map((timeline, i) => {
          if (!timeline) return el("p", { class: "quiet" }, `${NAMES[i]}: nothing to show`);
          const key = `${i} ${timeline.title}`;
          const chart = this.charts.get(key) ?? new TimelineChart();
          this.charts.set(key, chart);
          chart.update({ ...timeline, title: `${timeline.title}: ${NAMES[i].toLowerCase()}` }, [], top);
          return chart.element;
        }),
      );
    });
    this.rows.replaceChildren(...cells);
  }

  private drawPolicies(match: MatchPage): void {
    const key = match.id;
    if (this.policy.dataset.match === key) return;
    this.policy.dataset.match = key;
    this.policy.replaceChildren(
      ...match.players.map(({ policy }) =>
        el("option", { attrs: { value: policy.id } }, `${plainName(policy.name)} v${policy.version}`),
      ),
    );
    const own = match.players.find(({ policy }) => match.my_policies.includes(policy.id)) ?? match.players[0];
    this.policy.value = own?.policy.id ?? "";
    void this.others.load();
  }

  private drawOthers(match: MatchPage): void {
    const lines = (this.others.value?.rows ?? []).filter((line) => line.id !== match.id && line.completed_at !== null);
    const { value: right } = this.right;
    const isListed = !right || lines.some((line) => line.id === right.match.id);
    const options = [...(isListed || !right ? [] : [right.match]), ...lines];
    this.other.replaceChildren(
      el("option", { attrs: { value: "" } }, options.length ? "choose …" : "no other match yet"),
      ...options.map((line) => el("option", { attrs: { value: line.id } }, optionText(line, this.policy.value))),
    );
    this.other.value = this.route.other;
  }

  /** The counts of the chosen policy in a match. */
  private countsIn({ match }: Side, explanation: Explanation): PolicyCounts | undefined {
    const seat = match.players.findIndex(({ policy }) => policy.id === this.policy.value);
    const index = explanation.policies.findIndex(({ agents }) => match.assignments[agents[0]] === seat);
    return countsOf(explanation).find((row) => row.index === index);
  }

  private async ask(id: string, signal: AbortSignal): Promise<Side> {
    const words = { match_id: id };
    const [match, explained] = await Promise.all([
      this.site.api.get("/observatory/api/matches/{match_id}", words, {}, signal),
      this.site.api.get("/tournament/matches/{match_id}/explanation", words, {}, signal),
    ]);
    return { match, explained };
  }

  private async askOthers(signal: AbortSignal): Promise<{ rows: MatchLine[] }> {
    const match = this.left.value?.match;
    if (!match || !this.policy.value) return { rows: [] };
    const season = `${match.season}:v${match.season_version}`;
    const query = { policy: this.policy.value, status: "played", limit: MOST_MATCHES };
    return this.site.api.get("/observatory/api/seasons/{season}/matches", { season }, query, signal);
  }
}

/** the viewer that shows two replays side by side */
const GRID_VIEWER = "/observatory/viewer/?";
const NAMES = ["This match", "Other match"];

function pair(...children: HTMLElement[]): HTMLElement {
  return el("div", { class: "compare-pair" }, ...children);
}

function matchBox(match: MatchPage, i: number): HTMLElement {
  return el(
    "div",
    { class: "column" },
    el("h3", {}, `${NAMES[i]}: `, link(to.match(match.id), matchText(match))),
    el("p", { class: "chips" }, chip(match.status), outcome(match), time(match.completed_at ?? match.created_at)),
    playersOf(match),
  );
}

function besideLink(left: Side, right: Side): HTMLElement | null {
  const [viewer, beside] = [left.match.viewer_url, right.match.replay_url];
  if (!viewer?.startsWith(GRID_VIEWER) || !beside) return null;
  const address = `${viewer}&beside=${encodeURIComponent(beside)}`;
  const attrs = { href: address, target: "_blank", rel: "noopener" };
  return el("p", { class: "actions" }, el("a", { class: "button bordered", attrs }, "Watch both replays side by side"));
}

function momentItem(match: MatchPage, { tick, text }: { tick: number; text: string }): HTMLElement {
  if (!match.viewer_url) return el("li", {}, plainName(text));
  const attrs = { href: `${match.viewer_url}#tick=${tick}`, target: "_blank", rel: "noopener" };
  return el("li", {}, el("a", { attrs }, plainName(text)));
}

function optionText(line: MatchLine, policy: string): string {
  const own = line.players.find((player) => player.policy.id === policy);
  const others = line.players.filter((player) => player !== own).map((player) => plainName(player.policy.name));
  const company = others.length ? `with ${others.slice(0, 3).join(", ")}` : "alone";
  const result = line.status === "completed" ? `score ${score(own?.score ?? null)}` : line.status;
  const when = line.completed_at ?? line.created_at;
  return `${result || NONE} · ${company} · ${line.pool} · ${moment(Date.parse(when))}`;
}

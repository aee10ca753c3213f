import { el, renew, setText } from "../../ui/dom";
import type { MatchesPage, MatchLine, PolicyRef, SeasonPage } from "../api-types";
import { count, plainName } from "../format";
import type { Change } from "../live";
import { merged } from "../moves";
import type { Site } from "../view";
import { act, empty, loading, problem } from "./bits";
import { matchTable } from "./matches";
import { Pane } from "./pane";

/** Filters by status. Waiting matches are hidden by default: there are many, and they have no results. */
const STATES: Record<string, string> = {
  played: "played",
  running: "running",
  completed: "completed",
  failed: "failed",
  waiting: "waiting",
  "": "all",
};
const MOST_SINGLE = 10;

/** All matches of a season, newest first, with filters and infinite scrolling. */
export class SeasonMatches extends Pane<MatchesPage> {
  readonly element = el("section", { class: "panel", attrs: { "aria-label": "Matches" } });
  private readonly head = el("div");
  private readonly note = el("div");
  private readonly pool = el("select", { class: "field", id: "match-pool" });
  private readonly status = el("select", { class: "field", id: "match-status" });
  private readonly policy = el("select", { class: "field", id: "match-policy" });
  private readonly more = act("Show more", () => void this.next());
  private readonly table = matchTable("Matches");
  private rows: MatchLine[] = [];
  private cursor: string | null = null;
  private isLoading = false;
  private filtered = "";

  constructor(site: Site, season: string) {
    super(site, season, ["match", "season"]);
    const labelled = (text: string, field: HTMLElement) => el("label", {}, text, field);
    const filters = el(
      "form",
      { class: "filters", attrs: { role: "search", "aria-label": "Filter matches" } },
      labelled("Pool", this.pool),
      labelled("Status", this.status),
      labelled("Policy", this.policy),
    );
    filters.addEventListener("submit", (event) => event.preventDefault());
    filters.addEventListener("change", () => this.filter());
    this.status.append(
      ...Object.entries(STATES).map(([state, text]) => el("option", { attrs: { value: state } }, text)),
    );
    const query = new URLSearchParams(location.search);
    this.status.value = query.get("status") ?? "played";
    this.namePolicies([], query.get("policy") ?? "");
    this.element.append(el("h2", {}, "Matches"), filters, this.head, this.table.element, this.note, this.more);
    this.more.hidden = true;
    new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && void this.next(), {
      rootMargin: "400px",
    }).observe(this.more);
  }

  show(page: SeasonPage): void {
    const pools = page.stages.map((stage) => stage.pool).join("\n");
    if (this.pool.dataset.pools !== pools) {
      this.pool.dataset.pools = pools;
      const chosen = this.pool.value || (new URLSearchParams(location.search).get("pool") ?? "");
      this.pool.replaceChildren(
        ...["", ...pools.split("\n")].map((pool) => el("option", { attrs: { value: pool } }, pool || "all")),
      );
      this.pool.value = chosen;
    }
    this.filtered = this.filters();
    this.open();
    if (this.policy.options.length <= 2) void this.findPolicies();
  }

  private async findPolicies(): Promise<void> {
    try {
      const { rows } = await this.site.api.get("/observatory/api/seasons/{season}/table", { season: this.season });
      this.namePolicies(
        rows.map(({ policy }) => policy),
        this.policy.value,
      );
    } catch {
      // The filter keeps its earlier options.
    }
  }

  private namePolicies(policies: readonly PolicyRef[], chosen: string): void {
    const options = policies.map((policy) =>
      el("option", { attrs: { value: policy.id } }, `${plainName(policy.name)} v${policy.version}`),
    );
    const isKnown = !chosen || policies.some((policy) => policy.id === chosen);
    const own = isKnown ? [] : [el("option", { attrs: { value: chosen } }, `policy ${chosen.slice(0, 8)}`)];
    this.policy.replaceChildren(el("option", { attrs: { value: "" } }, "all"), ...own, ...options);
    this.policy.value = chosen;
  }

  /** Reload the first page; changed matches on later pages are loaded one by one. */
  override handleChanges(changes: readonly Change[]): void {
    super.handleChanges(changes);
    const changed = new Set(changes.filter((change) => change.kind === "match").flatMap((change) => change.ids ?? []));
    const below = this.rows.slice(this.source.value?.rows.length ?? 0).filter((row) => changed.has(row.id));
    for (const row of below.slice(0, MOST_SINGLE)) void this.reloadMatch(row.id);
  }

  protected ask(signal: AbortSignal): Promise<MatchesPage> {
    return this.page(null, signal);
  }

  protected draw(): void {
    const { value, error } = this.source;
    renew(this.head, error ? problem(error) : value ? null : loading());
    if (!value) return;
    const isFirst = this.rows.length === 0;
    this.rows = merged(this.rows, value.rows, (row) => row.id);
    if (isFirst) this.cursor = value.next_cursor;
    this.drawRows(value.total);
  }

  private drawRows(total: number): void {
    this.table.element.hidden = this.rows.length === 0;
    this.table.update(this.rows);
    this.more.hidden = this.cursor === null;
    const none = this.filters()
      ? "No match fits these filters."
      : "No matches yet. They are scheduled when policies have entered.";
    renew(
      this.note,
      this.rows.length === 0
        ? empty(none)
        : el(
            "p",
            { class: "quiet small" },
            `${count(this.rows.length)} of ${count(Math.max(total, this.rows.length))} shown`,
          ),
    );
  }

  private async next(): Promise<void> {
    if (this.cursor === null || this.isLoading) return;
    this.isLoading = true;
    setText(this.more, "Loading …");
    const asked = this.filtered;
    try {
      const page = await this.page(this.cursor);
      if (asked !== this.filtered) return;
      this.rows = merged(page.rows, this.rows, (row) => row.id);
      this.cursor = page.next_cursor;
      this.drawRows(page.total);
    } catch (error) {
      renew(this.head, problem(error as Error));
    } finally {
      this.isLoading = false;
      setText(this.more, "Show more");
    }
  }

  private async reloadMatch(id: string): Promise<void> {
    try {
      const match = await this.site.api.get("/observatory/api/matches/{match_id}", { match_id: id });
      this.rows = this.rows.map((row) => (row.id === id ? match : row));
      this.drawRows(this.source.value?.total ?? this.rows.length);
    } catch {
      // Keep the old row; the next change loads it again.
    }
  }

  private page(cursor: string | null, signal?: AbortSignal): Promise<MatchesPage> {
    const query = { cursor, pool: this.pool.value, status: this.status.value, policy: this.policy.value };
    return this.site.api.get("/observatory/api/seasons/{season}/matches", { season: this.season }, query, signal);
  }

  private filters(): string {
    const query = new URLSearchParams();
    if (this.pool.value) query.set("pool", this.pool.value);
    if (this.status.value !== "played") query.set("status", this.status.value);
    if (this.policy.value) query.set("policy", this.policy.value);
    return query.toString();
  }

  private filter(): void {
    this.filtered = this.filters();
    history.replaceState(null, "", location.pathname + (this.filtered ? `?${this.filtered}` : ""));
    [this.rows, this.cursor] = [[], null];
    this.source.value = null;
    void this.source.load();
  }
}

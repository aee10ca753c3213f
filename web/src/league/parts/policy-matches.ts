import { el, renew, setText } from "../../ui/dom";
import type { MatchesPage, MatchLine, PolicyPage, PolicyRef } from "../api-types";
import { count, plainName } from "../format";
import { merged } from "../moves";
import { to } from "../router";
import { Source } from "../source";
import type { Site } from "../view";
import { act, empty, link, loading, problem } from "./bits";
import { matchTable } from "./matches";

const RESULTS: Record<string, string> = {
  "": "all",
  completed: "completed",
  won: "won",
  lost: "lost",
  failed: "failed",
  at_fault: "failed by this policy",
  open: "not ended",
};
const SORTS: Record<string, string> = {
  newest: "newest first",
  oldest: "oldest first",
  best: "best score first",
  worst: "worst score first",
};

/** All matches of a policy version: filters, orders, page by page. */
export class PolicyMatches {
  readonly element = el("div", { class: "column" });
  readonly source: Source<MatchesPage>;
  private readonly head = el("div");
  private readonly note = el("div");
  private readonly season = select("policy-match-season");
  private readonly result = select("policy-match-result");
  private readonly partner = select("policy-match-partner");
  private readonly sort = select("policy-match-sort");
  private readonly more = act("Show more", () => void this.next());
  private readonly table = matchTable("Matches of this policy", (match) => link(to.compare(match.id), "compare"));
  private rows: MatchLine[] = [];
  private cursor: string | null = null;
  private isLoading = false;

  constructor(
    private readonly site: Site,
    private readonly policy: string,
  ) {
    this.source = new Source<MatchesPage>(
      (signal) => this.page(null, signal),
      () => this.draw(),
      (change) => change.kind === "match",
    );
    const labelled = (text: string, field: HTMLElement) => el("label", {}, text, field);
    const filters = el(
      "form",
      { class: "filters", attrs: { role: "search", "aria-label": "Filter the matches of this policy" } },
      labelled("Season", this.season),
      labelled("Result", this.result),
      labelled("With", this.partner),
      labelled("Order", this.sort),
    );
    filters.addEventListener("submit", (event) => event.preventDefault());
    filters.addEventListener("change", () => this.filter());
    fill(this.result, Object.entries(RESULTS));
    fill(this.sort, Object.entries(SORTS));
    this.more.hidden = true;
    this.element.append(filters, this.head, this.table.element, this.note, this.more);
  }

  /** Offer the seasons and the other policies that the page knows. */
  offer(page: PolicyPage): void {
    const names = [...new Map(page.seasons.map((row) => [`${row.season}:v${row.season_version}`, row.display_name]))];
    fill(this.season, [["", "all"], ...names]);
    const others: PolicyRef[] = [
      ...page.head_to_head.map((row) => row.opponent),
      ...page.partners.map((row) => row.partner),
    ];
    fill(this.partner, [
      ["", "any"],
      ...others.map((ref): [string, string] => [ref.id, `${ref.name} v${ref.version}`]),
    ]);
    for (const option of this.result.options)
      if (option.value === "won" || option.value === "lost") option.hidden = page.shared_reward;
  }

  private draw(): void {
    const { value, error } = this.source;
    renew(this.head, error ? problem(error) : value ? null : loading());
    if (!value) return;
    const isFirst = this.rows.length === 0;
    this.rows =
      isFirst || this.sort.value !== "newest" ? [...value.rows] : merged(this.rows, value.rows, (row) => row.id);
    if (isFirst || this.sort.value !== "newest") this.cursor = value.next_cursor;
    this.drawRows(value.total);
  }

  private drawRows(total: number): void {
    this.table.element.hidden = this.rows.length === 0;
    this.table.update(this.rows);
    this.more.hidden = this.cursor === null;
    const none = this.isFiltered() ? "No match fits these filters." : "No matches yet.";
    const shown = `${count(this.rows.length)} of ${count(Math.max(total, this.rows.length))} shown`;
    renew(this.note, this.rows.length === 0 ? empty(none) : el("p", { class: "quiet small" }, shown));
  }

  private async next(): Promise<void> {
    if (this.cursor === null || this.isLoading) return;
    this.isLoading = true;
    setText(this.more, "Loading …");
    const asked = this.key();
    try {
      const page = await this.page(this.cursor);
      if (asked !== this.key()) return;
      const known = new Set(this.rows.map((row) => row.id));
      this.rows = [...this.rows, ...page.rows.filter((row) => !known.has(row.id))];
      this.cursor = page.next_cursor;
      this.drawRows(page.total);
    } catch (error) {
      renew(this.head, problem(error as Error));
    } finally {
      this.isLoading = false;
      setText(this.more, "Show more");
    }
  }

  private filter(): void {
    [this.rows, this.cursor] = [[], null];
    this.source.value = null;
    this.draw();
    void this.source.load();
  }

  private page(cursor: string | null, signal?: AbortSignal): Promise<MatchesPage> {
    const query = {
      cursor,
      limit: 25,
      season: this.season.value,
      result: this.result.value,
      partner: this.partner.value,
      sort: this.sort.value || "newest",
    };
    const words = { policy_version_id: this.policy };
    return this.site.api.get("/observatory/api/policies/{policy_version_id}/matches", words, query, signal);
  }

  private key(): string {
    return [this.season, this.result, this.partner, this.sort].map((field) => field.value).join("\n");
  }

  private isFiltered(): boolean {
    return Boolean(this.season.value || this.result.value || this.partner.value);
  }
}

function select(id: string): HTMLSelectElement {
  return el("select", { class: "field", id });
}

/** Set the options of a list, and keep the chosen one if it is still there. */
function fill(field: HTMLSelectElement, options: readonly (readonly [string, string])[]): void {
  const key = JSON.stringify(options);
  if (field.dataset.options === key) return;
  field.dataset.options = key;
  const chosen = field.value;
  field.replaceChildren(...options.map(([value, text]) => el("option", { attrs: { value } }, plainName(text))));
  field.value = options.some(([value]) => value === chosen) ? chosen : (options[0]?.[0] ?? "");
}

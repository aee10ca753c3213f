import { type Child, el, icon, renew } from "../../ui/dom";
import type { DivisionRow, DivisionTable } from "../api-types";
import { count, counted, difference, digitsFor, labelled, percent, score } from "../format";
import { formBars, formWords, isLine, type TableEntry, withLines } from "../lines";
import { type Move, Since } from "../moves";
import { intervalScale, type Scale, scaleFrom } from "../scale";
import type { Site } from "../view";
import { chip, empty, ICONS, intervalBar, loading, policyLink, problem, time } from "./bits";
import { playerLink } from "./league-bits";
import { Pane } from "./pane";
import { svg } from "./svg";
import { type Column, LiveTable } from "./table";

type Value = string | number | boolean | null | undefined;

/** The table of a division: one of its views, with intervals, recent form, and the lines between divisions. */
export class DivisionStandings extends Pane<DivisionTable> {
  readonly element = el("section", { class: "panel", attrs: { "aria-label": "Standings" } });
  private readonly head = el("div");
  private readonly views = el("p", { class: "chips", attrs: { role: "group", "aria-label": "View" } });
  private readonly holder = el("div");
  private readonly waiting = el("div");
  private readonly note = el("div");
  private table: LiveTable<TableEntry> | null = null;
  private shape = "";
  private view = "";
  private since = new Since();
  private moves = new Map<string, Move>();
  private scale: Scale = scaleFrom(0, 1);
  private digits = 1;

  constructor(site: Site, division: string) {
    super(site, division, ["round", "league", "league_entry"]);
    this.element.append(this.views, this.head, this.holder, this.waiting, this.note);
  }

  show(): void {
    this.open();
  }

  protected ask(signal: AbortSignal): Promise<DivisionTable> {
    return this.site.api.get(
      "/observatory/api/divisions/{division_id}/table",
      { division_id: this.season },
      { view: this.view },
      signal,
    );
  }

  protected draw(): void {
    const { value, error } = this.source;
    renew(this.head, error ? problem(error) : value ? null : loading());
    if (!value) return;
    this.drawViews(value);
    this.scale = intervalScale(value.rows.map(({ measured, low, high }) => ({ score: measured, low, high })));
    const scores = value.rows.map((row) => row.score).filter((one): one is number => one !== null);
    const spread = scores.length ? Math.max(...scores) - Math.min(...scores) : 0;
    this.digits = scores.some((one) => Math.abs(one) >= 100) ? 1 : Math.max(1, digitsFor(spread));
    this.moves = this.since.see(value.rows, (row) => row.subject_id);
    const shape = JSON.stringify([value.view, value.score_label, value.measured_label, value.columns]);
    if (shape !== this.shape || !this.table) {
      this.shape = shape;
      this.table = this.tableOf(value);
      this.holder.replaceChildren(this.table.element);
    }
    this.holder.hidden = value.rows.length === 0;
    this.table.update(withLines(value.rows, value.lines), (entry) =>
      isLine(entry) ? "" : [this.scale.low, this.scale.high, this.digits, this.moves.get(entry.subject_id)],
    );
    if (value.rows.length === 0)
      renew(
        this.head,
        empty(
          value.division.type === "staging"
            ? "This division has no table: its members qualify for the competition."
            : "No results yet. The table appears after the first round.",
        ),
      );
    renew(this.waiting, waitingChampions(value));
    renew(
      this.note,
      value.lines.disqualify_after === null
        ? null
        : el("p", { class: "quiet small" }, `${value.lines.sentences[value.lines.sentences.length - 1]}.`),
      el("p", { class: "quiet small" }, value.rows.length ? this.noteOf(value) : ""),
    );
  }

  private noteOf(value: DivisionTable): string {
    const interval = value.measured_label
      ? `Bars are 95% confidence intervals of the ${value.measured_label.toLowerCase()}. `
      : "";
    const settling = value.rows.some((row) => row.settling)
      ? `A version is settling until it has played ${value.settled_rounds} rounds. `
      : "";
    return `${interval}${settling}Form shows the ranks in the last rounds, the latest on the right.`;
  }

  private drawViews(value: DivisionTable): void {
    this.views.hidden = value.views.length < 2;
    const key = JSON.stringify(value.views);
    if (this.views.dataset.views !== key) {
      this.views.dataset.views = key;
      this.views.replaceChildren(
        ...value.views.map((view) => {
          const button = el(
            "button",
            { class: "chip", title: view.description, attrs: { type: "button", "data-view": view.key } },
            [view.title, ...Object.values(view.axis_values)].join(" · "),
          );
          button.addEventListener("click", () => this.choose(view.key));
          return button;
        }),
      );
    }
    for (const button of this.views.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.view === value.view));
  }

  private choose(view: string): void {
    this.view = view;
    this.since = new Since();
    void this.source.load();
  }

  private tableOf(value: DivisionTable): LiveTable<TableEntry> {
    const cell = (make: (row: DivisionRow) => Child | Child[]) => (entry: TableEntry) =>
      isLine(entry) ? null : make(entry);
    const columns: Column<TableEntry>[] = [
      { title: "Rank", kind: "rank", cell: cell((row) => rankCell(row, this.moves.get(row.subject_id))) },
      { title: "Player", kind: "name", cell: cell(nameCell) },
      { title: value.score_label, kind: "number", cell: cell((row) => this.scoreCell(row)) },
    ];
    if (value.measured_label)
      columns.push({
        title: `${value.measured_label}, 95 %`,
        kind: "bar",
        from: "tablet",
        about: "95% confidence interval, all rows on one scale",
        cell: cell((row) => this.barCell(row)),
      });
    for (const column of value.columns)
      columns.push({
        title: column.label ?? column.key,
        kind: column.value_type === "string" ? undefined : "number",
        from: "tablet",
        cell: cell((row) => valueText(row.values[column.key] as Value, column.value_type)),
      });
    columns.push(
      { title: "Rounds", kind: "number", from: "tablet", cell: cell((row) => count(row.rounds)) },
      { title: "Form", from: "tablet", about: "ranks in the last rounds", cell: cell((row) => sparkline(row)) },
    );
    const table = new LiveTable<TableEntry>(
      "Standings",
      columns,
      (entry) => (isLine(entry) ? `line ${entry.line}` : entry.subject_id),
      (entry) => (isLine(entry) ? `is-line is-${entry.line}` : entry.zone ? `is-${entry.zone}-zone` : ""),
      (entry) => (isLine(entry) ? lineOf(entry.line, entry.text) : null),
    );
    table.element.classList.add("standings");
    return table;
  }

  private scoreCell(row: DivisionRow): Child[] {
    const gain = this.moves.get(row.subject_id)?.gain;
    return [
      el("span", { class: "score" }, labelled(row.score, this.source.value?.score_label ?? "", this.digits)),
      gain ? el("span", { class: `small ${gain > 0 ? "good" : "bad"}` }, difference(gain, this.digits)) : null,
      el("span", { class: "to-phone" }, sparkline(row)),
    ];
  }

  private barCell(row: DivisionRow): Child[] {
    const digits = digitsFor(this.scale.high - this.scale.low);
    const words =
      row.low === null || row.high === null
        ? `${score(row.measured, digits)}, needs more rounds`
        : `${score(row.low, digits)} to ${score(row.high, digits)}`;
    return [
      intervalBar({ score: row.measured, low: row.low, high: row.high }, this.scale),
      el("span", { class: "bar-words small quiet" }, words),
    ];
  }
}

function lineOf(line: string, text: string): HTMLElement {
  return el("span", { class: "line-words" }, icon(line === "promotion" ? ICONS.up : ICONS.down), text);
}

function rankCell(row: DivisionRow, move: Move | undefined): Child[] {
  const cells: Child[] = [el("span", { class: `rank rank-${Math.min(row.rank, 4)}` }, String(row.rank))];
  if (move && !move.isNew && move.places !== 0) {
    const way = move.places > 0 ? "up" : "down";
    const change = `${way} ${Math.abs(move.places)} since you opened this page`;
    cells.push(
      el(
        "span",
        { class: `move small ${way === "up" ? "good" : "bad"}`, title: change },
        icon(ICONS[way], change),
        String(Math.abs(move.places)),
      ),
    );
  }
  return cells;
}

function nameCell(row: DivisionRow): Child[] {
  return [
    el(
      "span",
      { class: "policy-author" },
      row.player ? playerLink(row.player) : row.name,
      row.policy ? el("span", { class: "small" }, policyLink(row.policy)) : null,
    ),
    row.settling ? chip("plain", "settling") : null,
    el("span", { class: "to-phone small quiet" }, row.rounds === null ? "" : counted(row.rounds, "round")),
  ];
}

function valueText(value: Value, type: string): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  if (type === "percent") return percent(value);
  return type === "integer" ? count(value) : score(value);
}

/** The ranks of a player in the last rounds as small bars; a full bar is the first rank. */
export function sparkline(row: { form: DivisionRow["form"] }): Child {
  if (row.form.length === 0) return el("span", { class: "quiet" }, "–");
  const [width, gap, height] = [7, 2, 20];
  const bars = formBars(row.form).map((part, i) =>
    svg("rect", {
      class: i === row.form.length - 1 ? "spark is-last" : "spark",
      x: i * (width + gap),
      y: (height - part * height).toFixed(1),
      width,
      height: (part * height).toFixed(1),
      rx: 1,
    }),
  );
  const words = formWords(row.form);
  const drawing = svg(
    "svg",
    { width: row.form.length * (width + gap), height, role: "img", "aria-label": words, class: "sparkline" },
    svg("title", {}, words),
    ...bars,
  );
  return drawing;
}

function waitingChampions(value: DivisionTable): HTMLElement | null {
  if (value.waiting.length === 0) return null;
  return el(
    "div",
    { class: "column" },
    el("h3", {}, "Waiting for their first round here"),
    el(
      "ul",
      { class: "plain-list" },
      ...value.waiting.map((one) =>
        el(
          "li",
          {},
          playerLink(one.player),
          policyLink(one.policy),
          el("span", { class: "quiet small" }, "since ", time(one.since)),
        ),
      ),
    ),
  );
}

import { type Child, el, icon, renew, setText } from "../../ui/dom";
import type { SeasonPage, Table, TableRow } from "../api-types";
import { count, counted, difference, digitsFor, ranks, score } from "../format";
import { type Move, Since } from "../moves";
import { intervalScale, type Scale, scaleFrom } from "../scale";
import type { Site } from "../view";
import { act, chip, empty, ICONS, intervalBar, loading, policyLink, problem, time } from "./bits";
import { Pane } from "./pane";
import { LiveTable } from "./table";

/** Rows shown at first; a button shows the rest. */
const MOST_ROWS = 200;

/** The live table of a pool: ranks, scores with intervals on one scale, and changes since the page was opened. */
export class Standings extends Pane<Table> {
  readonly element = el("section", { class: "panel", attrs: { "aria-label": "Leaderboard" } });
  private readonly about = el("div", { class: "table-head" });
  private readonly pools = el("select", { class: "field", id: "pool" });
  private readonly poolLine = el("p", { class: "fields" }, el("label", { attrs: { for: "pool" } }, "Pool"), this.pools);
  private readonly note = el("p", { class: "quiet small" });
  private pool = "";
  private page: SeasonPage | null = null;
  private since = new Since();
  private moves = new Map<string, Move>();
  private scale: Scale = scaleFrom(0, 1);
  private isPlacement = false;
  private digits = 3;
  private showsAll = false;
  private readonly more = act("Show all", () => {
    this.showsAll = true;
    this.draw();
  });
  private readonly scores = this.tableOf();

  constructor(site: Site, season: string) {
    super(site, season, ["table", "season", "membership"]);
    this.pools.addEventListener("change", () => this.choose(this.pools.value));
    this.scores.element.classList.add("standings");
    this.element.append(this.poolLine, this.about, this.scores.element, this.more, this.note);
    this.scores.element.hidden = this.more.hidden = true;
  }

  show(page: SeasonPage): void {
    const isFirst = this.page === null;
    this.page = page;
    if (isFirst) {
      this.pool = new URLSearchParams(location.search).get("pool") ?? "";
      this.open();
    }
    this.drawPools(page);
  }

  protected ask(signal: AbortSignal): Promise<Table> {
    return this.site.api.get(
      "/observatory/api/seasons/{season}/table",
      { season: this.season },
      { pool: this.pool },
      signal,
    );
  }

  private choose(pool: string): void {
    this.pool = pool;
    this.since = new Since();
    const query = pool === this.page?.leaderboard_pool ? "" : `?pool=${encodeURIComponent(pool)}`;
    history.replaceState(null, "", location.pathname + query);
    void this.source.load();
  }

  private drawPools(page: SeasonPage): void {
    const listed = page.stages.filter((stage) => !["sample_teams", "team_eval", "score_policies"].includes(stage.kind));
    const known = new Set(listed.map((stage) => stage.pool));
    const pools =
      page.leaderboard_pool && !known.has(page.leaderboard_pool)
        ? [...listed.map((stage) => stage.pool), page.leaderboard_pool]
        : [...known];
    const poolsKey = pools.join("\n");
    this.poolLine.hidden = pools.length < 2;
    if (this.pools.dataset.pools === poolsKey) return;
    this.pools.dataset.pools = poolsKey;
    this.pools.replaceChildren(...pools.map((pool) => el("option", { attrs: { value: pool } }, pool)));
    this.pools.value = this.pool || page.leaderboard_pool || pools[0] || "";
  }

  protected draw(): void {
    const { value, error } = this.source;
    if (!value) {
      renew(this.about, error ? problem(error) : loading());
      return;
    }
    if (!this.pool) this.pools.value = value.pool;
    this.isPlacement = value.lower_is_better;
    this.scale = intervalScale(value.rows);
    this.digits = this.isPlacement ? 0 : digitsFor(this.scale.high - this.scale.low);
    this.moves = this.since.see(value.rows, (row) => row.policy.id);
    this.scores.element.hidden = value.rows.length === 0;
    this.scores.element.classList.toggle("is-placement", this.isPlacement);
    const shown = this.showsAll ? value.rows : value.rows.slice(0, MOST_ROWS);
    this.scores.update(shown, (row) => [this.scale.low, this.scale.high, this.moves.get(row.policy.id)]);
    this.more.hidden = shown.length === value.rows.length;
    setText(this.more, `Show all ${count(value.rows.length)}`);
    renew(this.about, error ? problem(error) : null, value.rows.length === 0 ? this.nothing(value) : null);
    setText(this.note, noteOf(value));
  }

  private nothing(value: Table): HTMLElement {
    const page = this.page;
    if (page && page.entrants === 0) return empty("No policies yet. Upload the first one.");
    if (page?.tournament_type === "team")
      return empty(`No scores in ${value.pool} yet: see the stages for the progress of the season.`);
    return empty(
      `No scores in ${value.pool} yet. They appear here as matches end; policies in \`qualifying\` come first.`,
    );
  }

  private tableOf(): LiveTable<TableRow> {
    return new LiveTable<TableRow>(
      "Leaderboard",
      [
        { title: "Rank", kind: "rank", cell: (row) => rankCell(row, this.moves.get(row.policy.id)) },
        { title: "Policy", kind: "name", cell: (row) => nameCell(row, this.digits) },
        { title: "Score", kind: "number", cell: (row) => this.scoreCell(row) },
        {
          title: "95 % interval",
          kind: "bar",
          from: "tablet",
          about: "95% confidence interval of the score, all rows on one scale",
          cell: (row) => this.barCell(row),
        },
        {
          title: "Possible ranks",
          kind: "number",
          from: "desktop",
          about: "ranks that the matches so far do not rule out",
          cell: (row) => ranks(row.rank_low, row.rank_high),
        },
        {
          title: "VOR",
          kind: "number",
          from: "tablet",
          about: "value over replacement: how much higher the score of a match is with this policy than without it",
          cell: (row) => vorCell(row, this.digits),
        },
        {
          title: "Matches",
          kind: "number",
          from: "tablet",
          cell: (row) => [
            count(row.matches),
            row.failed > 0 ? el("span", { class: "bad small" }, ` ${count(row.failed)} failed`) : null,
          ],
        },
        { title: "Last", from: "desktop", cell: (row) => time(row.last_match_at) },
      ],
      (row) => row.policy.id,
      (row) => (row.active ? "" : "is-out"),
    );
  }

  private scoreCell(row: TableRow): Child[] {
    const move = this.moves.get(row.policy.id);
    const gain = move?.gain
      ? el(
          "span",
          { class: `small ${move.gain > 0 === !this.isPlacement ? "good" : "bad"}` },
          difference(move.gain, this.digits),
        )
      : null;
    return [
      el("span", { class: "score" }, score(row.score, this.digits)),
      gain,
      el("span", { class: "to-phone" }, intervalBar(row, this.scale)),
    ];
  }

  private barCell(row: TableRow): Child[] {
    if (this.isPlacement)
      return [
        el(
          "span",
          { class: "small quiet" },
          row.team_ranks?.length ? `best teams ${row.team_ranks.join(", ")}` : "no team",
        ),
      ];
    const words =
      row.low === null || row.high === null
        ? "needs more matches"
        : `${score(row.low, this.digits)} to ${score(row.high, this.digits)}`;
    return [intervalBar(row, this.scale), el("span", { class: "bar-words small quiet" }, words)];
  }
}

function rankCell(row: TableRow, move: Move | undefined): Child[] {
  const cells: Child[] = [el("span", { class: `rank rank-${Math.min(row.rank, 4)}` }, String(row.rank))];
  if (move?.isNew) cells.push(el("span", { class: "move small good", title: "new since you opened this page" }, "new"));
  else if (move && move.places !== 0) {
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

function nameCell(row: TableRow, digits: number): Child[] {
  return [
    policyLink(row.policy, { author: true }),
    row.failing ? chip("failed", "failing") : null,
    row.active ? null : chip("plain", "inactive"),
    el(
      "span",
      { class: "to-phone small quiet" },
      `${counted(row.matches, "match", "matches")}${row.vor === null ? "" : ` · VOR ${difference(row.vor, digits)}`}`,
    ),
  ];
}

function vorCell(row: TableRow, digits: number): Child[] {
  const range =
    row.vor_low === null || row.vor_high === null
      ? ""
      : `${difference(row.vor_low, digits)} to ${difference(row.vor_high, digits)}`;
  return [el("span", { title: range }, difference(row.vor, digits))];
}

function noteOf(table: Table): string {
  if (table.rows.length === 0) return "";
  const from = `From ${counted(table.matches, "match", "matches")} on ${counted(table.maps, "map")}.`;
  if (table.lower_is_better) return `${from} Placement scores are sums of team ranks: lower is better.`;
  return `${from} Bars are 95% confidence intervals; rows whose bars overlap may still change places.`;
}

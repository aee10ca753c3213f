import { resourceColour } from "../../board/palette";
import { statSeries } from "../../decode";
import { el, onClick, renew, replace } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import { Chart } from "../chart";
import { formatNumber } from "../format";
import type { Panel } from "./panel";

const MOST_SHOWN = 400;

interface Stat {
  readonly name: string;
  readonly now: number | null;
  readonly end: number | null;
}

/** All stats of the engine: of the game, and per agent. */
export class StatsPanel implements Panel {
  readonly name = "stats";
  readonly title = "Stats";
  readonly icon = ICONS.stats;
  readonly element = el("div", { class: "panel-body" });
  private readonly filter = el("input", {
    class: "field",
    attrs: { type: "search", placeholder: "part of a name", "aria-label": "Filter stats", spellcheck: "false" },
  });
  private readonly whose = el("select", { class: "field", attrs: { "aria-label": "Stats of" } });
  private readonly body = el("div");
  private readonly chartHolder = el("div", { class: "charts" });
  private chart: Chart | null = null;

  constructor(private readonly app: App) {
    this.element.append(el("div", { class: "fields" }, this.whose, this.filter), this.chartHolder, this.body);
    this.filter.addEventListener("input", () => this.update(new Set()));
    this.whose.addEventListener("change", () => this.update(new Set()));
  }

  update(changes: ReadonlySet<Change>): void {
    const { left } = this.app;
    if (!left) return;
    if (changes.has("replay") || !this.whose.options.length) this.offer();
    const words = this.filter.value.toLowerCase().split(/\s+/);
    const stats = this.stats().filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
    const hasNow = stats.some(({ now }) => now !== null);
    const rows = stats.slice(0, MOST_SHOWN).map((stat) => this.row(stat, hasNow));
    const head = el("tr", {}, el("th", {}, "Stat"), hasNow ? el("th", {}, "Now") : null, el("th", {}, "End"));
    renew(
      this.body,
      stats.length
        ? el("table", { class: "stats" }, el("thead", {}, head), el("tbody", {}, ...rows))
        : el("p", { class: "quiet" }, "No matching stats"),
      stats.length > MOST_SHOWN ? el("p", { class: "quiet" }, `and ${stats.length - MOST_SHOWN} more`) : null,
    );
    this.chart?.update(this.app.tick);
  }

  table(): { name: string; rows: (string | number)[][] } | null {
    const rows = this.stats().map(({ name, now, end }) => [name, now ?? "", end ?? ""]);
    return { name: `stats-${this.whose.value}`, rows: [["stat", `tick ${this.app.tick}`, "end"], ...rows] };
  }

  private offer(): void {
    const { agentStats, meanStats } = this.app.left!.replay.parts;
    const choices = [["game", "Game"]];
    if (Object.keys(meanStats).length || agentStats.length) choices.push(["mean", "Mean over agents"]);
    for (const agent of agentStats.keys()) choices.push([String(agent), `Agent ${agent}`]);
    replace(this.whose, ...choices.map(([value, name]) => el("option", { attrs: { value } }, name)));
    this.chart = null;
    replace(this.chartHolder);
  }

  private stats(): Stat[] {
    const episode = this.app.left!;
    const { gameStats, agentStats, meanStats } = episode.replay.parts;
    if (this.whose.value === "game") {
      episode.at(this.app.tick);
      const now = new Map(episode.reader.stats());
      const names = [...new Set([...Object.keys(gameStats), ...now.keys()])].sort(byInterest);
      return names.map((name) => ({ name, now: now.get(name) ?? null, end: gameStats[name] ?? null }));
    }
    const stats =
      this.whose.value === "mean"
        ? agentStats.length
          ? meanOf(agentStats)
          : meanStats
        : agentStats[Number(this.whose.value)];
    return Object.entries(stats ?? {})
      .sort((a, b) => (a[0] < b[0] ? -1 : 1))
      .map(([name, end]) => ({ name, now: null, end }));
  }

  private row({ name, now, end }: Stat, hasNow: boolean): HTMLElement {
    const cells = [el("td", { class: "number" }, end === null ? "–" : formatNumber(end))];
    if (hasNow) cells.unshift(el("td", { class: "number" }, now === null ? "–" : formatNumber(now)));
    const label = now === null ? el("td", {}, name) : el("td", {}, this.chartButton(name));
    return el("tr", { attrs: { "data-stat": name } }, label, ...cells);
  }

  private chartButton(name: string): HTMLElement {
    const link = el("button", { class: "plain", title: `Show ${name} over time`, attrs: { type: "button" } }, name);
    onClick(link, () => {
      const { ticks } = this.app.left!.history;
      const series = statSeries(this.app.left!.replay, name, ticks);
      if (!series) return;
      const line = { name, colour: resourceColour(name), values: series.values };
      this.chart = new Chart({ title: name, ticks, lines: [line], onSeek: (tick) => this.app.seek(tick) });
      replace(this.chartHolder, this.chart.element);
      this.chart.update(this.app.tick);
    });
    return link;
  }
}

/** Stats that every game has at every tick come last. */
function byInterest(a: string, b: string): number {
  const isDull = (name: string) => Number(/^(objects\.|tokens_)/.test(name));
  return isDull(a) - isDull(b) || (a < b ? -1 : 1);
}

function meanOf(tables: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = Object.create(null);
  for (const table of tables) for (const [name, value] of Object.entries(table)) sums[name] = (sums[name] ?? 0) + value;
  for (const name of Object.keys(sums)) sums[name] /= tables.length;
  return sums;
}

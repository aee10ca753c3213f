import { heatColour } from "../../board/cells";
import { HEAT_KINDS, type HeatKind, type HeatMap, heatRows } from "../../decode";
import { el, onClick, renew } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change, HeatWho } from "../app";
import { heatFilter } from "../board-view";
import { formatNumber } from "../format";
import { type Panel, section } from "./panel";

const LISTED = 12;

/** Settings of the heat map, which the board draws. */
export class HeatPanel implements Panel {
  readonly name = "heat";
  readonly title = "Heat maps";
  readonly icon = ICONS.heat;
  readonly element = el("div", { class: "panel-body" });

  constructor(
    private readonly app: App,
    private readonly lookAt: (place: { x: number; y: number }) => void,
  ) {}

  update(_: ReadonlySet<Change>): void {
    const { app } = this;
    if (!app.left) return renew(this.element);
    const map = this.map();
    renew(
      this.element,
      el("p", { class: "quiet" }, "Counts from the start to this tick, on a logarithmic scale"),
      this.chips(
        "Kind",
        HEAT_KINDS.map((kind) => [kind, kind] as const),
        app.heatKind,
        (kind: HeatKind) => this.choose(kind),
      ),
      this.chips("Agents", this.whose(), app.heatWho, (who: HeatWho) => this.app.set("heatWho", who)),
      this.scale(map),
      this.hovered(map),
      this.top(map),
    );
  }

  table(): { name: string; rows: (string | number)[][] } | null {
    const { left } = this.app;
    return left
      ? { name: `heat-${this.app.heatKind}-tick-${this.app.tick}`, rows: heatRows(this.map(), left.replay) }
      : null;
  }

  private map(): HeatMap {
    const { app } = this;
    const [filter, name] = heatFilter(app, app.left!);
    return app.left!.heat(app.heatKind, filter, name, app.tick);
  }

  private choose(kind: HeatKind): void {
    this.app.set("heatKind", kind);
    this.app.toggle("heat", true);
  }

  private whose(): (readonly [HeatWho, string])[] {
    const teams = this.app.left!.teams.list.filter((team) => team.agents.length);
    return [
      ["all", "all agents"],
      ["selected", "selected agent"],
      ...teams.map((team) => [team.index, team.name] as const),
    ];
  }

  private chips<T extends string | number>(
    title: string,
    choices: readonly (readonly [T, string])[],
    chosen: T,
    choose: (value: T) => void,
  ): HTMLElement {
    const chips = choices.map(([value, name]) => {
      const isChosen = value === chosen && (title !== "Kind" || this.app.layers.has("heat"));
      const chip = el(
        "button",
        { class: "chip", attrs: { type: "button", "aria-pressed": String(isChosen), "data-value": String(value) } },
        name,
      );
      onClick(chip, () => {
        if (isChosen && title === "Kind") this.app.toggle("heat", false);
        else choose(value);
      });
      return chip;
    });
    return section(title, el("div", { class: "chips" }, ...chips));
  }

  private scale(map: HeatMap): HTMLElement {
    const strip = el("div", { class: "heat-scale", attrs: { "aria-hidden": "true" } });
    const stops = [0, 0.25, 0.5, 0.75, 1].map(
      (part) => `rgb(${heatColour(part).map(Math.round).join(" ")}) ${part * 100}%`,
    );
    strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    const ends = el(
      "div",
      { class: "heat-ends" },
      el("span", {}, "1"),
      el("span", { attrs: { "data-testid": "heat-most" } }, map.most),
    );
    const total = el("p", {}, `${formatNumber(map.total)} ${map.kind} so far`);
    return el("div", {}, strip, ends, total);
  }

  private hovered(map: HeatMap): HTMLElement {
    const { hovered } = this.app;
    const text = hovered
      ? `Cell ${hovered[0]}, ${hovered[1]}: ${map.at(...hovered)}`
      : "Point at a cell of the map to read its count";
    return el("p", { attrs: { "data-testid": "heat-cell" } }, text);
  }

  private top(map: HeatMap): HTMLElement | null {
    const { width } = this.app.left!.replay.parts;
    const cells: [number, number][] = [];
    map.counts.forEach((count, cell) => {
      if (count) cells.push([cell, count]);
    });
    cells.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const rows = cells.slice(0, LISTED).map(([cell, count]) => {
      const place = { x: cell % width, y: Math.floor(cell / width) };
      const attrs = { type: "button", "data-cell": `${place.x},${place.y}`, "data-count": count };
      const row = el(
        "button",
        { class: "row-button", attrs },
        el("span", { class: "grow" }, `${place.x}, ${place.y}`),
        el("b", {}, count),
      );
      onClick(row, () => this.lookAt(place));
      return row;
    });
    return rows.length ? section("Highest counts", el("div", { class: "rows" }, ...rows)) : null;
  }
}

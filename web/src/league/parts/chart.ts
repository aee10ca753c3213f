import { el } from "../../ui/dom";
import { digitsFor, score } from "../format";
import { scaleFrom, ticks } from "../scale";
import { svg } from "./svg";

export interface Point {
  /** the running score after this match, and its interval */
  score: number;
  low?: number | null;
  high?: number | null;
  match_score: number;
  at: string;
}

const HEIGHT = 240;
const EDGE = { left: 46, right: 10, top: 10, bottom: 26 };

/** The score of a policy match by match: dots for the matches, a line for the score, a band for its interval. */
export class HistoryChart {
  readonly element = el("figure", { class: "chart" });
  private points: readonly Point[] = [];
  private width = 0;

  constructor() {
    new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (width === this.width || width === 0) return;
      this.width = width;
      this.draw();
    }).observe(this.element);
  }

  update(points: readonly Point[]): void {
    this.points = points;
    if (this.width) this.draw();
  }

  private draw(): void {
    const { points, width } = this;
    if (points.length === 0) return;
    const [low, high] = ends(points);
    const up = scaleFrom(low, high);
    const x = (i: number) => EDGE.left + ((width - EDGE.left - EDGE.right) * (i + 0.5)) / points.length;
    const y = (value: number) => HEIGHT - EDGE.bottom - (HEIGHT - EDGE.top - EDGE.bottom) * up.at(value);
    const parts: SVGElement[] = [];
    for (const tick of ticks(low, high, 4)) {
      parts.push(svg("line", { class: "chart-grid", x1: EDGE.left, x2: width - EDGE.right, y1: y(tick), y2: y(tick) }));
      parts.push(
        svg(
          "text",
          { class: "chart-label", x: EDGE.left - 6, y: y(tick) + 4, "text-anchor": "end" },
          score(tick, Math.max(0, digitsFor(high - low) - 1)),
        ),
      );
    }
    const apart = points.length / Math.max(2, width / 60);
    const between = ticks(1, points.length, Math.max(2, width / 110)).filter(
      (n) => Number.isInteger(n) && n - 1 > apart && points.length - n > apart,
    );
    for (const tick of [1, ...between, points.length]) {
      const i = tick - 1;
      parts.push(
        svg(
          "text",
          {
            class: "chart-label",
            x: x(i),
            y: HEIGHT - 8,
            "text-anchor": tick === points.length && tick > 1 ? "end" : "middle",
          },
          String(tick),
        ),
      );
    }
    const banded = points
      .map((point, i) => ({ point, i }))
      .filter(({ point }) => isNumber(point.low) && isNumber(point.high));
    if (banded.length > 1) {
      const top = banded.map(({ point, i }) => `${x(i).toFixed(1)},${y(point.high!).toFixed(1)}`);
      const bottom = banded.map(({ point, i }) => `${x(i).toFixed(1)},${y(point.low!).toFixed(1)}`).reverse();
      parts.push(svg("polygon", { class: "chart-band", points: [...top, ...bottom].join(" ") }));
    }
    const radius = points.length > 300 ? 1.2 : points.length > 80 ? 1.8 : 2.6;
    for (const [i, point] of points.entries()) {
      const centre = { cx: x(i).toFixed(1), cy: y(point.match_score).toFixed(1) };
      parts.push(svg("circle", { class: "chart-dot", ...centre, r: radius }));
    }
    const line = points.map((point, i) => `${x(i).toFixed(1)},${y(point.score).toFixed(1)}`).join(" ");
    parts.push(svg("polyline", { class: "chart-line", points: line }));
    const last = points[points.length - 1];
    parts.push(
      svg("circle", { class: "chart-last", cx: x(points.length - 1).toFixed(1), cy: y(last.score).toFixed(1), r: 4 }),
    );
    const label = `Score after each of ${points.length} matches; now ${score(last.score)}`;
    const drawing = svg(
      "svg",
      { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
      ...parts,
    );
    const key = el(
      "figcaption",
      { class: "quiet small legend" },
      el("span", { class: "key key-line" }, "score"),
      banded.length > 1 && el("span", { class: "key key-band" }, "95 % interval"),
      el("span", { class: "key key-dot" }, "single matches"),
    );
    this.element.replaceChildren(drawing, key);
  }
}

/** The ends of the axis: all scores and intervals, and match scores without the most extreme ones. */
export function ends(points: readonly Point[]): [number, number] {
  const all = points.flatMap((point) => [point.score, point.match_score]).sort((a, b) => a - b);
  const band = points
    .slice(Math.min(5, points.length - 1))
    .flatMap((point) => [point.low, point.high])
    .filter(isNumber);
  const low = Math.min(all[0], ...(band.length ? [Math.min(...band)] : []));
  const high = Math.max(all[all.length - 1], ...(band.length ? [Math.max(...band)] : []));
  const reach = all[all.length - 1] - all[0] || Math.abs(high) || 1;
  const pad = reach * 0.06;
  return [Math.max(low, all[0] - reach) - pad, Math.min(high, all[all.length - 1] + reach) + pad];
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

import { el } from "../../ui/dom";
import type { Ratings } from "../api-types";
import { digitsFor, ratingDigits, score } from "../format";
import { scaleFrom, ticks } from "../scale";
import { svg } from "./svg";

const HEIGHT = 220;
const EDGE = { left: 52, right: 12, top: 22, bottom: 26 };

export interface Stretch {
  division: string;
  first: number;
  last: number;
}

/** The divisions of a player from round to round: one stretch for each stay. */
export function stretches(points: Ratings["points"]): Stretch[] {
  const found: Stretch[] = [];
  points.forEach((point, i) => {
    const current = found[found.length - 1];
    if (current?.division === point.division.name) current.last = i;
    else found.push({ division: point.division.name, first: i, last: i });
  });
  return found;
}

/** The rating of a player in a league after each round; vertical lines show moves between divisions. */
export class RatingChart {
  readonly element = el("figure", { class: "chart rating-chart" });
  private ratings: Ratings | null = null;
  private width = 0;

  constructor() {
    new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (width === this.width || width === 0) return;
      this.width = width;
      this.draw();
    }).observe(this.element);
  }

  update(ratings: Ratings): void {
    this.ratings = ratings;
    if (this.width) this.draw();
  }

  private draw(): void {
    const { ratings, width } = this;
    if (!ratings || ratings.points.length === 0) return;
    const { points } = ratings;
    const values = points.map((point) => point.after ?? point.score);
    const reach = Math.max(...values) - Math.min(...values) || Math.abs(values[0]) * 0.05 || 1;
    const [low, high] = [Math.min(...values) - reach * 0.1, Math.max(...values) + reach * 0.1];
    const up = scaleFrom(low, high);
    const x = (i: number) => EDGE.left + ((width - EDGE.left - EDGE.right) * (i + 0.5)) / points.length;
    const y = (value: number) => HEIGHT - EDGE.bottom - (HEIGHT - EDGE.top - EDGE.bottom) * up.at(value);
    const parts: SVGElement[] = [];
    for (const tick of ticks(low, high, 4)) {
      parts.push(svg("line", { class: "chart-grid", x1: EDGE.left, x2: width - EDGE.right, y1: y(tick), y2: y(tick) }));
      const text = score(tick, Math.max(0, digitsFor(high - low) - 1));
      parts.push(svg("text", { class: "chart-label", x: EDGE.left - 6, y: y(tick) + 4, "text-anchor": "end" }, text));
    }
    for (const { division, first } of stretches(points)) {
      const at = first === 0 ? EDGE.left : (x(first - 1) + x(first)) / 2;
      if (first > 0)
        parts.push(svg("line", { class: "chart-move", x1: at, x2: at, y1: EDGE.top - 12, y2: HEIGHT - EDGE.bottom }));
      parts.push(svg("text", { class: "chart-label", x: at + 4, y: 12 }, division));
    }
    const line = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    parts.push(svg("polyline", { class: "chart-line", points: line }));
    const radius = points.length > 80 ? 1.5 : 3;
    for (const [i, value] of values.entries()) {
      const dot = { class: "chart-last", cx: x(i).toFixed(1), cy: y(value).toFixed(1), r: radius };
      parts.push(svg("circle", dot, svg("title", {}, `Round ${points[i].number}: ${score(value, 1)}`)));
    }
    const shown = points.length > width / 40 ? [0, points.length - 1] : [...points.keys()];
    for (const i of shown)
      parts.push(
        svg(
          "text",
          { class: "chart-label", x: x(i), y: HEIGHT - 8, "text-anchor": "middle" },
          String(points[i].number),
        ),
      );
    const label = `${ratings.label ?? "Score"} after each of ${points.length} rounds; now ${score(values[values.length - 1], ratingDigits(...values))}`;
    this.element.replaceChildren(
      svg(
        "svg",
        { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
        ...parts,
      ),
      el(
        "figcaption",
        { class: "quiet small legend" },
        el("span", { class: "key key-line" }, `${ratings.label ?? "score"} after each round`),
        el("span", {}, "numbers below are rounds of the division"),
      ),
    );
  }
}

import { el } from "../../ui/dom";
import { digitsFor, plainName, score } from "../format";
import { scaleFrom, ticks } from "../scale";
import type { Line, Timeline } from "../timelines";
import { svg } from "./svg";

const HEIGHT = 150;
const EDGE = { left: 40, right: 10, top: 16, bottom: 20 };
/** as many as `timeline-chart.css` has colours and dashes for */
const STYLES = 6;
const MARK_WIDTH = 18;

/** A turning point on a chart: its number in the list, and its step. */
export interface Mark {
  number: number;
  tick: number;
}

/** Values over the steps of a match, one line for each team or policy, with numbered turning points. */
export class TimelineChart {
  readonly element = el("figure", { class: "chart timeline-chart" });
  private timeline: Timeline | null = null;
  private marks: readonly Mark[] = [];
  private top = 0;
  private width = 0;

  constructor() {
    new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (width === this.width || width === 0) return;
      this.width = width;
      this.draw();
    }).observe(this.element);
  }

  /** `top` is the least upper end of the axis, so that two charts can share one. */
  update(timeline: Timeline, marks: readonly Mark[] = [], top = 0): void {
    this.timeline = timeline;
    this.marks = marks;
    this.top = top;
    if (this.width) this.draw();
  }

  private draw(): void {
    const { timeline, width } = this;
    if (!timeline || timeline.ticks.length === 0) return;
    const all = timeline.lines.flatMap((line) => line.values);
    const [low, high] = [Math.min(0, ...all), Math.max(this.top, ...all) || 1];
    const [first, last] = [timeline.ticks[0], timeline.ticks[timeline.ticks.length - 1]];
    const [across, up] = [scaleFrom(first, last), scaleFrom(low, high)];
    const x = (tick: number) => EDGE.left + (width - EDGE.left - EDGE.right) * across.at(tick);
    const y = (value: number) => HEIGHT - EDGE.bottom - (HEIGHT - EDGE.top - EDGE.bottom) * up.at(value);
    const parts: SVGElement[] = [];
    const isWhole = all.every(Number.isInteger);
    for (const mark of ticks(low, high, 3)) {
      if (isWhole && !Number.isInteger(mark)) continue;
      parts.push(svg("line", { class: "chart-grid", x1: EDGE.left, x2: width - EDGE.right, y1: y(mark), y2: y(mark) }));
      const text = isWhole ? String(mark) : score(mark, Math.max(0, digitsFor(high - low) - 1));
      parts.push(svg("text", { class: "chart-label", x: EDGE.left - 6, y: y(mark) + 4, "text-anchor": "end" }, text));
    }
    for (const [tick, anchor] of [
      [first, "start"],
      [last, "end"],
    ] as const)
      parts.push(svg("text", { class: "chart-label", x: x(tick), y: HEIGHT - 5, "text-anchor": anchor }, String(tick)));
    for (const { numbers, at } of groupedMarks(this.marks, x)) {
      parts.push(svg("line", { class: "chart-move", x1: at, x2: at, y1: EDGE.top, y2: HEIGHT - EDGE.bottom }));
      const isAtAxis = at - EDGE.left < MARK_WIDTH / 2; // beside the labels of the axis, and not over them
      const anchor = isAtAxis ? "start" : "middle";
      parts.push(svg("text", { class: "chart-label", x: at, y: EDGE.top - 4, "text-anchor": anchor }, numbers));
    }
    timeline.lines.forEach((line, i) => {
      const points = line.values.map((value, j) => `${x(timeline.ticks[j]).toFixed(1)},${y(value).toFixed(1)}`);
      parts.push(svg("polyline", { class: `chart-line line-${i % STYLES}`, points: points.join(" ") }));
    });
    const ends = timeline.lines.map((line) => `${plainName(line.name)} ${lastOf(line)}`);
    const label = `${timeline.title}, from step ${first} to ${last}; at the end: ${ends.join(", ")}`;
    this.element.replaceChildren(
      el("figcaption", { class: "timeline-title" }, timeline.title),
      svg(
        "svg",
        { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
        ...parts,
      ),
      el(
        "p",
        { class: "quiet small legend" },
        ...timeline.lines.map((line, i) =>
          el(
            "span",
            { class: "line-name" },
            svg(
              "svg",
              { width: 22, height: 8, "aria-hidden": "true" },
              svg("line", { class: `chart-line line-${i % STYLES}`, x1: 0, x2: 22, y1: 4, y2: 4 }),
            ),
            el("bdi", { class: "name" }, plainName(line.name)),
            ` ${lastOf(line)}`,
          ),
        ),
      ),
    );
  }
}

/** Marks whose numbers would overlap share one: `3–5`. */
export function groupedMarks(marks: readonly Mark[], x: (tick: number) => number): { numbers: string; at: number }[] {
  const groups: { first: number; last: number; at: number }[] = [];
  for (const { number, tick } of marks) {
    const group = groups[groups.length - 1];
    if (group && x(tick) - group.at < MARK_WIDTH) group.last = number;
    else groups.push({ first: number, last: number, at: x(tick) });
  }
  return groups.map(({ first, last, at }) => ({ numbers: first === last ? String(first) : `${first}–${last}`, at }));
}

function lastOf(line: Line): string {
  const value = line.values[line.values.length - 1];
  return Number.isInteger(value) ? String(value) : score(value);
}

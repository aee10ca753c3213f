import { el, replace, setText } from "../ui/dom";
import { formatNumber } from "./format";

export interface Line {
  readonly name: string;
  readonly colour: string;
  readonly values: Float64Array;
  readonly dashed?: boolean;
}

export interface ChartOptions {
  readonly title: string;
  readonly ticks: Int32Array;
  readonly lines: readonly Line[];
  onSeek(tick: number): void;
}

const HEIGHT = 96;
const LEFT = 38;
const BOTTOM = 4;
const TOP = 6;

/** A line chart over time with a mark at the current tick. A legend shows the values at that tick as text. */
export class Chart {
  readonly element: HTMLElement;
  private readonly canvas = el("canvas", { class: "chart-canvas" });
  private readonly legend = el("div", { class: "legend" });
  private readonly values: HTMLElement[] = [];
  private tick = 0;
  private drawnWidth = 0;
  private picture: ImageBitmap | HTMLCanvasElement | null = null;

  constructor(private readonly options: ChartOptions) {
    const { title, lines } = options;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${title} over time`);
    replace(
      this.legend,
      ...lines.map((line) => {
        const value = el("b", { attrs: { "data-line": line.name } }, "–");
        this.values.push(value);
        const mark = el("i", { class: line.dashed ? "mark dashed" : "mark" });
        mark.style.setProperty("--mark", line.colour);
        return el("span", { class: "legend-entry" }, mark, line.name, value);
      }),
    );
    this.element = el(
      "figure",
      { class: "chart", attrs: { "data-chart": title } },
      el("figcaption", {}, title),
      this.canvas,
      this.legend,
    );
    this.canvas.addEventListener("pointerdown", (event) => this.seek(event));
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) this.seek(event);
    });
  }

  update(tick: number): void {
    this.tick = tick;
    const at = this.indexOf(tick);
    for (const [i, line] of this.options.lines.entries()) {
      setText(this.values[i], line.values.length ? formatNumber(line.values[at]) : "–");
    }
    this.draw();
  }

  /** Redraw after a change of theme or size. */
  redraw(): void {
    this.picture = null;
    this.draw();
  }

  private indexOf(tick: number): number {
    const { ticks } = this.options;
    const every = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
    return Math.min(Math.max(Math.floor((tick - ticks[0]) / every), 0), ticks.length - 1);
  }

  private seek(event: PointerEvent): void {
    const { ticks } = this.options;
    const box = this.canvas.getBoundingClientRect();
    const part = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT);
    this.options.onSeek(ticks[0] + Math.min(Math.max(part, 0), 1) * (ticks[ticks.length - 1] - ticks[0]));
  }

  private draw(): void {
    const width = this.canvas.clientWidth;
    if (!width) return;
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    if (!this.picture || this.drawnWidth !== width) {
      this.picture = this.drawLines(width, ratio);
      this.drawnWidth = width;
      this.canvas.width = width * ratio;
      this.canvas.height = HEIGHT * ratio;
    }
    const pen = this.canvas.getContext("2d")!;
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.picture, 0, 0);
    const { ticks } = this.options;
    const span = Math.max(1, ticks[ticks.length - 1] - ticks[0]);
    const x = (LEFT + ((this.tick - ticks[0]) / span) * (width - LEFT - 2)) * ratio;
    pen.fillStyle = getComputedStyle(this.canvas).color;
    pen.globalAlpha = 0.55;
    pen.fillRect(x, 0, ratio, this.canvas.height);
    pen.globalAlpha = 1;
  }

  private drawLines(width: number, ratio: number): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = width * ratio;
    canvas.height = HEIGHT * ratio;
    const pen = canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    const { lines } = this.options;
    let [low, high] = [0, 0];
    for (const { values } of lines) {
      for (const value of values) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (high === low) high = low + 1;
    const style = getComputedStyle(this.canvas);
    const y = (value: number) => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
    pen.font = "10px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of scaleMarks(low, high)) {
      pen.globalAlpha = 0.18;
      pen.fillStyle = style.color;
      pen.fillRect(LEFT, Math.round(y(value)), width - LEFT, 1);
      pen.globalAlpha = 0.7;
      pen.fillText(short(value), LEFT - 5, Math.min(HEIGHT - 6, Math.max(7, y(value))));
    }
    pen.globalAlpha = 1;
    for (const line of lines) drawLine(pen, line, width, y);
    return canvas;
  }
}

/** Reduce a line to the minimum and maximum per pixel. */
function drawLine(pen: CanvasRenderingContext2D, line: Line, width: number, y: (value: number) => number): void {
  const { values } = line;
  if (!values.length) return;
  pen.strokeStyle = line.colour;
  pen.lineWidth = 1.6;
  pen.lineJoin = "round";
  pen.setLineDash(line.dashed ? [4, 3] : []);
  pen.beginPath();
  const span = width - LEFT - 2;
  const x = (i: number) => LEFT + (i / Math.max(1, values.length - 1)) * span;
  const perPixel = values.length / Math.max(1, span);
  if (perPixel <= 2) {
    for (let i = 0; i < values.length; i++) pen.lineTo(x(i), y(values[i]));
  } else {
    for (let pixel = 0; pixel < span; pixel++) {
      const [from, to] = [Math.floor(pixel * perPixel), Math.min(values.length, Math.floor((pixel + 1) * perPixel))];
      let [least, most] = [Infinity, -Infinity];
      for (let i = from; i < to; i++) {
        if (values[i] < least) least = values[i];
        if (values[i] > most) most = values[i];
      }
      if (to <= from) continue;
      pen.lineTo(LEFT + pixel, y(values[from]));
      if (most > least) {
        pen.lineTo(LEFT + pixel, y(least));
        pen.lineTo(LEFT + pixel, y(most));
      }
      pen.lineTo(LEFT + pixel, y(values[to - 1]));
    }
  }
  pen.stroke();
  pen.setLineDash([]);
}

/** Return a few round numbers between two values. */
export function scaleMarks(low: number, high: number): number[] {
  const rough = (high - low) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? rough;
  const marks: number[] = [];
  for (let value = (Math.ceil(low / step) || 0) * step; value <= high + step * 1e-6; value += step) marks.push(value);
  return marks;
}

function short(value: number): string {
  if (Math.abs(value) >= 10_000) return `${Number((value / 1000).toFixed(1))}k`;
  return String(Number(value.toPrecision(3)));
}

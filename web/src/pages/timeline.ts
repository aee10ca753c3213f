import { teamColour } from "../board/palette";
import type { EventKind, GameEvent } from "../decode";
import { button, el, icon, replace, setText } from "../ui/dom";
import { ICONS } from "../ui/icons";
import { type App, SPEEDS } from "./app";

const HEIGHT = 44;
/** The marked kinds of events and their rows; other kinds appear only in the list of events. */
const MARKED: Readonly<Partial<Record<EventKind, { line: number; sign: string }>>> = {
  capture: { line: 0, sign: "▲" },
  loss: { line: 1, sign: "▼" },
  wave: { line: 0, sign: "◆" },
  death: { line: 1, sign: "✕" },
};

/** Playback controls, speed, and a strip of the episode: held objects per team, events, the current tick. */
export class TimelineBar {
  readonly element: HTMLElement;
  private readonly strip = el("canvas", {
    class: "strip",
    attrs: { role: "slider", tabindex: 0, "aria-label": "Tick", "data-testid": "strip" },
  });
  private readonly playButton = button("Play or pause (space)", ICONS.play, () => this.app.play(!this.app.isRunning));
  private readonly tickInput = el("input", {
    class: "tick-input",
    attrs: { type: "number", "aria-label": "Go to tick", "data-testid": "tick" },
  });
  private readonly lastLabel = el("span", { class: "last-tick" });
  private readonly speedSelect = el("select", { class: "speed", attrs: { "aria-label": "Steps per second" } });
  private readonly tip = el("div", { class: "strip-tip" });
  private picture: HTMLCanvasElement | null = null;
  private wasPlaying: boolean | null = null;

  constructor(private readonly app: App) {
    const { app: a } = this;
    const transport = el(
      "div",
      { class: "transport", attrs: { role: "group", "aria-label": "Playback" } },
      button("First tick (Home)", ICONS.start, () => a.seek(a.firstTick)),
      button("Previous event (P)", ICONS.previous, () => this.toEvent(-1)),
      button("One step back (left arrow)", ICONS.back, () => a.step(-1)),
      this.playButton,
      button("One step forward (right arrow)", ICONS.forward, () => a.step(1)),
      button("Next event (N)", ICONS.next, () => this.toEvent(1)),
      button("Last tick (End)", ICONS.end, () => a.seek(a.lastTick)),
    );
    this.playButton.classList.add("primary");
    replace(this.speedSelect, ...SPEEDS.map((speed) => el("option", { attrs: { value: speed } }, `${speed}/s`)));
    this.speedSelect.addEventListener("change", () => {
      a.setSpeed(Number(this.speedSelect.value));
      if (a.live) this.speedSelect.blur(); // return the arrow keys to driving
    });
    this.tickInput.addEventListener("change", () => a.seek(Number(this.tickInput.value)));
    const now = el("div", { class: "now" }, this.tickInput, this.lastLabel, this.speedSelect);
    const track = el("div", { class: "track" }, this.strip, this.tip);
    this.element = el("footer", { class: "timeline" }, transport, track, now);
    this.tip.hidden = true;
    this.listen();
    new ResizeObserver(() => this.redraw()).observe(track);
  }

  /** Go to the next or previous marked event, or to any event if none is marked. */
  toEvent(direction: 1 | -1): void {
    const { left, tick } = this.app;
    if (!left) return;
    const marked = left.events.filter((event) => event.kind in MARKED);
    const events = marked.length ? marked : left.events;
    const next =
      direction > 0 ? events.find((event) => event.tick > tick) : events.findLast((event) => event.tick < tick);
    if (next) {
      this.app.halt();
      this.app.seek(next.tick);
    }
  }

  /** Invalidate the strip; it is redrawn when it is next shown. */
  forget(): void {
    this.picture = null;
  }

  redraw(): void {
    this.picture = null;
    this.update();
  }

  update(): void {
    const { app } = this;
    const { firstTick, lastTick } = app;
    const tick = Math.floor(app.time);
    if (document.activeElement !== this.tickInput || app.isPlaying) this.tickInput.value = String(tick);
    this.tickInput.min = String(firstTick);
    this.tickInput.max = String(lastTick);
    setText(this.lastLabel, `/ ${lastTick}`);
    const speed = String(app.speedNow);
    if (![...this.speedSelect.options].some((option) => option.value === speed)) {
      this.speedSelect.prepend(el("option", { attrs: { value: speed } }, `${speed}/s`));
    }
    if (this.speedSelect.value !== speed) this.speedSelect.value = speed;
    if (this.wasPlaying !== app.isRunning) {
      this.wasPlaying = app.isRunning;
      replace(this.playButton, icon(app.isRunning ? ICONS.pause : ICONS.play));
      this.playButton.setAttribute("aria-pressed", String(app.isRunning));
    }
    for (const [name, value] of [
      ["valuemin", firstTick],
      ["valuemax", lastTick],
      ["valuenow", tick],
    ] as const) {
      this.strip.setAttribute(`aria-${name}`, String(value));
    }
    this.draw(tick);
  }

  private part(tick: number): number {
    return (tick - this.app.firstTick) / Math.max(1, this.app.lastTick - this.app.firstTick);
  }

  private draw(tick: number): void {
    const { strip } = this;
    const width = strip.clientWidth;
    if (!width || !this.app.left) return;
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    if (!this.picture) {
      this.picture = this.course(width, ratio);
      strip.width = width * ratio;
      strip.height = HEIGHT * ratio;
    }
    const pen = strip.getContext("2d")!;
    pen.clearRect(0, 0, strip.width, strip.height);
    pen.drawImage(this.picture, 0, 0);
    const x = this.part(tick) * (width - 2);
    pen.save();
    pen.scale(ratio, ratio);
    pen.fillStyle = getComputedStyle(strip).getPropertyValue("--past") || "rgba(128,128,128,.12)";
    pen.fillRect(0, 0, x, HEIGHT);
    pen.fillStyle = getComputedStyle(strip).color;
    pen.fillRect(x, 0, 2, HEIGHT);
    pen.restore();
  }

  /** Draw the parts that do not depend on the tick: lines of held objects and marks of events. */
  private course(width: number, ratio: number): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = width * ratio;
    canvas.height = HEIGHT * ratio;
    const pen = canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    const { left, palette } = this.app;
    const { ticks, teams } = left!.history;
    const most = teams.reduce((top, { held }) => held.reduce((a, b) => Math.max(a, b), top), 1);
    const every = Math.max(1, Math.floor(ticks.length / (2 * width))); // at most two points per pixel
    for (const { team, held } of teams) {
      pen.beginPath();
      pen.moveTo(0, HEIGHT);
      for (let i = 0; i < held.length; i += every) {
        pen.lineTo(this.part(ticks[i]) * width, HEIGHT - 2 - (held[i] / most) * (HEIGHT - 20));
      }
      pen.strokeStyle = teamColour(team, palette);
      pen.lineWidth = 1.5;
      pen.stroke();
      pen.lineTo(width, HEIGHT);
      pen.globalAlpha = 0.12;
      pen.fillStyle = teamColour(team, palette);
      pen.fill();
      pen.globalAlpha = 1;
    }
    this.marks(pen, left!.events, width);
    return canvas;
  }

  private marks(pen: CanvasRenderingContext2D, events: readonly GameEvent[], width: number): void {
    pen.font = "8px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const taken = new Set<string>();
    for (const event of events) {
      const mark = MARKED[event.kind];
      if (!mark) continue;
      const x = Math.round((this.part(event.tick) * (width - 2)) / 3) * 3;
      const place = `${mark.line}/${x}/${event.kind}/${event.team?.index}`;
      if (taken.has(place)) continue;
      taken.add(place);
      pen.fillStyle = event.team ? teamColour(event.team, this.app.palette) : "#999999";
      pen.fillText(mark.sign, x, 1 + mark.line * 8);
    }
  }

  private listen(): void {
    const { strip, app } = this;
    const tickAt = (event: PointerEvent) => {
      const box = strip.getBoundingClientRect();
      const part = Math.min(Math.max((event.clientX - box.left) / Math.max(1, box.width), 0), 1);
      return Math.round(app.firstTick + part * (app.lastTick - app.firstTick));
    };
    strip.addEventListener("pointerdown", (event) => {
      strip.setPointerCapture(event.pointerId);
      app.halt();
      app.seek(tickAt(event));
    });
    strip.addEventListener("pointermove", (event) => {
      if (event.buttons) app.seek(tickAt(event));
      this.showTip(tickAt(event), event);
    });
    strip.addEventListener("pointerleave", () => (this.tip.hidden = true));
  }

  private showTip(tick: number, event: PointerEvent): void {
    const { left } = this.app;
    if (!left) return;
    const reach = Math.max(1, (this.app.lastTick - this.app.firstTick) / Math.max(1, this.strip.clientWidth)) * 3;
    const near = left.events
      .filter((other) => other.kind in MARKED && Math.abs(other.tick - tick) <= reach)
      .slice(0, 3);
    replace(
      this.tip,
      el("b", {}, `Tick ${tick}`),
      ...near.map((other) => el("span", {}, `${other.tick}: ${other.text}`)),
    );
    const box = this.strip.getBoundingClientRect();
    this.tip.style.left = `${Math.min(Math.max(event.clientX - box.left, 90), Math.max(90, box.width - 90))}px`;
    this.tip.hidden = false;
  }
}

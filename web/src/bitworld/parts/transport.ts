import { button, el, icon, setText } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { ReplayState, Story } from "../wire";
import { clock, KINDS, phaseColour, phaseName } from "./words";

const SPEEDS = [1, 2, 3, 4, 8];

/** The controls of a replay: its time line with phases and marks, and the keys of the published viewer as buttons. */
export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly range: HTMLInputElement;
  private readonly strip: HTMLCanvasElement;
  private readonly time = el("output", { class: "time", attrs: { "data-testid": "time" } });
  private readonly error = el("p", { class: "error", attrs: { role: "alert" } });
  private story: Story | null = null;
  private isPlaying = false;
  private isDragging = false;

  constructor(
    press: (text: string) => void,
    private readonly ticksPerSecond: number,
  ) {
    this.play = button("Play or pause", "", () => press(this.isPlaying ? "P" : "p"));
    this.play.classList.add("primary");
    this.play.dataset.testid = "play";
    this.loop = button("Repeat", "M7 7h9a4 4 0 0 1 4 4v1M17 17H8a4 4 0 0 1-4-4v-1M14 4l3 3-3 3M10 20l-3-3 3-3", () =>
      press("r"),
    );
    this.speed = el("select", { class: "field speed", attrs: { "aria-label": "Speed" } });
    for (const speed of SPEEDS) this.speed.append(el("option", { attrs: { value: speed } }, `${speed}×`));
    this.speed.addEventListener("change", () => {
      press(this.speed.value);
      this.speed.blur();
    });
    this.strip = el("canvas", { class: "strip", attrs: { "aria-hidden": "true" } });
    this.range = el("input", {
      class: "seek",
      attrs: { type: "range", min: 0, max: 0, value: 0, "aria-label": "Position", "data-testid": "seek" },
    });
    this.range.addEventListener("input", () => press(`@${this.range.value}`));
    this.range.addEventListener("pointerdown", () => {
      this.isDragging = true;
    });
    for (const name of ["pointerup", "pointercancel", "change"] as const) {
      this.range.addEventListener(name, () => {
        this.isDragging = false;
      });
    }
    this.element = el(
      "footer",
      { class: "transport" },
      this.error,
      el("div", { class: "track" }, this.strip, this.range),
      el(
        "div",
        { class: "row" },
        button("To the start", ICONS.start, () => press(",")),
        button("One tick back", ICONS.back, () => press("b")),
        this.play,
        button("Five seconds forward", ICONS.next, () => press(".")),
        button("To the end", ICONS.end, () => press("e")),
        this.time,
        el("span", { class: "grow" }),
        this.speed,
        this.loop,
      ),
    );
    this.error.hidden = true;
    new ResizeObserver(() => this.draw()).observe(this.strip);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.showPlaying(false);
  }

  show(state: ReplayState): void {
    this.showPlaying(state.isPlaying);
    this.loop.setAttribute("aria-pressed", String(state.isLooping));
    if (document.activeElement !== this.speed) this.speed.value = String(state.speed);
    this.range.max = String(state.length);
    if (!this.isDragging) this.range.value = String(state.position);
    const text = `${clock(state.position, this.ticksPerSecond)} / ${clock(state.length, this.ticksPerSecond)}`;
    setText(this.time, text);
    this.time.title = `Tick ${state.tick}`;
    this.range.setAttribute("aria-valuetext", text);
    this.element.dataset.position = String(state.position);
    this.error.hidden = !state.error;
    setText(this.error, state.error);
  }

  /** Draw the phases and the marks of a story. */
  mark(story: Story): void {
    this.story = story;
    this.draw();
  }

  private showPlaying(isPlaying: boolean): void {
    if (isPlaying === this.isPlaying && this.play.childElementCount > 0) return;
    this.isPlaying = isPlaying;
    this.play.replaceChildren(icon(isPlaying ? ICONS.pause : ICONS.play));
  }

  private draw(): void {
    const { story, strip } = this;
    if (!story || strip.clientWidth === 0) return;
    const ratio = devicePixelRatio || 1;
    strip.width = strip.clientWidth * ratio;
    strip.height = strip.clientHeight * ratio;
    const context = strip.getContext("2d")!;
    const x = (position: number) => (position / Math.max(story.length, 1)) * strip.width;
    const phases = story.events.filter((event) => event.kind === "phase");
    phases.forEach((phase, i) => {
      const end = phases[i + 1]?.position ?? story.position;
      context.fillStyle = phaseColour(phase.text);
      context.fillRect(
        x(phase.position - 1),
        strip.height * 0.3,
        Math.max(x(end) - x(phase.position - 1), 1),
        strip.height * 0.4,
      );
    });
    for (const event of story.events) {
      const mark = KINDS[event.kind]?.mark;
      if (!mark) continue;
      context.fillStyle = mark;
      context.fillRect(x(event.position) - ratio, 0, 2 * ratio, strip.height);
    }
    strip.title = [...new Set(phases.map((phase) => phaseName(phase.text)))].join(", ");
  }
}

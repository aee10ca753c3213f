import { button, el, icon, onClick, setText } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import { clock } from "./words";

const SPEEDS = [1, 2, 4, 8];

export interface ControlState {
  readonly tick: number;
  readonly last: number;
  readonly ticksPerSecond: number;
  readonly isPlaying: boolean;
  readonly isAtEdge: boolean;
  readonly isRunning: boolean;
  readonly hasFrames: boolean;
  /** speed of the match and delay, for people */
  readonly detail: string;
}

interface Actions {
  play(): void;
  live(): void;
  seek(tick: number): void;
  speed(factor: number): void;
}

/** The controls of a match: its time line, playing, and for a running match the way to its newest tick. */
export class MatchControls {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly live = el("button", { class: "button live", attrs: { type: "button", "data-testid": "live" } });
  private readonly start: HTMLButtonElement;
  private readonly range: HTMLInputElement;
  private readonly time = el("output", { class: "time", attrs: { "data-testid": "time" } });
  private readonly detail = el("span", { class: "quiet match-detail", attrs: { "data-testid": "detail" } });
  private isDragging = false;
  private wasPlaying: boolean | null = null;

  constructor(actions: Actions) {
    this.play = button("Play or pause", "", actions.play);
    this.play.classList.add("primary");
    this.play.dataset.testid = "play";
    onClick(this.live, actions.live);
    this.start = button("Watch from the first tick", ICONS.start, () => actions.seek(0), "From the start");
    this.start.dataset.testid = "from-start";
    const speed = el("select", { class: "field speed", attrs: { "aria-label": "Speed" } });
    for (const factor of SPEEDS) speed.append(el("option", { attrs: { value: factor } }, `${factor}×`));
    speed.addEventListener("change", () => actions.speed(Number(speed.value)));
    this.range = el("input", {
      class: "seek",
      attrs: { type: "range", min: 0, max: 0, value: 0, "aria-label": "Tick", "data-testid": "seek" },
    });
    this.range.addEventListener("input", () => actions.seek(Number(this.range.value)));
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
      { class: "transport match-controls" },
      el("div", { class: "track" }, this.range),
      el(
        "div",
        { class: "row" },
        this.play,
        this.live,
        this.start,
        this.time,
        el("span", { class: "grow" }),
        this.detail,
        speed,
      ),
    );
  }

  show(state: ControlState): void {
    const [tick, behind] = [Math.floor(state.tick), Math.max(0, state.last - Math.floor(state.tick))];
    if (state.isPlaying !== this.wasPlaying)
      this.play.replaceChildren(icon(state.isPlaying ? ICONS.pause : ICONS.play));
    this.wasPlaying = state.isPlaying;
    this.play.disabled = this.start.disabled = this.range.disabled = !state.hasFrames;
    this.live.hidden = !state.isRunning;
    this.live.disabled = !state.hasFrames;
    this.live.setAttribute("aria-pressed", String(state.isAtEdge));
    setText(this.live, state.isAtEdge || !state.hasFrames ? "Live" : `Go live (${behind} behind)`);
    this.range.max = String(state.last);
    if (!this.isDragging) this.range.value = String(tick);
    const text = `${clock(tick, state.ticksPerSecond)} / ${clock(state.last, state.ticksPerSecond)}`;
    setText(this.time, text);
    this.time.title = `Tick ${tick}`;
    this.range.setAttribute("aria-valuetext", text);
    this.element.dataset.tick = String(tick);
    setText(this.detail, state.detail);
  }
}

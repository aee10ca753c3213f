import { button, el } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { SceneReader } from "../wire";
import { Painter } from "./painter";
import { listenToPointers } from "./pointer";

const PAN = 60;
const ZOOM = 1.25;
const PANS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [PAN, 0],
  ArrowRight: [-PAN, 0],
  ArrowUp: [0, PAN],
  ArrowDown: [0, -PAN],
};

/** The map of a game on a canvas that fills its place: pan and zoom with keys, buttons, mouse and fingers. */
export class MapView {
  readonly stage: HTMLElement;
  readonly painter: Painter;
  readonly buttons: readonly HTMLElement[];
  private isDrawn = true;

  /** `send` gets what the mouse does on the map, as messages to the game. */
  constructor(
    private readonly scene: () => SceneReader,
    send: (message: Uint8Array<ArrayBuffer>) => void,
    ...overlays: HTMLElement[]
  ) {
    const canvas = el("canvas", {
      class: "map",
      attrs: { role: "img", "aria-label": "The map of the game", tabindex: 0, "data-testid": "map" },
    });
    this.painter = new Painter(canvas);
    this.stage = el("main", { class: "stage" }, canvas, ...overlays);
    this.buttons = [
      button("Zoom out", "M5 12h14", () => this.zoom(1 / ZOOM)),
      button("Zoom in", "M12 5v14M5 12h14", () => this.zoom(ZOOM)),
      button("Show the whole map", ICONS.fit, () => this.fit()),
    ];
    listenToPointers(this.painter, { send, changed: () => this.redraw() });
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  /** Do what a key does; return false for keys that do nothing here. */
  key(event: KeyboardEvent): boolean {
    const pan = PANS[event.key];
    if (pan) {
      this.painter.camera.pan(...pan);
      this.redraw();
    } else if (event.key === "]") this.zoom(ZOOM);
    else if (event.key === "[") this.zoom(1 / ZOOM);
    else if (event.key === "0") this.fit();
    else return false;
    return true;
  }

  redraw(): void {
    if (!this.isDrawn) return;
    this.isDrawn = false;
    requestAnimationFrame(() => {
      this.isDrawn = true;
      this.painter.draw(this.scene());
    });
  }

  private zoom(factor: number): void {
    this.painter.camera.zoom(factor);
    this.redraw();
  }

  private fit(): void {
    this.painter.camera.fit();
    this.redraw();
  }

  private resize(): void {
    const ratio = devicePixelRatio || 1;
    const { canvas } = this.painter;
    canvas.width = Math.max(Math.round(this.stage.clientWidth * ratio), 1);
    canvas.height = Math.max(Math.round(this.stage.clientHeight * ratio), 1);
    this.redraw();
  }
}

import { LAYERS, type Layer } from "../board/view";
import { el, icon } from "../ui/dom";
import { ICONS } from "../ui/icons";
import type { App } from "./app";
import { KEYS } from "./keys";

const NAMES: Readonly<Record<Layer, string>> = {
  territory: "Territory",
  networks: "Networks",
  trail: "Trail",
  fog: "Agent's sight",
  heat: "Heat map",
  bars: "Bars",
  vibes: "Vibes",
  carried: "Carried items",
  talk: "Speech",
  names: "Names",
  grid: "Grid",
};
/** A menu of switches for the layers of the board. */
export class LayerMenu {
  readonly element: HTMLDetailsElement;
  private readonly boxes = new Map<Layer, HTMLInputElement>();

  constructor(private readonly app: App) {
    const rows = LAYERS.map((layer) => {
      const box = el("input", { attrs: { type: "checkbox", "data-layer": layer } });
      box.addEventListener("change", () => app.toggle(layer, box.checked));
      this.boxes.set(layer, box);
      return el("label", {}, box, el("span", { class: "grow" }, NAMES[layer]), el("kbd", {}, keyOf(layer)));
    });
    const summary = el(
      "summary",
      { class: "button", title: "Layers", attrs: { "aria-label": "Layers" } },
      icon(ICONS.layers),
    );
    this.element = el("details", { class: "menu layers" }, summary, el("div", { class: "menu-body" }, ...rows));
    this.update();
  }

  update(): void {
    for (const [layer, box] of this.boxes) box.checked = this.app.layers.has(layer);
  }
}

function keyOf(layer: Layer): string {
  return KEYS.find((key) => key.layer === layer)?.keys[0].toUpperCase() ?? "";
}

import { el } from "../../ui/dom";
import type { GameInfo } from "../wire";
import type { Held } from "./held";

/** part of the pad's radius in which no direction is held */
const DEAD = 0.22;
/** a direction is held beyond this sine or cosine: eight sectors of equal size */
const SECTOR = Math.sin(Math.PI / 8);

/** A touch pad: directions on the left, buttons on the right. Every finger counts for itself. */
export class Pad {
  readonly directions: HTMLElement;
  readonly actions: HTMLElement;
  private readonly arrows: Record<"UP" | "DOWN" | "LEFT" | "RIGHT", HTMLElement>;

  constructor(
    private readonly held: Held,
    private readonly buttons: GameInfo["buttons"],
  ) {
    const arrow = (name: string) => el("i", { class: `arrow arrow-${name}`, attrs: { "aria-hidden": "true" } });
    this.arrows = { UP: arrow("up"), DOWN: arrow("down"), LEFT: arrow("left"), RIGHT: arrow("right") };
    this.directions = el(
      "div",
      { class: "pad-directions", attrs: { role: "group", "aria-label": "Directions", "data-testid": "directions" } },
      ...Object.values(this.arrows),
    );
    this.listen(this.directions, (event) => this.direction(event));
    this.actions = el(
      "div",
      { class: "pad-actions", attrs: { role: "group", "aria-label": "Buttons" } },
      this.action("Select", "SELECT", "pad-select"),
      this.action("B", "B", "pad-b"),
      this.action("A", "A", "pad-a"),
    );
  }

  /** Show which buttons are held, whatever holds them. */
  show(mask: number): void {
    for (const [name, element] of Object.entries(this.arrows)) {
      element.classList.toggle("held", (mask & this.buttons[name as "UP"]) !== 0);
    }
    for (const element of this.actions.children) {
      const name = (element as HTMLElement).dataset.button as "A";
      element.classList.toggle("held", (mask & this.buttons[name]) !== 0);
    }
  }

  private action(label: string, button: "A" | "B" | "SELECT", name: string): HTMLElement {
    const element = el("div", { class: `pad-button ${name}`, attrs: { "data-button": button, role: "img" } }, label);
    element.setAttribute("aria-label", `Button ${label}`);
    this.listen(element, () => this.buttons[button]);
    return element;
  }

  private listen(element: HTMLElement, mask: (event: PointerEvent) => number): void {
    const source = (event: PointerEvent) => `pointer ${event.pointerId}`;
    const end = (event: PointerEvent) => this.held.set(source(event), 0);
    element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      element.setPointerCapture(event.pointerId);
      this.held.set(source(event), mask(event));
    });
    element.addEventListener("pointermove", (event) => {
      if (element.hasPointerCapture(event.pointerId)) this.held.set(source(event), mask(event));
    });
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
    element.addEventListener("lostpointercapture", end);
    element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  private direction(event: PointerEvent): number {
    const box = this.directions.getBoundingClientRect();
    const x = (event.clientX - box.left) / (box.width / 2) - 1;
    const y = (event.clientY - box.top) / (box.height / 2) - 1;
    const { UP, DOWN, LEFT, RIGHT } = this.buttons;
    const length = Math.hypot(x, y);
    if (length < DEAD) return 0;
    const across = Math.abs(x) / length > SECTOR ? (x < 0 ? LEFT : RIGHT) : 0;
    const along = Math.abs(y) / length > SECTOR ? (y < 0 ? UP : DOWN) : 0;
    return across | along;
  }
}

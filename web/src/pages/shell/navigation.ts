import type { ObjectView } from "../../decode";
import type { App } from "../app";
import type { Boards } from "./boards";

/** Minimum pixels per cell for driving a cog comfortably. */
const CLOSE_SCALE = 30;
/** Pixels per keypress. */
const PAN = 120;

/** Moves the cameras of all boards, and the selection from object to object. */
export class Navigation {
  constructor(
    private readonly app: App,
    private readonly boards: Boards,
  ) {}

  fit(): void {
    this.app.follow(false);
    for (const pane of this.boards.panes) pane.camera?.fit();
    this.boards.touch();
  }

  zoom(factor: number): void {
    for (const pane of this.boards.panes) pane.camera?.zoom(factor);
    this.boards.touch();
  }

  pan(columns: number, rows: number): void {
    this.app.follow(false);
    for (const { camera } of this.boards.panes)
      camera?.pan((columns * PAN) / camera.scale, (rows * PAN) / camera.scale);
    this.boards.touch();
  }

  lookAt(x: number, y: number): void {
    for (const pane of this.boards.panes) pane.lookAt(x, y);
  }

  lookAtSelection(): void {
    const { left } = this.app;
    const object = left && this.app.selectedObject(left, left.at(this.app.tick));
    if (object) this.lookAt(object.x, object.y);
  }

  /** Zoom in for driving, unless the whole map is visible at that scale. */
  watchSelection(): void {
    if (globalThis.matchMedia?.("(max-width: 760px)").matches) this.app.openPanel(""); // make room for the board
    const { camera } = this.boards.first;
    if (!camera || camera.fitScale() >= CLOSE_SCALE) return this.fit();
    this.app.follow(true);
    if (camera.scale < CLOSE_SCALE)
      for (const pane of this.boards.panes) pane.camera?.lookAt(camera.x, camera.y, CLOSE_SCALE);
    this.boards.touch();
  }

  /** Select the nearest object in a direction from the selected one, or from the centre of the view. */
  selectTowards(dx: number, dy: number): void {
    const { left } = this.app;
    if (!left) return;
    const frame = left.at(this.app.tick);
    const selected = this.app.selectedObject(left, frame);
    const { camera } = this.boards.first;
    const origin = selected ?? { x: camera?.x ?? 0, y: camera?.y ?? 0 };
    const others = frame.objects.filter((object) => object !== selected);
    const nearest = nearestTowards(others, origin, dx, dy);
    if (!nearest) return;
    this.app.select(nearest.id);
    for (const pane of this.boards.panes) pane.camera?.keepInView(nearest.x + 0.5, nearest.y + 0.5);
    this.boards.touch();
  }
}

/** Return the nearest object in a direction; distance to the side counts double. */
function nearestTowards(
  objects: readonly ObjectView[],
  { x, y }: { x: number; y: number },
  dx: number,
  dy: number,
): ObjectView | null {
  let nearest: ObjectView | null = null;
  let least = Infinity;
  for (const object of objects) {
    const ahead = (object.x - x) * dx + (object.y - y) * dy;
    const aside = Math.abs((object.x - x) * dy) + Math.abs((object.y - y) * dx);
    if (ahead <= 0 || aside > ahead * 2) continue;
    const distance = ahead + aside * 2;
    if (distance < least) [nearest, least] = [object, distance];
  }
  return nearest;
}

import { mouseButtonMessage, mouseMessage } from "../wire";
import type { Painter } from "./painter";

interface Handlers {
  send(message: Uint8Array<ArrayBuffer>): void;
  changed(): void;
}

const BUTTONS: readonly (1 | 2 | 3)[] = [1, 3, 2];
const WHEEL = 0.0015;

/** Pan with one finger or the mouse, zoom with two or the wheel, and report the mouse to the server. */
export function listenToPointers(painter: Painter, handlers: Handlers): void {
  const { canvas, camera } = painter;
  const fingers = new Map<number, { x: number; y: number }>();
  const point = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    const ratio = canvas.width / (box.width || 1);
    return { x: (event.clientX - box.left) * ratio, y: (event.clientY - box.top) * ratio };
  };
  const report = (event: MouseEvent) => {
    const { x, y } = point(event);
    const under = painter.at(x, y);
    if (under) handlers.send(mouseMessage(under.x, under.y, under.layer));
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, point(event));
    report(event);
    const code = BUTTONS[event.button];
    if (code) handlers.send(mouseButtonMessage(code, true));
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    const now = point(event);
    if (!before) return report(event);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const distance = (a: { x: number; y: number }) => Math.hypot(a.x - other.x, a.y - other.y);
      camera.zoom(distance(now) / Math.max(distance(before), 1), (now.x + other.x) / 2, (now.y + other.y) / 2);
      camera.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    } else camera.pan(now.x - before.x, now.y - before.y);
    fingers.set(event.pointerId, now);
    handlers.changed();
  });
  const end = (event: PointerEvent) => {
    const code = BUTTONS[event.button];
    if (fingers.delete(event.pointerId) && code) handlers.send(mouseButtonMessage(code, false));
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { x, y } = point(event);
      camera.zoom(Math.exp(-event.deltaY * WHEEL), x, y);
      handlers.changed();
    },
    { passive: false },
  );
}

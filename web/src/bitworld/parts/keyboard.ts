import type { GameInfo } from "../wire";
import type { Held } from "./held";

type Button = keyof GameInfo["buttons"];

/** `KeyboardEvent.code`, so that WASD has the same place on every keyboard */
export const KEYS: Readonly<Record<string, Button>> = {
  ArrowUp: "UP",
  ArrowDown: "DOWN",
  ArrowLeft: "LEFT",
  ArrowRight: "RIGHT",
  KeyW: "UP",
  KeyS: "DOWN",
  KeyA: "LEFT",
  KeyD: "RIGHT",
  KeyZ: "A",
  KeyJ: "A",
  Space: "A",
  KeyX: "B",
  KeyK: "B",
  Enter: "SELECT",
  ShiftLeft: "SELECT",
  ShiftRight: "SELECT",
};

/** Hold the buttons of pressed keys, except while a field or a control has the focus. */
export function listenToKeys(held: Held, buttons: GameInfo["buttons"]): void {
  const source = (event: KeyboardEvent) => `key ${event.code}`;
  addEventListener("keydown", (event) => {
    const button = KEYS[event.code];
    if (!button || event.ctrlKey || event.metaKey || event.altKey || isControl(event)) return;
    event.preventDefault(); // arrows and space would scroll
    if (!event.repeat) held.set(source(event), buttons[button]);
  });
  addEventListener("keyup", (event) => held.set(source(event), 0));
  addEventListener("blur", () => held.release());
  addEventListener("pagehide", () => held.release());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) held.release();
  });
}

/** Return whether a key belongs to the focused field or button instead of the game. */
export function isControl(event: KeyboardEvent): boolean {
  const { target } = event;
  if (target instanceof HTMLInputElement) return target.type !== "range" || event.code.startsWith("Arrow");
  if (target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLButtonElement && (event.code === "Enter" || event.code === "Space");
}

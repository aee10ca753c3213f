import type { GameInfo } from "../wire";
import type { Held } from "./held";

const TILT = 0.5;

/** Hold the buttons of connected gamepads with the standard layout. Reads them once per drawn frame. */
export function listenToGamepads(held: Held, { UP, DOWN, LEFT, RIGHT, SELECT, A, B }: GameInfo["buttons"]): void {
  const LAYOUT: readonly (readonly [number, number])[] = [
    [0, A],
    [1, B],
    [2, B],
    [3, A],
    [8, SELECT],
    [9, SELECT],
    [12, UP],
    [13, DOWN],
    [14, LEFT],
    [15, RIGHT],
  ];
  let isReading = false;
  const read = () => {
    const pads = navigator.getGamepads?.().filter((pad) => pad !== null) ?? [];
    isReading = pads.length > 0;
    let mask = 0;
    for (const pad of document.hasFocus() ? pads : []) {
      for (const [index, button] of LAYOUT) if (pad.buttons[index]?.pressed) mask |= button;
      const [x = 0, y = 0] = pad.axes;
      mask |= (x < -TILT ? LEFT : 0) | (x > TILT ? RIGHT : 0) | (y < -TILT ? UP : 0) | (y > TILT ? DOWN : 0);
    }
    held.set("gamepad", mask);
    if (isReading) requestAnimationFrame(read);
  };
  addEventListener("gamepadconnected", () => {
    if (!isReading) read();
  });
}

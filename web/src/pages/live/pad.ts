import { el } from "../../ui/dom";
import type { LiveGame } from "./game";

const KEYS = [
  ["move_north", "↑", "north"],
  ["move_west", "←", "west"],
  ["noop", "·", "stay"],
  ["move_east", "→", "east"],
  ["move_south", "↓", "south"],
] as const;
const SECONDS_PER_REPEAT = 0.12;

/** Touch keys for directions, on devices without a keyboard. A held key repeats every step. */
export class Pad {
  readonly element = el("div", {
    class: "pad",
    attrs: { role: "group", "aria-label": "Directions", "data-testid": "pad" },
  });

  constructor(game: LiveGame, goLive: () => void) {
    for (const [action, sign, name] of KEYS) {
      const key = el(
        "button",
        { class: `pad-key is-${name}`, attrs: { type: "button", "aria-label": name, "data-action": action } },
        sign,
      );
      let timer = 0;
      const act = (isRepeated: boolean) => {
        goLive();
        game.driver?.act(action, isRepeated);
      };
      const stop = () => clearInterval(timer);
      key.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        stop();
        act(false);
        timer = window.setInterval(() => act(true), SECONDS_PER_REPEAT * 1000);
      });
      for (const name of ["pointerup", "pointercancel", "pointerleave"] as const) key.addEventListener(name, stop);
      key.addEventListener("click", (event) => event.detail === 0 && act(false)); // by keyboard
      this.element.append(key);
    }
  }
}

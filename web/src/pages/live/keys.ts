import { isSingleKey, isTyping } from "../../ui/shortcuts";
import type { App } from "../app";
import type { LiveBar } from "./bar";
import type { LiveGame } from "./game";
import type { TutorialOverlay } from "./lesson";

interface LiveKey {
  readonly keys: readonly string[];
  readonly group: "Live" | "Driving";
  readonly what: string;
  /** return false to fall back to the key's other meaning */
  run(parts: LiveParts, event: KeyboardEvent): unknown;
}

export interface LiveParts {
  readonly app: App;
  readonly game: LiveGame;
  readonly bar: LiveBar;
  readonly overlay: TutorialOverlay;
}

const move = (keys: string[], action: string, what: string): LiveKey => ({
  keys,
  group: "Driving",
  what,
  run: ({ app, game }, event) => {
    if (!app.isAtEdge) app.goLive();
    game.driver!.act(action, event.repeat);
  },
});

/** Keys of live games; those of `Driving` mean this only while a cog is driven. */
export const LIVE_KEYS: readonly LiveKey[] = [
  { keys: ["Shift+D"], group: "Live", what: "drive the selected cog", run: ({ bar }) => bar.driveSelected() },
  { keys: ["Shift+W"], group: "Live", what: "branch at this tick", run: ({ bar }) => bar.branch() },
  { keys: ["End"], group: "Live", what: "to the newest tick", run: ({ app }) => app.goLive() },
  move(["ArrowUp", "w"], "move_north", "go up"),
  move(["ArrowDown", "s"], "move_south", "go down"),
  move(["ArrowLeft", "a"], "move_west", "go left"),
  move(["ArrowRight", "d"], "move_east", "go right"),
  move(["x", "0"], "noop", "do nothing for a step"),
  { keys: ["e"], group: "Driving", what: "change the vibe", run: ({ bar }) => bar.openVibes() },
  {
    keys: ["Enter"],
    group: "Driving",
    what: "talk",
    run: ({ bar }) => bar.openTalk(),
  },
  { keys: ["h"], group: "Driving", what: "hand the cog back", run: ({ game }) => game.handBack() },
  {
    keys: ["Escape"],
    group: "Driving",
    what: "cancel the planned path",
    run: ({ game }) => {
      if (!game.state?.seats[game.driven]?.plan.length) return false;
      game.driver!.cancel();
      return true;
    },
  },
];

export const LIVE_HINT =
  "While you drive, click on the map to send the cog there and use the object. Shift-click queues the order, Ctrl-click repeats it. Click a cog, or Alt-click anything, to select it.";

const BY_KEY = new Map(LIVE_KEYS.flatMap((key) => key.keys.map((name) => [name, key] as const)));

/** Listen before all other handlers: a handled key is not passed on. */
export function listenToLiveKeys(parts: LiveParts): void {
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      if (isTyping(event) || target.closest("input[type=range], dialog, .vibe-grid")) return;
      if (!parts.app.hasSingleKeys && isSingleKey(event)) return;
      if (event.key === "Enter" && parts.overlay.isOpen) {
        event.preventDefault();
        return parts.overlay.next();
      }
      if (/^( |Enter)$/.test(event.key) && /^(button|summary|a)$/i.test(target.tagName)) return;
      const isLetter = event.key.length === 1 && event.key.toLowerCase() !== event.key.toUpperCase();
      const name = isLetter
        ? event.shiftKey
          ? `Shift+${event.key.toUpperCase()}`
          : event.key.toLowerCase()
        : event.shiftKey
          ? `Shift+${event.key}`
          : event.key;
      const key = BY_KEY.get(name);
      if (!key || (key.group === "Driving" && parts.game.driven < 0)) return;
      if (key.run(parts, event) === false) return;
      event.preventDefault();
    },
    true,
  );
}

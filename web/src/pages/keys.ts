import type { Layer } from "../board/view";
import { isSingleKey, isTyping } from "../ui/shortcuts";
import type { App, PanelName } from "./app";

/** Actions of keys beyond changing the state. */
export interface Actions {
  openFile(): void;
  openBeside(): void;
  copyLink(): void;
  savePicture(): void;
  saveTable(): void;
  showHelp(): void;
  closeAll(): boolean;
  toEvent(direction: 1 | -1): void;
  fit(): void;
  zoom(factor: number): void;
  pan(columns: number, rows: number): void;
  lookAtSelection(): void;
  selectTowards(dx: number, dy: number): void;
  search(): void;
}

interface Key {
  /** as `KeyboardEvent.key`, prefixed with `Shift+` or `Alt+` */
  readonly keys: readonly string[];
  readonly group: "Playback" | "View" | "Selection" | "Layers" | "Panels" | "Page";
  readonly what: string;
  /** the layer that it toggles */
  readonly layer?: Layer;
  run(app: App, actions: Actions): void;
}

const layer = (key: string, name: Layer, what: string): Key => ({
  keys: [key],
  group: "Layers",
  what,
  layer: name,
  run: (app) => app.toggle(name),
});

const panel = (key: string, name: PanelName, what: string): Key => ({
  keys: [key],
  group: "Panels",
  what,
  run: (app) => app.openPanel(app.panel === name ? "" : name),
});

/** One table for the key handlers and the help page. */
export const KEYS: readonly Key[] = [
  { keys: [" "], group: "Playback", what: "play or pause", run: (app) => app.play(!app.isRunning) },
  { keys: ["ArrowRight", "]"], group: "Playback", what: "one step forward", run: (app) => app.step(1) },
  { keys: ["ArrowLeft", "["], group: "Playback", what: "one step back", run: (app) => app.step(-1) },
  { keys: ["Shift+ArrowRight"], group: "Playback", what: "ten steps forward", run: (app) => app.step(10) },
  { keys: ["Shift+ArrowLeft"], group: "Playback", what: "ten steps back", run: (app) => app.step(-10) },
  { keys: ["PageDown"], group: "Playback", what: "a hundred steps forward", run: (app) => app.step(100) },
  { keys: ["PageUp"], group: "Playback", what: "a hundred steps back", run: (app) => app.step(-100) },
  { keys: ["Home"], group: "Playback", what: "first tick", run: (app) => app.seek(app.firstTick) },
  { keys: ["End"], group: "Playback", what: "last tick", run: (app) => app.seek(app.lastTick) },
  { keys: ["n"], group: "Playback", what: "next event", run: (_, actions) => actions.toEvent(1) },
  { keys: ["p"], group: "Playback", what: "previous event", run: (_, actions) => actions.toEvent(-1) },
  { keys: ["=", "+"], group: "Playback", what: "faster", run: (app) => app.faster(1) },
  { keys: ["-"], group: "Playback", what: "slower", run: (app) => app.faster(-1) },

  { keys: ["e"], group: "View", what: "zoom in", run: (_, actions) => actions.zoom(1.35) },
  { keys: ["q"], group: "View", what: "zoom out", run: (_, actions) => actions.zoom(1 / 1.35) },
  { keys: ["w"], group: "View", what: "pan up", run: (_, actions) => actions.pan(0, -1) },
  { keys: ["s"], group: "View", what: "pan down", run: (_, actions) => actions.pan(0, 1) },
  { keys: ["a"], group: "View", what: "pan left", run: (_, actions) => actions.pan(-1, 0) },
  { keys: ["d"], group: "View", what: "pan right", run: (_, actions) => actions.pan(1, 0) },
  { keys: ["z"], group: "View", what: "show the whole map", run: (_, actions) => actions.fit() },
  { keys: ["f"], group: "View", what: "follow the selected object", run: (app) => app.follow(!app.isFollowing) },
  {
    keys: ["Enter"],
    group: "View",
    what: "go to the selected object",
    run: (_, actions) => actions.lookAtSelection(),
  },

  { keys: ["."], group: "Selection", what: "next agent", run: (app) => app.selectAgent(1) },
  { keys: [","], group: "Selection", what: "previous agent", run: (app) => app.selectAgent(-1) },
  {
    keys: ["Alt+ArrowUp"],
    group: "Selection",
    what: "select the nearest object above",
    run: (_, actions) => actions.selectTowards(0, -1),
  },
  {
    keys: ["Alt+ArrowDown"],
    group: "Selection",
    what: "select the nearest object below",
    run: (_, actions) => actions.selectTowards(0, 1),
  },
  {
    keys: ["Alt+ArrowLeft"],
    group: "Selection",
    what: "select the nearest object to the left",
    run: (_, actions) => actions.selectTowards(-1, 0),
  },
  {
    keys: ["Alt+ArrowRight"],
    group: "Selection",
    what: "select the nearest object to the right",
    run: (_, actions) => actions.selectTowards(1, 0),
  },
  { keys: ["/"], group: "Selection", what: "search", run: (_, actions) => actions.search() },
  {
    keys: ["Escape"],
    group: "Selection",
    what: "close, or clear the selection",
    run: (app, actions) => void (actions.closeAll() || app.select(0)),
  },

  layer("t", "territory", "territory"),
  layer("j", "networks", "networks of junctions"),
  layer("r", "trail", "trail of the selected object"),
  layer("v", "fog", "sight of the selected agent"),
  layer("h", "heat", "heat map"),
  layer("b", "bars", "health and energy"),
  layer("i", "vibes", "vibes"),
  layer("c", "carried", "carried items"),
  layer("k", "talk", "speech"),
  layer("l", "names", "names"),
  layer("g", "grid", "grid"),
  { keys: ["m"], group: "Layers", what: "minimap", run: (app) => app.set("hasMinimap", !app.hasMinimap) },

  panel("1", "agent", "agent or object"),
  panel("2", "sight", "observation of the agent"),
  panel("3", "events", "events"),
  panel("4", "charts", "charts"),
  panel("5", "heat", "heat maps"),
  panel("6", "search", "search"),
  panel("7", "score", "score"),
  panel("8", "stats", "stats"),
  panel("9", "talk", "talk and monologue"),
  panel("0", "info", "about the replay"),
  { keys: ["Shift+C"], group: "Panels", what: "comparison", run: (app) => app.openPanel("compare") },

  { keys: ["Shift+O"], group: "Page", what: "open a file", run: (_, actions) => actions.openFile() },
  {
    keys: ["Shift+B"],
    group: "Page",
    what: "open a second replay beside this one",
    run: (_, actions) => actions.openBeside(),
  },
  { keys: ["Shift+L"], group: "Page", what: "copy a link to this tick", run: (_, actions) => actions.copyLink() },
  { keys: ["Shift+P"], group: "Page", what: "save the board as a picture", run: (_, actions) => actions.savePicture() },
  { keys: ["Shift+E"], group: "Page", what: "save the panel's table as CSV", run: (_, actions) => actions.saveTable() },
  {
    keys: ["x"],
    group: "Page",
    what: "switch theme",
    run: (app) => app.set("theme", app.themeNow.name === "dark" ? "light" : "dark"),
  },
  {
    keys: ["y"],
    group: "Page",
    what: "colour-blind palette",
    run: (app) => app.set("palette", app.palette === "standard" ? "colour-blind" : "standard"),
  },
  { keys: ["?"], group: "Page", what: "help", run: (_, actions) => actions.showHelp() },
];

const BY_KEY = new Map(KEYS.flatMap((key) => key.keys.map((name) => [name, key] as const)));

export function listenToKeys(app: App, actions: Actions): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    const isField = isTyping(event) || /^input$/i.test(target.tagName);
    if (isField && (event.key !== "Escape" || event.isComposing)) return;
    if (!app.hasSingleKeys && isSingleKey(event)) return;
    if (event.key === " " && /^(button|summary|a)$/i.test(target.tagName)) return;
    if (event.key === "Enter" && /^(button|summary|a)$/i.test(target.tagName)) return;
    const isLetter = event.key.length === 1 && event.key.toLowerCase() !== event.key.toUpperCase();
    const shift = event.shiftKey && (isLetter || event.key.startsWith("Arrow")) ? "Shift+" : "";
    const name = `${event.altKey ? "Alt+" : ""}${shift}${event.key}`;
    const key = BY_KEY.get(name) ?? (event.altKey || shift ? undefined : BY_KEY.get(event.key.toLowerCase()));
    if (!key) return;
    event.preventDefault();
    if (isField) target.blur();
    key.run(app, actions);
  });
}

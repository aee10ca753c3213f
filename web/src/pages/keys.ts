import type { Layer } from "../board/view";
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
  readonly group: "Time" | "Looking" | "Choosing" | "Layers" | "Panels" | "Page";
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
  { keys: [" "], group: "Time", what: "play or pause", run: (app) => app.play(!app.isRunning) },
  { keys: ["ArrowRight", "]"], group: "Time", what: "one step forward", run: (app) => app.step(1) },
  { keys: ["ArrowLeft", "["], group: "Time", what: "one step back", run: (app) => app.step(-1) },
  { keys: ["Shift+ArrowRight"], group: "Time", what: "ten steps forward", run: (app) => app.step(10) },
  { keys: ["Shift+ArrowLeft"], group: "Time", what: "ten steps back", run: (app) => app.step(-10) },
  { keys: ["PageDown"], group: "Time", what: "a hundred steps forward", run: (app) => app.step(100) },
  { keys: ["PageUp"], group: "Time", what: "a hundred steps back", run: (app) => app.step(-100) },
  { keys: ["Home"], group: "Time", what: "to the beginning", run: (app) => app.seek(app.firstTick) },
  { keys: ["End"], group: "Time", what: "to the end", run: (app) => app.seek(app.lastTick) },
  { keys: ["n"], group: "Time", what: "next event", run: (_, actions) => actions.toEvent(1) },
  { keys: ["p"], group: "Time", what: "previous event", run: (_, actions) => actions.toEvent(-1) },
  { keys: ["=", "+"], group: "Time", what: "faster", run: (app) => app.faster(1) },
  { keys: ["-"], group: "Time", what: "slower", run: (app) => app.faster(-1) },

  { keys: ["e"], group: "Looking", what: "closer", run: (_, actions) => actions.zoom(1.35) },
  { keys: ["q"], group: "Looking", what: "farther", run: (_, actions) => actions.zoom(1 / 1.35) },
  { keys: ["w"], group: "Looking", what: "up", run: (_, actions) => actions.pan(0, -1) },
  { keys: ["s"], group: "Looking", what: "down", run: (_, actions) => actions.pan(0, 1) },
  { keys: ["a"], group: "Looking", what: "left", run: (_, actions) => actions.pan(-1, 0) },
  { keys: ["d"], group: "Looking", what: "right", run: (_, actions) => actions.pan(1, 0) },
  { keys: ["z"], group: "Looking", what: "the whole map", run: (_, actions) => actions.fit() },
  { keys: ["f"], group: "Looking", what: "follow the selected object", run: (app) => app.follow(!app.isFollowing) },
  {
    keys: ["Enter"],
    group: "Looking",
    what: "go to the selected object",
    run: (_, actions) => actions.lookAtSelection(),
  },

  { keys: ["."], group: "Choosing", what: "next agent", run: (app) => app.selectAgent(1) },
  { keys: [","], group: "Choosing", what: "previous agent", run: (app) => app.selectAgent(-1) },
  {
    keys: ["Alt+ArrowUp"],
    group: "Choosing",
    what: "select the nearest object above",
    run: (_, actions) => actions.selectTowards(0, -1),
  },
  {
    keys: ["Alt+ArrowDown"],
    group: "Choosing",
    what: "select the nearest object below",
    run: (_, actions) => actions.selectTowards(0, 1),
  },
  {
    keys: ["Alt+ArrowLeft"],
    group: "Choosing",
    what: "select the nearest object to the left",
    run: (_, actions) => actions.selectTowards(-1, 0),
  },
  {
    keys: ["Alt+ArrowRight"],
    group: "Choosing",
    what: "select the nearest object to the right",
    run: (_, actions) => actions.selectTowards(1, 0),
  },
  { keys: ["/"], group: "Choosing", what: "search", run: (_, actions) => actions.search() },
  {
    keys: ["Escape"],
    group: "Choosing",
    what: "close, or select nothing",
    run: (app, actions) => void (actions.closeAll() || app.select(0)),
  },

  layer("t", "territory", "territory"),
  layer("j", "networks", "networks of junctions"),
  layer("r", "trail", "trail of the selected object"),
  layer("v", "fog", "only what the selected agent sees"),
  layer("h", "heat", "heat map"),
  layer("b", "bars", "health and energy"),
  layer("i", "vibes", "vibes"),
  layer("c", "carried", "carried things"),
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
    what: "colours for the colour-blind",
    run: (app) => app.set("palette", app.palette === "standard" ? "colour-blind" : "standard"),
  },
  { keys: ["?"], group: "Page", what: "this page", run: (_, actions) => actions.showHelp() },
];

const BY_KEY = new Map(KEYS.flatMap((key) => key.keys.map((name) => [name, key] as const)));

export function listenToKeys(app: App, actions: Actions): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    const isTyping = /^(input|select|textarea)$/i.test(target.tagName);
    if (isTyping && event.key !== "Escape") return;
    if (event.key === " " && /^(button|summary|a)$/i.test(target.tagName)) return;
    if (event.key === "Enter" && /^(button|summary|a)$/i.test(target.tagName)) return;
    const isLetter = event.key.length === 1 && event.key.toLowerCase() !== event.key.toUpperCase();
    const shift = event.shiftKey && (isLetter || event.key.startsWith("Arrow")) ? "Shift+" : "";
    const name = `${event.altKey ? "Alt+" : ""}${shift}${event.key}`;
    const key = BY_KEY.get(name) ?? (event.altKey || shift ? undefined : BY_KEY.get(event.key.toLowerCase()));
    if (!key) return;
    event.preventDefault();
    if (isTyping) target.blur();
    key.run(app, actions);
  });
}

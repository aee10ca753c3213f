import { LAYERS, type Layer } from "../board/view";
import { type PaletteName, THEMES, type Theme, type ThemeName } from "../board/palette";
import type { Episode, Frame, HeatKind, ObjectView } from "../decode";

/** What may have changed, so that whoever shows it knows. */
export type Change = "replay" | "tick" | "playing" | "selection" | "settings" | "panel" | "hover";

export const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export type PanelName =
  | "agent"
  | "sight"
  | "events"
  | "charts"
  | "heat"
  | "search"
  | "score"
  | "stats"
  | "talk"
  | "info"
  | "compare";

/** Whose visits, captures or deaths a heat map counts. */
export type HeatWho = "all" | "selected" | number;

/** The state of the page, and the one way to change it. It knows nothing of how it is shown. */
export class App {
  left: Episode | null = null;
  right: Episode | null = null;
  /** where the replay came from when it has an address; "" otherwise */
  address = "";
  rightAddress = "";

  /** with a fraction while playing */
  time = 0;
  isPlaying = false;
  speed = 10;
  /** the engine's id of the selected object, or 0 */
  selectedId = 0;
  isFollowing = false;
  panel: PanelName | "" = "agent";

  layers = new Set<Layer>(["territory", "networks", "trail", "bars", "vibes", "carried", "talk"]);
  theme: ThemeName | "auto" = "auto";
  palette: PaletteName = "standard";
  hasMinimap = true;
  heatKind: HeatKind = "visits";
  heatWho: HeatWho = "all";
  hiddenTeams = new Set<string>();
  /** a cell that the pointer is over, or null */
  hovered: readonly [number, number] | null = null;

  private readonly listeners: ((changes: ReadonlySet<Change>) => void)[] = [];
  private readonly pending = new Set<Change>();

  /** Called soon after any change, once for all changes of a moment. */
  onChange(listener: (changes: ReadonlySet<Change>) => void): void {
    this.listeners.push(listener);
  }

  changed(change: Change): void {
    if (!this.pending.size) {
      queueMicrotask(() => {
        const changes = new Set(this.pending);
        this.pending.clear();
        for (const listener of this.listeners) listener(changes);
      });
    }
    this.pending.add(change);
  }

  get tick(): number {
    return this.left ? this.left.replay.clamp(Math.floor(this.time)) : 0;
  }

  get firstTick(): number {
    return Math.min(this.left?.replay.firstTick ?? 0, this.right?.replay.firstTick ?? Infinity);
  }

  get lastTick(): number {
    return Math.max(this.left?.replay.lastTick ?? 0, this.right?.replay.lastTick ?? 0);
  }

  show(episode: Episode, address: string): void {
    this.left = episode;
    this.right = null;
    this.address = address;
    this.time = episode.replay.firstTick;
    this.isPlaying = false;
    this.selectedId = 0;
    this.isFollowing = false;
    if (this.panel === "compare") this.panel = "agent";
    this.changed("replay");
  }

  showBeside(episode: Episode | null, address: string): void {
    this.right = episode;
    this.rightAddress = address;
    if (episode) this.panel = "compare";
    this.changed("replay");
  }

  seek(tick: number): void {
    const first = this.firstTick;
    this.time = Math.min(Math.max(Math.round(tick) || 0, first), this.lastTick);
    this.changed("tick");
  }

  step(ticks: number): void {
    this.isPlaying = false;
    this.changed("playing");
    this.seek(Math.floor(this.time) + ticks);
  }

  play(isPlaying: boolean): void {
    if (isPlaying && Math.floor(this.time) >= this.lastTick) this.time = this.firstTick;
    this.isPlaying = isPlaying && this.left !== null;
    if (!isPlaying) this.time = Math.floor(this.time);
    this.changed("playing");
    this.changed("tick");
  }

  setSpeed(speed: number): void {
    this.speed = Math.min(Math.max(speed, 0.1), 1000);
    this.changed("playing");
  }

  faster(by: number): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speed);
    this.setSpeed(SPEEDS[Math.min(Math.max((at < 0 ? SPEEDS.length : at) + by, 0), SPEEDS.length - 1)]);
  }

  /** Let time pass; returns whether the picture changes. */
  advance(seconds: number): boolean {
    if (!this.isPlaying) return false;
    const before = Math.floor(this.time);
    this.time += seconds * this.speed;
    if (this.time >= this.lastTick) {
      this.time = this.lastTick;
      this.isPlaying = false;
      this.changed("playing");
    }
    if (Math.floor(this.time) !== before) this.changed("tick");
    return true;
  }

  select(id: number): void {
    if (id === this.selectedId) return;
    this.selectedId = id;
    if (!id) this.isFollowing = false;
    this.changed("selection");
  }

  follow(isFollowing: boolean): void {
    this.isFollowing = isFollowing && this.selectedId !== 0;
    this.changed("selection");
  }

  /** The next agent, or the one before. */
  selectAgent(by: number): void {
    const { left } = this;
    if (!left) return;
    const agents = [...left.replay.agentObjects].filter((number) => number >= 0);
    const at = agents.indexOf(this.selectedNumber(left));
    const next = at < 0 ? (by > 0 ? 0 : agents.length - 1) : (at + by + agents.length) % agents.length;
    if (agents.length) this.select(left.replay.parts.ids[agents[next]]);
  }

  selectedNumber(episode: Episode): number {
    return this.selectedId ? episode.numberOf(this.selectedId) : -1;
  }

  /** The selected object as it is now; null without one, or when it is not on the map. */
  selectedObject(episode: Episode, frame: Frame): ObjectView | null {
    const number = this.selectedNumber(episode);
    return number < 0 ? null : (frame.objects.find((object) => object.number === number) ?? null);
  }

  toggle(layer: Layer, on = !this.layers.has(layer)): void {
    if (on) this.layers.add(layer);
    else this.layers.delete(layer);
    this.changed("settings");
  }

  openPanel(panel: PanelName | ""): void {
    this.panel = panel;
    this.changed("panel");
  }

  set<K extends "theme" | "palette" | "hasMinimap" | "heatKind" | "heatWho">(key: K, value: App[K]): void {
    (this as App)[key] = value;
    this.changed("settings");
  }

  get themeNow(): Theme {
    const isDark = globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ?? true;
    return THEMES[this.theme === "auto" ? (isDark ? "dark" : "light") : this.theme];
  }

  /** Settings as a browser remembers them. */
  save(): Record<string, unknown> {
    const { theme, palette, hasMinimap } = this;
    return { theme, palette, hasMinimap, layers: [...this.layers] };
  }

  restore(saved: unknown): void {
    if (typeof saved !== "object" || saved === null) return;
    const { theme, palette, hasMinimap, layers } = saved as Record<string, unknown>;
    if (theme === "dark" || theme === "light" || theme === "auto") this.theme = theme;
    if (palette === "standard" || palette === "colour-blind") this.palette = palette;
    if (typeof hasMinimap === "boolean") this.hasMinimap = hasMinimap;
    if (Array.isArray(layers)) this.layers = new Set(LAYERS.filter((layer) => layers.includes(layer)));
  }
}

import { type PaletteName, THEMES, type Theme, type ThemeName } from "../board/palette";
import { LAYERS, type Layer, type LiveMarks } from "../board/view";
import type { Episode, Frame, HeatKind, ObjectView } from "../decode";

/** Kinds of changes, for listeners. */
export type Change = "replay" | "tick" | "playing" | "selection" | "settings" | "panel" | "hover" | "live" | "grown";

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

/** The agents whose visits, captures or deaths a heat map counts. */
export type HeatWho = "all" | "selected" | number;

/** Seconds of the animation to the newest tick of a live game: smooth without a visible delay. */
const GLIDE = 0.08;

/** A running game. At its newest tick, the page's clock controls the game. */
export interface Live {
  /** whether the page's clock controls the game at its newest tick; spectators of a match cannot */
  readonly canSteer: boolean;
  readonly isRunning: boolean;
  readonly isOver: boolean;
  readonly speed: number;
  /** version of its displayed state and its replays */
  readonly version: number;
  readonly grown: number;
  /** the agent that this page drives, or -1 */
  readonly driven: number;
  play(on: boolean): void;
  step(count: number): void;
  setSpeed(speed: number): void;
  canDrive(agent: number): boolean;
  /** the driver of an agent: `you`, a name, or null for its policy */
  driverOf(agent: number): string | null;
  drive(agent: number, force?: boolean): void;
  handBack(): void;
  marksFor(episode: Episode): LiveMarks;
}

/** The state of the page, and the only way to change it. It does not depend on the display. */
export class App {
  left: Episode | null = null;
  right: Episode | null = null;
  /** the address of the replay; "" if it has none */
  address = "";
  rightAddress = "";
  /** path of the page about this replay; "" without one */
  page = "";

  /** null for a replay */
  live: Live | null = null;
  /** token of the live game; "" for a replay */
  token = "";
  /** whether the page follows the newest tick of a live game */
  isAtEdge = false;

  /** with a fraction while playing */
  time = 0;
  isPlaying = false;
  /** whether a replay loops */
  isLooping = false;
  speed = 10;
  /** the engine's id of the selected object, or 0 */
  selectedId = 0;
  isFollowing = false;
  panel: PanelName | "" = "agent";

  layers = new Set<Layer>(["territory", "networks", "trail", "bars", "vibes", "carried", "talk"]);
  theme: ThemeName | "auto" = "auto";
  palette: PaletteName = "standard";
  hasMinimap = true;
  /** whether letters, digits and signs are shortcuts */
  hasSingleKeys = true;
  heatKind: HeatKind = "visits";
  heatWho: HeatWho = "all";
  hiddenTeams = new Set<string>();
  /** the cell under the pointer, or null */
  hovered: readonly [number, number] | null = null;

  private readonly listeners: ((changes: ReadonlySet<Change>) => void)[] = [];
  private readonly pending = new Set<Change>();

  /** Register a listener. It is called soon after a change, once for all changes of a frame. */
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
    const [left, right] = [this.left?.replay.lastTick ?? 0, this.right?.replay.lastTick ?? 0];
    return this.live ? left : Math.max(left, right);
  }

  /** Return whether play, step and speed control a live game. */
  get isSteering(): boolean {
    return this.live?.canSteer === true && this.isAtEdge && !this.live.isOver;
  }

  /** Return whether the displayed time advances. */
  get isRunning(): boolean {
    if (this.live && this.isAtEdge && !this.live.isOver) return this.live.isRunning;
    return this.isPlaying;
  }

  get speedNow(): number {
    return (this.isSteering && this.live!.speed) || this.speed;
  }

  /** Return whether the animation to the newest tick is running. */
  get isGliding(): boolean {
    return this.isAtEdge && this.time < this.lastTick;
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

  /** Show lines of a live game; keep the tick and the selection if possible. */
  showLines(left: Episode, right: Episode | null): void {
    this.selectedId = this.left ? counterpart(left, this.left, this.selectedId) : 0;
    this.left = left;
    if (right && !this.right) this.panel = "compare";
    if (!right && this.panel === "compare") this.panel = "agent";
    this.right = right;
    this.isPlaying = false;
    this.time = Math.min(Math.max(Math.floor(this.time), this.firstTick), this.lastTick);
    if (this.isAtEdge) this.time = this.lastTick;
    this.changed("replay");
    this.changed("tick");
  }

  /** Handle new ticks of a live game. */
  hasGrown(): void {
    if (this.isAtEdge) this.changed("tick");
  }

  /** Go to the newest tick of a live game and follow it. */
  goLive(): void {
    if (!this.live) return;
    this.isAtEdge = true;
    this.isPlaying = false;
    this.time = this.lastTick;
    this.changed("playing");
    this.changed("tick");
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
    this.isAtEdge = this.live !== null && this.time >= this.lastTick;
    this.changed("tick");
  }

  step(ticks: number): void {
    if (this.isSteering && ticks > 0) return this.live!.step(ticks);
    this.isPlaying = false;
    this.changed("playing");
    this.seek(Math.floor(this.time) + ticks);
  }

  play(isPlaying: boolean): void {
    if (this.isSteering) return this.live!.play(isPlaying);
    if (isPlaying && this.live?.canSteer === false && !this.live.isOver && this.time >= this.lastTick)
      return this.goLive();
    if (isPlaying || this.live?.canSteer === false) this.isAtEdge = false;
    if (isPlaying && Math.floor(this.time) >= this.lastTick) this.time = this.firstTick;
    this.isPlaying = isPlaying && this.left !== null;
    if (!isPlaying) this.time = Math.floor(this.time);
    this.changed("playing");
    this.changed("tick");
  }

  setSpeed(speed: number): void {
    if (this.isSteering) return this.live!.setSpeed(speed);
    this.speed = Math.min(Math.max(speed, 0.1), 1000);
    this.changed("playing");
  }

  faster(by: number): void {
    const at = SPEEDS.findIndex((speed) => speed >= this.speedNow);
    this.setSpeed(SPEEDS[Math.min(Math.max((at < 0 ? SPEEDS.length : at) + by, 0), SPEEDS.length - 1)]);
  }

  /** Stop following; a live game continues. */
  halt(): void {
    this.isPlaying = false;
    this.time = Math.floor(this.time);
    this.changed("playing");
  }

  /** Advance time; return whether the display changes. */
  advance(seconds: number): boolean {
    if (this.isAtEdge) return this.glide(seconds);
    if (!this.isPlaying) return false;
    const before = Math.floor(this.time);
    this.time += seconds * this.speed;
    if (this.time >= this.lastTick && this.isLooping && before >= this.lastTick) {
      this.time = this.firstTick;
    } else if (this.time >= this.lastTick && this.isLooping) {
      this.time = this.lastTick; // show the last tick before looping
    } else if (this.time >= this.lastTick) {
      this.time = this.lastTick;
      this.isPlaying = false;
      this.isAtEdge = this.live !== null;
      this.changed("playing");
    }
    if (Math.floor(this.time) !== before) this.changed("tick");
    return true;
  }

  private glide(seconds: number): boolean {
    const { lastTick } = this;
    if (this.time >= lastTick) return false;
    const before = Math.floor(this.time);
    this.time = Math.min(lastTick, Math.max(this.time, lastTick - 1) + seconds / GLIDE);
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

  /** Select the next or previous agent. */
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

  /** Return the selected object at this tick; null if none is selected or it is not on the map. */
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

  set<K extends "theme" | "palette" | "hasMinimap" | "hasSingleKeys" | "heatKind" | "heatWho">(
    key: K,
    value: App[K],
  ): void {
    (this as App)[key] = value;
    this.changed("settings");
  }

  get themeNow(): Theme {
    const isDark = globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ?? true;
    return THEMES[this.theme === "auto" ? (isDark ? "dark" : "light") : this.theme];
  }

  /** Return the settings to store. */
  save(): Record<string, unknown> {
    const { theme, palette, hasMinimap, hasSingleKeys } = this;
    return { theme, palette, hasMinimap, hasSingleKeys, layers: [...this.layers] };
  }

  /** Apply stored settings; ignore invalid ones. */
  restore(saved: unknown): void {
    if (typeof saved !== "object" || saved === null) return;
    const { theme, palette, hasMinimap, hasSingleKeys, layers } = saved as Record<string, unknown>;
    if (theme === "dark" || theme === "light" || theme === "auto") this.theme = theme;
    if (palette === "standard" || palette === "colour-blind") this.palette = palette;
    if (typeof hasMinimap === "boolean") this.hasMinimap = hasMinimap;
    if (typeof hasSingleKeys === "boolean") this.hasSingleKeys = hasSingleKeys;
    if (Array.isArray(layers)) this.layers = new Set(LAYERS.filter((layer) => layers.includes(layer)));
  }
}

/**
 * Return the id of the corresponding object in another replay: the same agent, or an object of the same type; 0 for
 * none.
 */
function counterpart(next: Episode, before: Episode, id: number): number {
  const [was, is] = [before.numberOf(id), next.numberOf(id)];
  const agent = was < 0 ? -1 : before.replay.parts.agentOf[was];
  if (agent >= 0) return next.replay.parts.ids[next.replay.agentObjects[agent]] ?? 0;
  return was >= 0 && is >= 0 && next.replay.typeName(is) === before.replay.typeName(was) ? id : 0;
}

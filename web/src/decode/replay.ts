import { Field, type Rows } from "./rows";
import { Cursor, Timeline } from "./timeline";

/** Resources of an object that share one limit; rows refer to it by `key`. */
export interface Limit {
  key: number;
  name: string;
  /** null if the file does not record them; then `key` is a position in `capacities` */
  resources: readonly number[] | null;
}

/** Properties that objects of one kind share. */
export interface Kind {
  typeName: string;
  /** its name in maps; "" when unknown */
  cell: string;
  isAgent: boolean;
  groupId: number;
  groupName: string;
  limits: readonly Limit[];
}

/** A value that is not a number, valid from a tick on. */
export interface Note<T> {
  tick: number;
  value: T;
}

export interface Talk {
  text: string;
  /** steps it is shown, counted from the tick of the note */
  steps: number;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Notes of one agent, each list in order of time. */
export interface AgentNotes {
  talk: Note<Talk>[];
  infos: Note<JsonObject>[];
  /** `value` is the added text; `reset` means that it replaces the earlier text */
  monologue: (Note<string> & { reset: boolean })[];
}

/** The content of a file of any format. */
export interface ReplayParts {
  /** the name of the format, such as `v4` */
  format: string;
  label: string;
  engine: string;
  seed: number | null;
  width: number;
  height: number;
  numAgents: number;
  /** the limit in the config; 0 for none */
  maxSteps: number;
  firstTick: number;
  lastTick: number;
  /** whether the file has the state before the first step */
  hasStart: boolean;
  /** whether the file records requested actions, not only executed ones */
  hasAsked: boolean;
  actionNames: readonly string[];
  animationNames: readonly string[];
  resourceNames: readonly string[];
  tagNames: readonly string[];
  vibeNames: readonly string[];
  statNames: readonly string[];
  territoryNames: readonly string[];
  /**
   * Global values whose observed amounts are recorded, in the order of their keys. Null if the file does not record
   * them; then it also does not mark objects that are observed without their inventory.
   */
  observedValues: readonly string[] | null;
  /** faults of the published engine that the game corrects */
  corrections: readonly string[];
  capacities: readonly Limit[];
  kinds: readonly Kind[];
  ids: Int32Array;
  kindOf: Int32Array;
  /** agent id of each object, -1 for others */
  agentOf: Int32Array;
  rows: Rows;
  notes: readonly AgentNotes[];
  /** running sums of rewards if the file stores them: [agent] in order of time */
  totals: readonly Note<number>[][] | null;
  policyEnvInterface: JsonObject;
  config: JsonObject;
  /** stats at the end: of the game, and per agent or as means over the agents */
  gameStats: Readonly<Record<string, number>>;
  agentStats: readonly Readonly<Record<string, number>>[];
  meanStats: Readonly<Record<string, number>>;
}

export const STATIC_TYPE = "wall";

/** One episode: the content of the file, with access to every tick. It may grow while the game runs. */
export class Replay {
  readonly timeline: Timeline;
  /** number of each agent's object, -1 if it never appeared */
  readonly agentObjects: Int32Array;
  /** constant walls: drawn once */
  walls: readonly number[] = [];
  /** all other objects, agents included */
  nonWalls: readonly number[] = [];
  /** version of `walls` and `nonWalls`, incremented when they change */
  shape = 0;

  constructor(
    readonly parts: Omit<ReplayParts, "rows">,
    rows: Rows,
  ) {
    this.timeline = new Timeline(rows, parts.firstTick, parts.lastTick);
    this.agentObjects = new Int32Array(parts.numAgents).fill(-1);
    this.findAgents();
    this.sortOut();
  }

  /** Append new objects; their numbers follow the existing ones. */
  addObjects(ids: Int32Array, kindOf: Int32Array, agentOf: Int32Array): void {
    const { parts } = this;
    parts.ids = joined(parts.ids, ids);
    parts.kindOf = joined(parts.kindOf, kindOf);
    parts.agentOf = joined(parts.agentOf, agentOf);
    this.findAgents();
    this.sortOut();
  }

  /** Append ticks after the last one. */
  append(rows: Rows, lastTick: number): void {
    const isWall = (row: number) => rows.field[row] < Field.stat && this.typeName(rows.object[row]) === STATIC_TYPE;
    let hasWall = false;
    for (let row = 0; row < rows.length && !hasWall; row++) hasWall = isWall(row);
    this.timeline.append(rows, lastTick);
    this.parts.lastTick = this.timeline.lastTick;
    if (hasWall) this.sortOut();
  }

  get objectCount(): number {
    return this.parts.ids.length;
  }

  get firstTick(): number {
    return this.parts.firstTick;
  }

  get lastTick(): number {
    return this.parts.lastTick;
  }

  get steps(): number {
    return this.lastTick - this.firstTick + (this.parts.hasStart ? 0 : 1);
  }

  clamp(tick: number): number {
    return Math.min(Math.max(Math.round(tick) || 0, this.firstTick), this.lastTick);
  }

  cursor(): Cursor {
    return new Cursor(this.timeline);
  }

  kind(number: number): Kind {
    return this.parts.kinds[this.parts.kindOf[number]];
  }

  typeName(number: number): string {
    return this.kind(number).typeName;
  }

  /** Return [column, row] of an object at a tick. */
  placeAt(number: number, tick: number): [number, number] {
    const slot = this.timeline.slot(Field.location, number);
    const place = slot < 0 ? 0 : this.timeline.valueAt(slot, tick);
    return [place & 0xffff, place >>> 16];
  }

  /** Return all tags with a prefix, as {tag: rest of its name}. */
  tagsWithPrefix(prefix: string): Map<number, string> {
    const tags = new Map<number, string>();
    this.parts.tagNames.forEach((name, tag) => {
      if (name.startsWith(prefix)) tags.set(tag, name.slice(prefix.length));
    });
    return tags;
  }

  private findAgents(): void {
    const { agentOf } = this.parts;
    for (let number = agentOf.length - 1; number >= 0; number--) {
      if (agentOf[number] >= 0) this.agentObjects[agentOf[number]] = number;
    }
  }

  private sortOut(): void {
    const walls: number[] = [];
    const nonWalls: number[] = [];
    for (let number = 0; number < this.objectCount; number++) (this.isStatic(number) ? walls : nonWalls).push(number);
    const isSame = walls.length === this.walls.length && nonWalls.length === this.nonWalls.length;
    if (!isSame) this.shape++;
    [this.walls, this.nonWalls] = [walls, nonWalls];
  }

  private isStatic(number: number): boolean {
    if (this.typeName(number) !== STATIC_TYPE) return false;
    const { timeline } = this;
    if (timeline.slotsOf(number).some((slot) => timeline.changes(slot))) return false;
    const alive = timeline.slot(Field.alive, number);
    return alive >= 0 && timeline.firstValue(alive) !== 0;
  }
}

function joined(old: Int32Array, more: Int32Array): Int32Array {
  const all = new Int32Array(old.length + more.length);
  all.set(old);
  all.set(more, old.length);
  return all;
}

export function makeReplay(parts: ReplayParts): Replay {
  const { rows, ...rest } = parts;
  return new Replay(rest, rows);
}

export function emptyNotes(agents: number): AgentNotes[] {
  return Array.from({ length: agents }, () => ({ talk: [], infos: [], monologue: [] }));
}

/** Return the position of the last note at or before a tick; -1 if there is none. */
export function lastNote(notes: readonly Note<unknown>[], tick: number): number {
  let low = 0;
  let high = notes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (notes[middle].tick <= tick) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

import { readableName } from "./events";
import type { Replay } from "./replay";
import { Field, floatOf } from "./rows";
import type { Cursor } from "./timeline";

/** One value that differs between two replays. */
export interface Difference {
  readonly tick: number;
  /** the engine's id of the object */
  readonly id: number;
  readonly agent: number;
  /** such as `Agent 3: heart` */
  readonly what: string;
  readonly left: string;
  readonly right: string;
}

export interface Comparison {
  /** differences in the setup: the map, the agents, the names */
  readonly outset: readonly Difference[];
  /** the first tick at which a recorded value differs; null when the common ticks are equal */
  readonly firstTick: number | null;
  /** the differences at that tick */
  readonly first: readonly Difference[];
  /** the common ticks */
  readonly from: number;
  readonly to: number;
}

/** Fields that both formats record. */
const FIELDS: Readonly<Record<number, string>> = {
  [Field.alive]: "on the map",
  [Field.location]: "place",
  [Field.amount]: "",
  [Field.tag]: "",
  [Field.vibe]: "vibe",
  [Field.action]: "action",
  [Field.success]: "action succeeded",
  [Field.reward]: "reward",
};

const MOST_LISTED = 200;

/** The slots of one value in both replays; -1 in a replay without rows for it. */
interface Pair {
  field: number;
  key: number;
  left: number;
  right: number;
  leftSlot: number;
  rightSlot: number;
}

/** Finds the first difference of two replays. Objects correspond by the engine's id. Both replays may still grow. */
export class Comparer {
  private readonly cursors: readonly [Cursor, Cursor];
  private readonly leftOf = new Map<number, number>();
  private readonly rightOf = new Map<number, number>();
  private readonly objects: [left: number, right: number][] = [];
  private known: readonly [number, number] = [0, 0];
  /** the replays are equal up to this tick */
  private checked: number;
  private firstTick: number | null = null;

  constructor(
    private readonly left: Replay,
    private readonly right: Replay,
  ) {
    this.cursors = [left.cursor(), right.cursor()];
    this.checked = this.from - 1;
  }

  private get from(): number {
    return Math.max(this.left.firstTick, this.right.firstTick);
  }

  private get to(): number {
    return Math.min(this.left.lastTick, this.right.lastTick);
  }

  compare(): Comparison {
    this.pairUp();
    while (this.firstTick === null && this.checked < this.to) {
      const tick = ++this.checked;
      const differs = tick === this.from ? this.differencesAt(tick).length > 0 : this.partsAt(tick);
      if (differs) this.firstTick = tick;
    }
    const first = this.firstTick === null ? [] : this.differencesAt(this.firstTick);
    return { outset: this.outset(), firstTick: this.firstTick, first, from: this.from, to: this.to };
  }

  differencesAt(tick: number): Difference[] {
    const differences: Difference[] = [];
    if (tick < this.from || tick > this.to) return differences;
    this.pairUp();
    for (const cursor of this.cursors) cursor.seek(tick);
    const [ours, theirs] = this.cursors.map(({ state }) => state);
    for (const [left, right] of this.objects) {
      this.eachPair(left, right, (pair) => {
        const a = pair.leftSlot < 0 ? 0 : ours[pair.leftSlot];
        const b = pair.rightSlot < 0 ? 0 : theirs[pair.rightSlot];
        if (a !== b) differences.push(this.difference(pair, tick, a, b));
      });
      if (differences.length >= MOST_LISTED) break;
    }
    return differences.slice(0, MOST_LISTED);
  }

  /** Returns whether a value that changes at a tick in either replay differs from the other. */
  private partsAt(tick: number): boolean {
    const { left, right } = this;
    return differs(left, right, this.rightOf, tick) || differs(right, left, this.leftOf, tick);
  }

  /** Objects of both sides, each with its counterpart or -1. */
  private pairUp(): void {
    const [ours, theirs] = [this.left.parts.ids, this.right.parts.ids];
    if (ours.length === this.known[0] && theirs.length === this.known[1]) return;
    this.known = [ours.length, theirs.length];
    const byId = new Map<number, number>();
    for (const [number, id] of theirs.entries()) byId.set(id, number);
    this.leftOf.clear();
    this.rightOf.clear();
    this.objects.length = 0;
    ours.forEach((id, number) => {
      const other = byId.get(id) ?? -1;
      this.rightOf.set(number, other);
      if (other >= 0) this.leftOf.set(other, number);
      this.objects.push([number, other]);
    });
    theirs.forEach((_, number) => {
      if (!this.leftOf.has(number)) this.objects.push([-1, number]);
    });
  }

  /** Invariant: both lists of slots are sorted by field and key. */
  private eachPair(left: number, right: number, call: (pair: Pair) => void): void {
    const [ours, theirs] = [slotsOf(this.left, left), slotsOf(this.right, right)];
    for (let i = 0, j = 0; i < ours.length || j < theirs.length; ) {
      const [a, b] = [placeOf(this.left, ours[i]), placeOf(this.right, theirs[j])];
      const place = Math.min(a, b);
      const [field, key] = [Math.floor(place / 65536), place % 65536];
      const [leftSlot, rightSlot] = [a === place ? ours[i++] : -1, b === place ? theirs[j++] : -1];
      if (field in FIELDS) call({ field, key, left, right, leftSlot, rightSlot });
    }
  }

  private difference(pair: Pair, tick: number, left: number, right: number): Difference {
    const replay = pair.left >= 0 ? this.left : this.right;
    const number = pair.left >= 0 ? pair.left : pair.right;
    const agent = replay.parts.agentOf[number];
    const id = replay.parts.ids[number];
    const name = agent >= 0 ? `Agent ${agent}` : `${readableName(replay.typeName(number))} ${id}`;
    return {
      tick,
      id,
      agent,
      what: `${name}: ${named(replay, pair)}`,
      left: displayValue(this.left, pair.field, left),
      right: displayValue(this.right, pair.field, right),
    };
  }

  private outset(): Difference[] {
    const [left, right] = [this.left.parts, this.right.parts];
    const rows: [string, unknown, unknown][] = [
      ["mission", left.label, right.label],
      ["map", `${left.width} x ${left.height}`, `${right.width} x ${right.height}`],
      ["agents", left.numAgents, right.numAgents],
      ["seed", left.seed ?? "unknown", right.seed ?? "unknown"],
      ["ticks", `${left.firstTick} to ${left.lastTick}`, `${right.firstTick} to ${right.lastTick}`],
      ["resources", left.resourceNames.join(", "), right.resourceNames.join(", ")],
      ["actions", left.actionNames.join(", "), right.actionNames.join(", ")],
      ["tags", left.tagNames.join(", "), right.tagNames.join(", ")],
    ];
    return rows
      .filter(([, a, b]) => a !== b)
      .map(([what, a, b]) => ({ tick: this.from, id: -1, agent: -1, what, left: String(a), right: String(b) }));
  }
}

function slotsOf(replay: Replay, number: number): readonly number[] {
  return number < 0 ? [] : replay.timeline.slotsOf(number);
}

function placeOf({ timeline }: Replay, slot: number | undefined): number {
  return slot === undefined ? Infinity : timeline.slotField[slot] * 65536 + timeline.slotKey[slot];
}

/** Returns whether a value that changes at a tick differs in the other replay. */
function differs(replay: Replay, other: Replay, otherOf: ReadonlyMap<number, number>, tick: number): boolean {
  const { slotField, slotObject, slotKey } = replay.timeline;
  let differs = false;
  replay.timeline.eachAt(tick, (slot, value) => {
    if (differs || !(slotField[slot] in FIELDS)) return;
    const number = otherOf.get(slotObject[slot]) ?? -1;
    const twin = number < 0 ? -1 : other.timeline.slot(slotField[slot], number, slotKey[slot]);
    differs = value !== (twin < 0 ? 0 : other.timeline.valueAt(twin, tick));
  });
  return differs;
}

function named(replay: Replay, { field, key }: Pair): string {
  if (field === Field.amount) return replay.parts.resourceNames[key] ?? `resource ${key}`;
  if (field === Field.tag) return replay.parts.tagNames[key] ?? `tag ${key}`;
  return FIELDS[field];
}

function displayValue(replay: Replay, field: number, value: number): string {
  const { actionNames, vibeNames } = replay.parts;
  if (field === Field.location) return `${value & 0xffff}, ${value >>> 16}`;
  if (field === Field.action) return actionNames[value] ?? String(value);
  if (field === Field.vibe) return vibeNames[value] ?? String(value);
  if (field === Field.reward) return String(Number(floatOf(value).toPrecision(7)));
  if (field === Field.amount) return String(value);
  return value ? "yes" : "no";
}

import { spoken } from "./events";
import type { Replay } from "./replay";
import { Field, floatOf } from "./rows";

/** One value that is not the same in two replays. */
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
  /** what is different from the beginning: the map, the agents, the names */
  readonly outset: readonly Difference[];
  /** the first tick at which a recorded value differs; null when there is none in the ticks that both have */
  readonly firstTick: number | null;
  /** what differs at that tick */
  readonly first: readonly Difference[];
  /** the ticks that both have */
  readonly from: number;
  readonly to: number;
}

/** What both formats record. */
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

interface Pair {
  field: number;
  key: number;
  left: number;
  right: number;
  leftSlot: number;
  rightSlot: number;
}

/** Finds where two replays part. Objects are the same when the engine gave them the same id. */
export class Comparer {
  private readonly pairs: Pair[] = [];
  private readonly from: number;
  private readonly to: number;

  constructor(
    private readonly left: Replay,
    private readonly right: Replay,
  ) {
    this.from = Math.max(left.firstTick, right.firstTick);
    this.to = Math.min(left.lastTick, right.lastTick);
    this.pairUp();
  }

  compare(): Comparison {
    let firstTick: number | null = null;
    for (const pair of this.pairs) {
      const tick = this.firstDifference(pair, firstTick ?? this.to);
      if (tick !== null && (firstTick === null || tick < firstTick)) firstTick = tick;
    }
    const first = firstTick === null ? [] : this.differencesAt(firstTick);
    return { outset: this.outset(), firstTick, first, from: this.from, to: this.to };
  }

  differencesAt(tick: number): Difference[] {
    const found: Difference[] = [];
    if (tick < this.from || tick > this.to) return found;
    for (const pair of this.pairs) {
      const left = valueAt(this.left, pair.leftSlot, tick);
      const right = valueAt(this.right, pair.rightSlot, tick);
      if (left === right) continue;
      found.push(this.difference(pair, tick, left, right));
      if (found.length >= MOST_LISTED) break;
    }
    return found;
  }

  /** The first tick up to `end` at which two values differ. */
  private firstDifference(pair: Pair, end: number): number | null {
    const ticks = new Set([this.from]);
    collectTicks(this.left, pair.leftSlot, ticks);
    collectTicks(this.right, pair.rightSlot, ticks);
    for (const tick of [...ticks].sort((a, b) => a - b)) {
      if (tick < this.from) continue;
      if (tick > end) return null;
      if (valueAt(this.left, pair.leftSlot, tick) !== valueAt(this.right, pair.rightSlot, tick)) return tick;
    }
    return null;
  }

  private pairUp(): void {
    const byId = new Map<number, number>();
    this.right.parts.ids.forEach((id, number) => byId.set(id, number));
    const met = new Set<number>();
    this.left.parts.ids.forEach((id, number) => {
      const other = byId.get(id) ?? -1;
      if (other >= 0) met.add(other);
      this.pairObject(number, other);
    });
    this.right.parts.ids.forEach((_, number) => {
      if (!met.has(number)) this.pairObject(-1, number);
    });
  }

  private pairObject(left: number, right: number): void {
    const [ours, theirs] = [slotsOf(this.left, left), slotsOf(this.right, right)];
    for (const place of new Set([...ours.keys(), ...theirs.keys()])) {
      const pair = {
        field: Math.floor(place / 65536),
        key: place % 65536,
        left,
        right,
        leftSlot: ours.get(place) ?? -1,
        rightSlot: theirs.get(place) ?? -1,
      };
      if (isConstant(this.left, pair.leftSlot) && isConstant(this.right, pair.rightSlot)) {
        const same = valueAt(this.left, pair.leftSlot, this.from) === valueAt(this.right, pair.rightSlot, this.from);
        if (same) continue;
      }
      this.pairs.push(pair);
    }
  }

  private difference(pair: Pair, tick: number, left: number, right: number): Difference {
    const replay = pair.left >= 0 ? this.left : this.right;
    const number = pair.left >= 0 ? pair.left : pair.right;
    const agent = replay.parts.agentOf[number];
    const id = replay.parts.ids[number];
    const name = agent >= 0 ? `Agent ${agent}` : `${spoken(replay.typeName(number))} ${id}`;
    return {
      tick,
      id,
      agent,
      what: `${name}: ${named(replay, pair)}`,
      left: told(this.left, pair.field, left),
      right: told(this.right, pair.field, right),
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

/** {field and key: slot} of what both formats record about an object. */
function slotsOf(replay: Replay, number: number): Map<number, number> {
  const slots = new Map<number, number>();
  if (number < 0) return slots;
  const { timeline } = replay;
  for (let slot = timeline.objectStart[number]; slot < timeline.objectStart[number + 1]; slot++) {
    if (timeline.slotField[slot] in FIELDS) slots.set(timeline.slotField[slot] * 65536 + timeline.slotKey[slot], slot);
  }
  return slots;
}

function valueAt(replay: Replay, slot: number, tick: number): number {
  return slot < 0 ? 0 : replay.timeline.valueAt(slot, tick);
}

function isConstant(replay: Replay, slot: number): boolean {
  return slot < 0 || !replay.timeline.changes(slot);
}

function collectTicks(replay: Replay, slot: number, into: Set<number>): void {
  if (slot >= 0) replay.timeline.eachChange(slot, (tick) => into.add(tick));
}

function named(replay: Replay, { field, key }: Pair): string {
  if (field === Field.amount) return replay.parts.resourceNames[key] ?? `resource ${key}`;
  if (field === Field.tag) return replay.parts.tagNames[key] ?? `tag ${key}`;
  return FIELDS[field];
}

function told(replay: Replay, field: number, value: number): string {
  const { actionNames, vibeNames } = replay.parts;
  if (field === Field.location) return `${value & 0xffff}, ${value >>> 16}`;
  if (field === Field.action) return actionNames[value] ?? String(value);
  if (field === Field.vibe) return vibeNames[value] ?? String(value);
  if (field === Field.reward) return String(Number(floatOf(value).toPrecision(7)));
  if (field === Field.amount) return String(value);
  return value ? "yes" : "no";
}

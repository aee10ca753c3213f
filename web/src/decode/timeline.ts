import { grown, Histories, Numbers } from "./growth";
import { Field, type Rows } from "./rows";
import { Slots } from "./slots";

/**
 * Every value that ever changes has a slot; the state at a tick is one number per slot.
 *
 * A key frame (the whole state) is stored whenever enough has changed since the last one, so seeking costs at most
 * one copy of the state and about as many writes, however long the episode is, and the key frames need no more memory
 * than the changes themselves. Appending ticks while an episode runs costs only their changes.
 */
export class Timeline {
  lastTick: number;
  private readonly known = new Slots();
  private readonly histories = new Histories();
  private initial = new Int32Array(0);
  /** the state at the last tick */
  private tip = new Int32Array(0);
  /** the tick for which a slot was last written */
  private stamp = new Int32Array(0);
  /** changes by tick: those of firstTick + i are tickStart[i] .. tickStart[i + 1] */
  private readonly tickStart = new Numbers();
  private readonly tickSlot = new Numbers();
  private readonly tickValue = new Numbers();
  private readonly keyTicks: number[] = [];
  private readonly keyStates: Int32Array[] = [];
  private sinceKey = 0;
  private prepared = 0;

  /** Rows at or before `firstTick` define the first state. */
  constructor(
    rows: Rows,
    readonly firstTick: number,
    lastTick: number,
  ) {
    this.lastTick = firstTick;
    this.tickStart.push(0);
    this.tickStart.push(0);
    this.begin(rows);
    this.keyTicks.push(firstTick);
    this.keyStates.push(this.initial.slice(0, this.slots));
    this.append(rows, lastTick);
  }

  get slots(): number {
    return this.known.count;
  }

  get slotField(): Uint8Array {
    return this.known.field;
  }

  get slotObject(): Uint32Array {
    return this.known.object;
  }

  get slotKey(): Uint16Array {
    return this.known.key;
  }

  get statSlots(): readonly number[] {
    return this.known.stats;
  }

  get ownerSlots(): readonly number[] {
    return this.known.owners;
  }

  /** Total number of changes. */
  get changeCount(): number {
    return this.tickSlot.length;
  }

  /** Return the slots of an object by field and key. */
  slotsOf(object: number): readonly number[] {
    return this.known.of(object);
  }

  /** Return the slot of a value, or -1 if it has no rows. */
  slot(field: number, object: number, key = 0): number {
    return this.known.find(field, object, key);
  }

  /**
   * Append ticks up to `lastTick` from rows; earlier rows are ignored. Of rows for the same value and tick the last
   * wins.
   */
  append(rows: Rows, lastTick: number): void {
    const before = this.lastTick;
    const fresh = rowsBetween(rows, before, lastTick);
    const slotOf = new Int32Array(rows.length);
    for (const row of fresh) slotOf[row] = this.known.findOrAdd(rows.field[row], rows.object[row], rows.key[row]);
    this.makeRoom();
    if (fresh.length > this.slots) this.expect(fresh, slotOf);
    const order = counted(fresh, (row) => rows.tick[row] - before - 1, lastTick - before);
    for (let at = 0, tick = before + 1; tick <= lastTick; tick++) {
      let end = at;
      while (end < order.length && rows.tick[order[end]] === tick) end++;
      this.addTick(tick, order.subarray(at, end), rows, slotOf);
      at = end;
    }
    this.lastTick = Math.max(before, lastTick);
  }

  /** Return the value of a slot at a tick, without the rest of the state. */
  valueAt(slot: number, tick: number): number {
    const begin = this.histories.begin[slot];
    const row = this.lastRow(begin, begin + this.histories.length[slot], tick);
    return row < begin ? this.initial[slot] : this.histories.value[row];
  }

  /**
   * Call back with every value of a slot and its first tick, including the first state; with `from`, skip that many
   * changes. Returns the number of changes.
   */
  eachChange(slot: number, call: (tick: number, value: number, before: number) => void, from = -1): number {
    const { begin, length, tick, value } = this.histories;
    const [first, count] = [begin[slot], length[slot]];
    let before = from > 0 ? value[first + from - 1] : this.initial[slot];
    if (from < 0) call(this.firstTick, before, before);
    for (let row = first + Math.max(0, from); row < first + count; row++) {
      call(tick[row], value[row], before);
      before = value[row];
    }
    return count;
  }

  /** Call back with every slot that changes at a tick. */
  eachAt(tick: number, call: (slot: number, value: number) => void): void {
    const index = tick - this.firstTick;
    const [start, slots, values] = [this.tickStart.data, this.tickSlot.data, this.tickValue.data];
    for (let i = start[index]; i < start[index + 1]; i++) call(slots[i], values[i]);
  }

  changes(slot: number): boolean {
    return this.histories.length[slot] > 0;
  }

  firstValue(slot: number): number {
    return this.initial[slot];
  }

  /** Move `state` from tick `from` (-1: uninitialized) to `tick`. It has room for every slot. */
  seek(state: Int32Array, from: number, tick: number): void {
    let key = this.keyTicks.length - 1;
    while (this.keyTicks[key] > tick) key--;
    if (from < this.keyTicks[key] || from > tick) {
      const keyFrame = this.keyStates[key];
      state.set(keyFrame);
      state.set(this.initial.subarray(keyFrame.length, this.slots), keyFrame.length); // these had no rows by then
      from = this.keyTicks[key];
    }
    const [slots, values] = [this.tickSlot.data, this.tickValue.data];
    const end = this.tickStart.data[tick - this.firstTick + 1];
    for (let i = this.tickStart.data[from - this.firstTick + 1]; i < end; i++) state[slots[i]] = values[i];
  }

  /** Set slots from a number on to their default values. */
  untold(from: number): Int32Array {
    return this.initial.subarray(from, this.slots);
  }

  private begin(rows: Rows): void {
    const early: number[] = [];
    for (let row = 0; row < rows.length; row++) if (rows.tick[row] <= this.firstTick) early.push(row);
    const slots = early.map((row) => this.known.findOrAdd(rows.field[row], rows.object[row], rows.key[row]));
    this.makeRoom();
    const order = early.map((_, i) => i).sort((a, b) => rows.tick[early[a]] - rows.tick[early[b]]);
    for (const i of order) this.initial[slots[i]] = this.tip[slots[i]] = rows.value[early[i]];
  }

  private addTick(tick: number, order: Uint32Array, rows: Rows, slotOf: Int32Array): void {
    const { stamp, tip } = this;
    const latest: number[] = [];
    for (let i = order.length - 1; i >= 0; i--) {
      const slot = slotOf[order[i]];
      if (stamp[slot] === tick) continue; // a later row overrides it
      stamp[slot] = tick;
      if (tip[slot] !== rows.value[order[i]]) latest.push(order[i]);
    }
    for (let i = latest.length - 1; i >= 0; i--) {
      const [slot, value] = [slotOf[latest[i]], rows.value[latest[i]]];
      tip[slot] = value;
      this.histories.push(slot, tick, value);
      this.tickSlot.push(slot);
      this.tickValue.push(value);
    }
    this.tickStart.push(this.tickSlot.length);
    this.sinceKey += latest.length;
    if (this.sinceKey < Math.max(this.slots, 2048)) return;
    this.sinceKey = 0;
    this.keyTicks.push(tick);
    this.keyStates.push(tip.slice(0, this.slots));
  }

  private expect(fresh: Uint32Array, slotOf: Int32Array): void {
    const counts = new Int32Array(this.slots);
    for (const row of fresh) counts[slotOf[row]]++;
    for (let slot = 0; slot < counts.length; slot++) if (counts[slot]) this.histories.expect(slot, counts[slot]);
  }

  /** Grow the state to all slots and set new ones to their defaults. */
  private makeRoom(): void {
    const { slots } = this;
    this.histories.setSlots(slots);
    if (slots > this.initial.length) {
      const size = Math.max(slots, this.initial.length * 2);
      this.initial = grown(this.initial, size);
      this.tip = grown(this.tip, size);
      this.stamp = grown(this.stamp, size, -1);
    }
    for (; this.prepared < slots; this.prepared++) {
      if (this.known.field[this.prepared] !== Field.owner) continue;
      this.initial[this.prepared] = this.tip[this.prepared] = -1;
    }
  }

  /** Return the last row in [begin, end) at or before a tick, or begin - 1. */
  private lastRow(begin: number, end: number, tick: number): number {
    const ticks = this.histories.tick;
    while (begin < end) {
      const middle = (begin + end) >> 1;
      if (ticks[middle] <= tick) begin = middle + 1;
      else end = middle;
    }
    return begin - 1;
  }
}

/** A position in a timeline with its state, so that moving to the next tick costs only its changes. */
export class Cursor {
  state: Int32Array<ArrayBuffer>;
  reals: Float32Array;
  tick = -1;
  private slots = 0;

  constructor(private readonly timeline: Timeline) {
    this.state = new Int32Array(timeline.slots);
    this.reals = new Float32Array(this.state.buffer);
  }

  seek(tick: number): void {
    this.takeNewSlots();
    if (tick === this.tick) return;
    this.timeline.seek(this.state, this.tick, tick);
    this.tick = tick;
  }

  private takeNewSlots(): void {
    const { slots } = this.timeline;
    if (slots === this.slots) return;
    if (slots > this.state.length) {
      this.state = grown(this.state, Math.max(slots, this.state.length * 2));
      this.reals = new Float32Array(this.state.buffer);
    }
    this.state.set(this.timeline.untold(this.slots), this.slots);
    this.slots = slots;
  }
}

/** Return the numbers of the rows after one tick and up to another. */
function rowsBetween(rows: Rows, after: number, last: number): Uint32Array {
  const selected = new Uint32Array(rows.length);
  let count = 0;
  for (let row = 0; row < rows.length; row++) {
    if (rows.tick[row] > after && rows.tick[row] <= last) selected[count++] = row;
  }
  return selected.subarray(0, count);
}

/** Sort rows by a small number (stable counting sort). */
function counted(rows: Uint32Array, number: (row: number) => number, numbers: number): Uint32Array {
  const next = new Int32Array(numbers + 1);
  for (const row of rows) next[number(row) + 1]++;
  for (let i = 0; i < numbers; i++) next[i + 1] += next[i];
  const sorted = new Uint32Array(rows.length);
  for (const row of rows) sorted[next[number(row)]++] = row;
  return sorted;
}

import { Field, type Rows } from "./rows";

/**
 * Every value that ever changes has a slot; the state at a tick is one number per slot.
 *
 * Slots are ordered by object, field and key, then those of stats, then those of cells. A key frame (the whole state) is
 * kept wherever enough has changed since the last one, so a tick anywhere costs at most one copy of the state and about
 * as many writes, however long the episode is, and the key frames need no more memory than the changes themselves.
 */
export class Timeline {
  readonly slots: number;
  readonly slotField: Uint8Array;
  readonly slotObject: Uint32Array;
  readonly slotKey: Uint16Array;
  /** slots of object i are objectStart[i] .. objectStart[i + 1] */
  readonly objectStart: Int32Array;
  readonly statStart: number;
  readonly ownerStart: number;

  /** changes by slot and then tick: those of slot s are slotStart[s] .. slotStart[s + 1] */
  readonly slotStart: Int32Array;
  readonly rowTick: Int32Array;
  readonly rowValue: Int32Array;

  private readonly initial: Int32Array;
  /** changes by tick: those of firstTick + i are tickStart[i] .. tickStart[i + 1] */
  private readonly tickStart: Int32Array;
  private readonly tickSlot: Int32Array;
  private readonly tickValue: Int32Array;
  private readonly keyTicks: number[] = [];
  private readonly keyStates: Int32Array[] = [];

  /** Rows at or before `firstTick` make the first state. */
  constructor(
    rows: Rows,
    objects: number,
    readonly firstTick: number,
    readonly lastTick: number,
  ) {
    const places = new Places(rows);
    const order = places.rowsInOrder(firstTick, lastTick);
    const slots = places.slots;
    this.slots = slots;
    this.slotField = places.field;
    this.slotObject = places.object;
    this.slotKey = places.key;
    this.initial = new Int32Array(slots);
    this.slotStart = new Int32Array(slots + 1);
    const rowTick = new Int32Array(rows.length);
    const rowValue = new Int32Array(rows.length);
    let kept = 0;
    let next = 0;
    for (let slot = 0; slot < slots; slot++) {
      const begin = kept;
      this.slotStart[slot] = begin;
      this.initial[slot] = this.slotField[slot] === Field.owner ? -1 : 0;
      for (; next < order.length && places.slotOfRow[order[next]] === slot; next++) {
        const row = order[next];
        const tick = rows.tick[row];
        const value = rows.value[row];
        if (tick <= firstTick) {
          this.initial[slot] = value;
          continue;
        }
        if (kept > begin && rowTick[kept - 1] === tick) kept--; // the later one counts
        if (value === (kept > begin ? rowValue[kept - 1] : this.initial[slot])) continue;
        rowTick[kept] = tick;
        rowValue[kept++] = value;
      }
    }
    this.slotStart[slots] = kept;
    this.rowTick = rowTick.slice(0, kept);
    this.rowValue = rowValue.slice(0, kept);
    this.statStart = firstIndex(this.slotField, (field) => field >= Field.stat);
    this.ownerStart = firstIndex(this.slotField, (field) => field >= Field.owner);
    this.objectStart = starts(this.slotObject, this.statStart, objects);
    [this.tickStart, this.tickSlot, this.tickValue] = this.byTick();
    this.makeKeyFrames();
  }

  /** The slot of a value, or -1 when nothing was ever said about it. */
  slot(field: number, object: number, key = 0): number {
    let low = this.objectStart[object];
    let high = this.objectStart[object + 1];
    const place = field * 65536 + key;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.slotField[middle] * 65536 + this.slotKey[middle] < place) low = middle + 1;
      else high = middle;
    }
    const isIt = low < this.objectStart[object + 1] && this.slotField[low] === field && this.slotKey[low] === key;
    return isIt ? low : -1;
  }

  /** The value of a slot at a tick, without the rest of the state. */
  valueAt(slot: number, tick: number): number {
    const begin = this.slotStart[slot];
    const row = this.lastRow(begin, this.slotStart[slot + 1], tick);
    return row < begin ? this.initial[slot] : this.rowValue[row];
  }

  /** Calls with every value of a slot and the tick it holds from, the first state included. */
  eachChange(slot: number, call: (tick: number, value: number, before: number) => void): void {
    let before = this.initial[slot];
    call(this.firstTick, before, before);
    for (let row = this.slotStart[slot]; row < this.slotStart[slot + 1]; row++) {
      call(this.rowTick[row], this.rowValue[row], before);
      before = this.rowValue[row];
    }
  }

  /** Calls with every slot that changes at a tick. */
  eachAt(tick: number, call: (slot: number, value: number) => void): void {
    const index = tick - this.firstTick;
    for (let i = this.tickStart[index]; i < this.tickStart[index + 1]; i++) call(this.tickSlot[i], this.tickValue[i]);
  }

  changes(slot: number): boolean {
    return this.slotStart[slot] < this.slotStart[slot + 1];
  }

  firstValue(slot: number): number {
    return this.initial[slot];
  }

  /** Bring `state`, which holds `from` (or nothing, with -1), to `tick`. */
  seek(state: Int32Array, from: number, tick: number): void {
    let key = this.keyTicks.length - 1;
    while (this.keyTicks[key] > tick) key--;
    if (from < this.keyTicks[key] || from > tick) {
      state.set(this.keyStates[key]);
      from = this.keyTicks[key];
    }
    const end = this.tickStart[tick - this.firstTick + 1];
    for (let i = this.tickStart[from - this.firstTick + 1]; i < end; i++) state[this.tickSlot[i]] = this.tickValue[i];
  }

  /** The last row in [begin, end) at or before a tick, or begin - 1. */
  private lastRow(begin: number, end: number, tick: number): number {
    while (begin < end) {
      const middle = (begin + end) >> 1;
      if (this.rowTick[middle] <= tick) begin = middle + 1;
      else end = middle;
    }
    return begin - 1;
  }

  private byTick(): [Int32Array, Int32Array, Int32Array] {
    const ticks = this.lastTick - this.firstTick + 1;
    const begins = new Int32Array(ticks + 1);
    for (const tick of this.rowTick) begins[tick - this.firstTick + 1]++;
    for (let i = 0; i < ticks; i++) begins[i + 1] += begins[i];
    const next = begins.slice();
    const slots = new Int32Array(this.rowTick.length);
    const values = new Int32Array(this.rowTick.length);
    for (let slot = 0; slot < this.slots; slot++) {
      for (let row = this.slotStart[slot]; row < this.slotStart[slot + 1]; row++) {
        const at = next[this.rowTick[row] - this.firstTick]++;
        slots[at] = slot;
        values[at] = this.rowValue[row];
      }
    }
    return [begins, slots, values];
  }

  private makeKeyFrames(): void {
    const enough = Math.max(this.slots, 2048);
    const state = this.initial.slice();
    this.keyTicks.push(this.firstTick);
    this.keyStates.push(state.slice());
    let done = 0;
    for (let tick = this.firstTick + 1; tick <= this.lastTick; tick++) {
      const end = this.tickStart[tick - this.firstTick + 1];
      if (end - done < enough) continue;
      for (let i = done; i < end; i++) state[this.tickSlot[i]] = this.tickValue[i];
      done = end;
      this.keyTicks.push(tick);
      this.keyStates.push(state.slice());
    }
  }
}

/** A place in a timeline that remembers its state, so that the next tick costs only its changes. */
export class Cursor {
  readonly state: Int32Array;
  readonly reals: Float32Array;
  tick = -1;

  constructor(private readonly timeline: Timeline) {
    this.state = new Int32Array(timeline.slots);
    this.reals = new Float32Array(this.state.buffer);
  }

  seek(tick: number): void {
    if (tick === this.tick) return;
    this.timeline.seek(this.state, this.tick, tick);
    this.tick = tick;
  }
}

/** Which rows are about the same thing, without sorting them all: there can be millions. */
class Places {
  slots = 0;
  field = new Uint8Array(1024);
  object = new Uint32Array(1024);
  key = new Uint16Array(1024);
  readonly slotOfRow: Int32Array;
  private table = new Int32Array(4096).fill(-1);

  constructor(private readonly rows: Rows) {
    this.slotOfRow = new Int32Array(rows.length);
    for (let row = 0; row < rows.length; row++) {
      this.slotOfRow[row] = this.find(rows.field[row], rows.object[row], rows.key[row]);
    }
    this.renumber();
  }

  /** Row numbers by slot and then tick, without those after the last tick; equal ones keep their order. */
  rowsInOrder(firstTick: number, lastTick: number): Uint32Array {
    const { length, tick } = this.rows;
    const inTime = new Uint32Array(length);
    let count = 0;
    for (let row = 0; row < length; row++) if (tick[row] <= lastTick) inTime[count++] = row;
    const at = (row: number) => Math.max(0, tick[row] - firstTick);
    const byTick = counted(inTime.subarray(0, count), at, lastTick - firstTick + 1);
    return counted(byTick, (row) => this.slotOfRow[row], this.slots);
  }

  private find(field: number, object: number, key: number): number {
    const mask = this.table.length - 1;
    let at = hash(field, object, key) & mask;
    for (;;) {
      const slot = this.table[at];
      if (slot < 0) break;
      if (this.object[slot] === object && this.field[slot] === field && this.key[slot] === key) return slot;
      at = (at + 1) & mask;
    }
    const slot = this.slots++;
    if (slot === this.field.length) this.grow();
    this.field[slot] = field;
    this.object[slot] = object;
    this.key[slot] = key;
    this.table[at] = slot;
    if (this.slots * 2 > this.table.length) this.rehash();
    return slot;
  }

  private grow(): void {
    const size = this.field.length * 2;
    const [field, object, key] = [new Uint8Array(size), new Uint32Array(size), new Uint16Array(size)];
    field.set(this.field);
    object.set(this.object);
    key.set(this.key);
    [this.field, this.object, this.key] = [field, object, key];
  }

  private rehash(): void {
    this.table = new Int32Array(this.table.length * 2).fill(-1);
    const mask = this.table.length - 1;
    for (let slot = 0; slot < this.slots; slot++) {
      let at = hash(this.field[slot], this.object[slot], this.key[slot]) & mask;
      while (this.table[at] >= 0) at = (at + 1) & mask;
      this.table[at] = slot;
    }
  }

  /** Objects first, then stats, then cells; each by field and key. */
  private renumber(): void {
    const { field, object, key, slots } = this;
    const group = (slot: number) => (field[slot] < Field.stat ? 0 : field[slot]);
    const order = Uint32Array.from({ length: slots }, (_, slot) => slot);
    order.sort((a, b) => group(a) - group(b) || object[a] - object[b] || field[a] - field[b] || key[a] - key[b]);
    const numbers = new Int32Array(slots);
    order.forEach((old, number) => (numbers[old] = number));
    this.field = Uint8Array.from(order, (old) => field[old]);
    this.object = Uint32Array.from(order, (old) => object[old]);
    this.key = Uint16Array.from(order, (old) => key[old]);
    for (let row = 0; row < this.slotOfRow.length; row++) this.slotOfRow[row] = numbers[this.slotOfRow[row]];
  }
}

function hash(field: number, object: number, key: number): number {
  let mixed = Math.imul(object, 0x9e3779b1) ^ Math.imul(key + 1, 0x85ebca6b) ^ Math.imul(field, 0xc2b2ae35);
  mixed ^= mixed >>> 15;
  return Math.imul(mixed, 0x2c1b3c6d) >>> 4;
}

/** Rows sorted by a small number; equal ones keep their order. */
function counted(rows: Uint32Array, number: (row: number) => number, numbers: number): Uint32Array {
  const next = new Int32Array(numbers + 1);
  for (const row of rows) next[number(row) + 1]++;
  for (let i = 0; i < numbers; i++) next[i + 1] += next[i];
  const sorted = new Uint32Array(rows.length);
  for (const row of rows) sorted[next[number(row)]++] = row;
  return sorted;
}

function firstIndex(list: Uint8Array, is: (value: number) => boolean): number {
  const found = list.findIndex(is);
  return found < 0 ? list.length : found;
}

/** Where each owner's part of a sorted list begins. */
function starts(sorted: Uint32Array, end: number, owners: number): Int32Array {
  const begins = new Int32Array(owners + 1);
  for (let i = 0; i < end; i++) begins[sorted[i] + 1]++;
  for (let i = 0; i < owners; i++) begins[i + 1] += begins[i];
  return begins;
}

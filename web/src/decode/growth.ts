/** A growable list of integers. */
export class Numbers {
  length = 0;
  data: Int32Array<ArrayBuffer>;

  constructor(room = 1024) {
    this.data = new Int32Array(room);
  }

  push(value: number): void {
    if (this.length === this.data.length) this.data = grown(this.data, this.length * 2);
    this.data[this.length++] = value;
  }
}

/** Return a larger copy; new elements are `fill`. */
export function grown(old: Int32Array<ArrayBuffer>, size: number, fill = 0): Int32Array<ArrayBuffer> {
  if (size <= old.length) return old;
  const larger = new Int32Array(size);
  larger.set(old);
  if (fill) larger.fill(fill, old.length);
  return larger;
}

/**
 * The history of each slot as (tick, value). Every slot has a range in one long list and moves when the range is full.
 */
export class Histories {
  tick = new Int32Array(1024);
  value = new Int32Array(1024);
  begin = new Int32Array(1024);
  length = new Int32Array(1024);
  private room = new Int32Array(1024);
  private used = 0;

  setSlots(slots: number): void {
    if (slots <= this.begin.length) return;
    const size = Math.max(slots, this.begin.length * 2);
    [this.begin, this.length, this.room] = [grown(this.begin, size), grown(this.length, size), grown(this.room, size)];
  }

  push(slot: number, tick: number, value: number): void {
    if (this.length[slot] === this.room[slot]) this.move(slot, Math.max(4, this.length[slot] * 2));
    const at = this.begin[slot] + this.length[slot]++;
    this.tick[at] = tick;
    this.value[at] = value;
  }

  /** Reserve room for more changes of a slot, so that its range moves only once. */
  expect(slot: number, more: number): void {
    if (this.length[slot] + more > this.room[slot]) this.move(slot, this.length[slot] + more);
  }

  private move(slot: number, room: number): void {
    const [from, to] = [this.begin[slot], this.used];
    this.used += room;
    if (this.used > this.tick.length) {
      const size = Math.max(this.used, this.tick.length * 2);
      [this.tick, this.value] = [grown(this.tick, size), grown(this.value, size)];
    }
    this.tick.copyWithin(to, from, from + this.length[slot]);
    this.value.copyWithin(to, from, from + this.length[slot]);
    this.begin[slot] = to;
    this.room[slot] = room;
  }
}

/**
 * Changes as columns: `field` of `object` (and `key`, where a field has several values) is `value` from `tick` on.
 * Values without a row are 0; the owner of a cell without a row is -1. The numbers are those of the file format.
 */
export const Field = {
  alive: 3,
  location: 4,
  amount: 5,
  limit: 6,
  tag: 7,
  vibe: 8,
  action: 9,
  success: 10,
  animation: 11,
  reward: 12,
  asked: 13,
  askedVibe: 14,
  stat: 15,
  owner: 16,
  observed: 17,
  radius: 18,
} as const;

export const LAST_FIELD = Field.radius;

/** Values of `alive`. */
export const Alive = { gone: 0, present: 1, withoutInventory: 2 } as const;

/** Rows in any order; of two rows for the same value and tick the later one wins. */
export class Rows {
  length = 0;
  field = new Uint8Array(1024);
  /** number of the object; for `owner` the cell, row by row; for `stat` 0 */
  object = new Uint32Array(1024);
  /** resource, tag, stat, territory or observed value */
  key = new Uint16Array(1024);
  tick = new Int32Array(1024);
  /** of `reward` and `stat` the bits of a float32, of `location` row << 16 | column */
  value = new Int32Array(1024);

  push(field: number, object: number, key: number, tick: number, value: number): void {
    if (this.length === this.field.length) this.grow(this.length * 2);
    const i = this.length++;
    this.field[i] = field;
    this.object[i] = object;
    this.key[i] = key;
    this.tick[i] = tick;
    this.value[i] = value;
  }

  private grow(size: number): void {
    this.field = extended(this.field, new Uint8Array(size));
    this.object = extended(this.object, new Uint32Array(size));
    this.key = extended(this.key, new Uint16Array(size));
    this.tick = extended(this.tick, new Int32Array(size));
    this.value = extended(this.value, new Int32Array(size));
  }
}

const bits = new Int32Array(1);
const real = new Float32Array(bits.buffer);

export function floatBits(value: number): number {
  real[0] = value;
  return bits[0];
}

export function floatOf(value: number): number {
  bits[0] = value;
  return real[0];
}

function extended<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

import { Field } from "./rows";

/** Every value that ever changes has a slot: a number, assigned in order of first use. */
export class Slots {
  count = 0;
  field = new Uint8Array(1024);
  object = new Uint32Array(1024);
  key = new Uint16Array(1024);
  /** slots that belong to no object */
  readonly stats: number[] = [];
  readonly owners: number[] = [];
  private readonly byObject: number[][] = [];
  private table = new Int32Array(4096).fill(-1);

  /** Return the slots of an object by field and key. */
  of(object: number): readonly number[] {
    return this.byObject[object] ?? NONE;
  }

  /** Return the slot of a value, or -1 if it has no rows. */
  find(field: number, object: number, key: number): number {
    const mask = this.table.length - 1;
    for (let at = hash(field, object, key) & mask; ; at = (at + 1) & mask) {
      const slot = this.table[at];
      if (slot < 0) return -1;
      if (this.object[slot] === object && this.field[slot] === field && this.key[slot] === key) return slot;
    }
  }

  /** Return the slot of a value; create it if needed. */
  findOrAdd(field: number, object: number, key: number): number {
    const existing = this.find(field, object, key);
    return existing >= 0 ? existing : this.add(field, object, key);
  }

  private add(field: number, object: number, key: number): number {
    const slot = this.count++;
    if (slot === this.field.length) this.grow();
    this.field[slot] = field;
    this.object[slot] = object;
    this.key[slot] = key;
    if (this.count * 2 > this.table.length) this.rehash();
    else this.enter(slot);
    if (field === Field.owner) this.owners.push(slot);
    else if (field === Field.stat) this.insert(this.stats, slot);
    else {
      this.byObject[object] ??= [];
      this.insert(this.byObject[object], slot);
    }
    return slot;
  }

  private insert(list: number[], slot: number): void {
    const place = (other: number) => this.field[other] * 65536 + this.key[other];
    let at = list.length;
    while (at > 0 && place(list[at - 1]) > place(slot)) at--;
    list.splice(at, 0, slot);
  }

  private enter(slot: number): void {
    const mask = this.table.length - 1;
    let at = hash(this.field[slot], this.object[slot], this.key[slot]) & mask;
    while (this.table[at] >= 0) at = (at + 1) & mask;
    this.table[at] = slot;
  }

  private rehash(): void {
    this.table = new Int32Array(this.table.length * 2).fill(-1);
    for (let slot = 0; slot < this.count; slot++) this.enter(slot);
  }

  private grow(): void {
    const size = this.field.length * 2;
    const [field, object, key] = [new Uint8Array(size), new Uint32Array(size), new Uint16Array(size)];
    field.set(this.field);
    object.set(this.object);
    key.set(this.key);
    [this.field, this.object, this.key] = [field, object, key];
  }
}

const NONE: readonly number[] = [];

function hash(field: number, object: number, key: number): number {
  let mixed = Math.imul(object, 0x9e3779b1) ^ Math.imul(key + 1, 0x85ebca6b) ^ Math.imul(field, 0xc2b2ae35);
  mixed ^= mixed >>> 15;
  return Math.imul(mixed, 0x2c1b3c6d) >>> 4;
}

/** A message that the sprite protocol forbids. After one, close the connection: the scene is undefined. */
export class BadMessage extends Error {}

/** Reads little-endian fields one after the other. Throws `BadMessage` at the end of the data. */
export class Fields {
  offset = 0;
  private readonly view: DataView;

  constructor(private readonly data: Uint8Array) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  get isDone(): boolean {
    return this.offset === this.data.length;
  }

  u8(): number {
    return this.view.getUint8(this.skip(1));
  }

  u16(): number {
    return this.view.getUint16(this.skip(2), true);
  }

  i16(): number {
    return this.view.getInt16(this.skip(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.skip(4), true);
  }

  bytes(count: number): Uint8Array {
    const begin = this.skip(count);
    return this.data.subarray(begin, begin + count);
  }

  text(count: number): string {
    const begin = this.offset;
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.bytes(count));
    } catch (error) {
      if (error instanceof BadMessage) throw error;
      throw new BadMessage(`the text at byte ${begin} is not UTF-8`);
    }
  }

  private skip(count: number): number {
    const begin = this.offset;
    if (count > this.data.length - begin) {
      throw new BadMessage(`truncated at byte ${this.data.length}: ${count} bytes were expected at byte ${begin}`);
    }
    this.offset += count;
    return begin;
  }
}

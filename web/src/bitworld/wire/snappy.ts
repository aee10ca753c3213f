import { BadMessage } from "./fields";

/** Decompress a Snappy block whose size is known. Throws `BadMessage` for anything but exactly that many bytes. */
export function decompress(data: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  let at = 0;
  const next = (): number => {
    if (at >= data.length) throw new BadMessage("compressed pixels are truncated");
    return data[at++]!;
  };
  const little = (bytes: number): number => {
    let value = 0;
    for (let i = 0; i < bytes; i++) value += next() * 256 ** i;
    return value;
  };

  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = next();
    length += (byte & 127) * 2 ** shift;
    if (byte < 128) break;
    if (shift >= 28) throw new BadMessage("the length of compressed pixels has more than 5 bytes");
  }
  if (length !== size) throw new BadMessage(`compressed pixels have ${length} bytes instead of ${size}`);

  const out = new Uint8Array(size);
  let end = 0;
  while (at < data.length) {
    const tag = next();
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const count = (short < 60 ? short : little(short - 59)) + 1;
      if (count > data.length - at) throw new BadMessage("compressed pixels are truncated");
      if (count > size - end) throw new BadMessage("compressed pixels are too long");
      out.set(data.subarray(at, at + count), end);
      at += count;
      end += count;
      continue;
    }
    const count = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = kind === 1 ? (tag >> 5) * 256 + next() : little(kind === 2 ? 2 : 4);
    if (back === 0 || back > end) throw new BadMessage("compressed pixels refer to bytes before their beginning");
    if (count > size - end) throw new BadMessage("compressed pixels are too long");
    if (back >= count) out.copyWithin(end, end - back, end - back + count);
    else for (let i = 0; i < count; i++) out[end + i] = out[end + i - back]!; // a run: source and target overlap
    end += count;
  }
  if (end !== size) throw new BadMessage(`compressed pixels end after ${end} of ${size} bytes`);
  return out;
}

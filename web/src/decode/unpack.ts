import { damaged, ReplayError } from "./errors";

export type Packing = "deflate" | "gzip";

/** Size limit of a decompressed replay: much larger JSON would freeze the page. */
export const MOST_BYTES = 256 << 20;

export function packingOf(bytes: Uint8Array): Packing | null {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "gzip";
  if (bytes[0] === 0x78 && bytes.length > 1 && ((bytes[0] << 8) | bytes[1]) % 31 === 0) return "deflate";
  return null;
}

/** Inflate to at most `most` bytes: a small file can expand to a huge one. */
export async function unpack(bytes: Uint8Array, packing: Packing, most = MOST_BYTES): Promise<Uint8Array> {
  const packed = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  const reader = packed.pipeThrough(new DecompressionStream(packing)).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > most) break;
      parts.push(value);
    }
  } catch {
    throw damaged("it cannot be decompressed, or its end is missing");
  } finally {
    reader.cancel().catch(() => undefined);
  }
  if (size > most) throw tooLarge(most);
  return joined(parts, size);
}

export function tooLarge(most: number): ReplayError {
  return new ReplayError(`The replay is larger than ${Math.floor(most / (1 << 20))} MB when decompressed`);
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

import { isCompact, readCompact } from "./compact";
import { readDocument } from "./document";
import { damaged, ReplayError } from "./errors";
import { parseObject } from "./json";
import type { Replay } from "./replay";
import { MOST_BYTES, packingOf, tooLarge, unpack } from "./unpack";

/**
 * Decode a replay from the bytes of a file. The content decides which format it is.
 *
 * The bytes are untrusted: anything wrong with them raises a `ReplayError`, and nothing else.
 */
export async function openReplay(bytes: Uint8Array): Promise<Replay> {
  try {
    return await read(bytes);
  } catch (error) {
    if (error instanceof ReplayError) throw error;
    if (error instanceof RangeError) throw new ReplayError("The replay is too large or too deeply nested");
    throw damaged("it contains invalid data");
  }
}

async function read(bytes: Uint8Array): Promise<Replay> {
  if (!bytes.length) throw new ReplayError("The file is empty");
  if (isCompact(bytes)) return readCompact(bytes);
  if (startsWith(bytes, "BITWORLD"))
    throw new ReplayError("This is a replay of a BitWorld game; open it with BitWorld's own viewer");
  const packing = packingOf(bytes);
  if (!packing && bytes.length > MOST_BYTES) throw tooLarge(MOST_BYTES);
  const text = packing ? await unpack(bytes, packing) : bytes;
  const document = parseObject(
    text,
    "This is not a replay: it is neither JSON nor compressed JSON",
    "This is not a replay: its JSON is not an object",
  );
  return readDocument(document);
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return [...text].every((letter, i) => bytes[i] === letter.charCodeAt(0));
}

import { Episode, openReplay, ReplayError } from "../decode";

/** Size limit: larger than any replay, so reading more would fail anyway. */
const MOST_FILE_BYTES = 1 << 30;

export type Progress = (what: string, part: number | null) => void;

export async function loadFile(file: File, progress: Progress): Promise<Episode> {
  if (file.size > MOST_FILE_BYTES) throw new ReplayError("The file is too large for a replay");
  progress("Reading", null);
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new ReplayError(`The file ${file.name} could not be read`);
  }
  return decode(bytes, file.name, progress);
}

export async function loadAddress(address: string, progress: Progress): Promise<Episode> {
  let url: URL;
  try {
    url = new URL(address, document.baseURI);
  } catch {
    throw new ReplayError(`${address} is not an address`);
  }
  if (!/^(https?|blob|data|file):$/.test(url.protocol)) {
    throw new ReplayError(`A replay cannot be opened from a \`${url.protocol}\` address`);
  }
  progress("Loading", null);
  const response = await fetchReplay(url);
  if (!response.ok) throw new ReplayError(statusMessage(response.status));
  const bytes = await readBody(response, progress);
  return decode(bytes, nameOf(url), progress);
}

/** Receive a replay over a game's socket: a byte 1 before it, after text messages. */
export async function loadSocket(address: URL, progress: Progress): Promise<Episode> {
  progress("Loading", null);
  const url = new URL(address);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  const bytes = await new Promise<Uint8Array>((done, failed) => {
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) return done(new Uint8Array(data, 1));
      const message = asObject(String(data));
      if (message.type === "error") failed(new ReplayError(String(message.message)));
    };
    socket.onclose = () => failed(new ReplayError("The game closed the connection before it sent a replay"));
  }).finally(() => socket.close());
  return decode(bytes, "replay", progress);
}

function asObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Return the replay embedded in the page. */
export function embeddedReplay(): { bytes: Uint8Array; name: string } | null {
  const holder = document.getElementById("replay-data");
  const text = holder?.textContent?.trim();
  if (!holder || !text) return null;
  let binary = "";
  try {
    binary = atob(text);
  } catch {
    // Invalid data; decoding it reports the error.
  }
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  return { bytes, name: holder.dataset.name ?? "replay" };
}

export async function decode(bytes: Uint8Array, name: string, progress: Progress): Promise<Episode> {
  progress("Opening", null);
  await new Promise((resolve) => setTimeout(resolve)); // let the page show the message first
  try {
    return new Episode(await openReplay(bytes), name, bytes.length);
  } catch (error) {
    if (error instanceof ReplayError) throw error;
    throw new ReplayError("The replay is damaged: it contains invalid data");
  }
}

async function fetchReplay(url: URL): Promise<Response> {
  try {
    return await fetch(url);
  } catch {
    const hint =
      url.protocol === "file:"
        ? "a page cannot read local files: drop the file here, or choose it with Open"
        : "the server cannot be reached, or does not allow requests from other sites";
    throw new ReplayError(`The replay could not be loaded: ${hint}`);
  }
}

function statusMessage(status: number): string {
  if (status === 401 || status === 403) return `The server denied access to this replay (${status})`;
  if (status === 404 || status === 410) return `Replay not found at this address (${status})`;
  if (status >= 500) return `The server failed to send the replay (${status}); try again later`;
  return `The server did not send the replay (${status})`;
}

async function readBody(response: Response, progress: Progress): Promise<Uint8Array> {
  const size = Number(response.headers.get("content-length")) || 0;
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array(await response.arrayBuffer());
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      length += value.length;
      if (length > MOST_FILE_BYTES) throw new ReplayError("The file is too large for a replay");
      progress("Loading", size ? Math.min(1, length / size) : null);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    if (error instanceof ReplayError) throw error;
    throw new ReplayError("The connection was lost while loading the replay");
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function nameOf(url: URL): string {
  const last = url.pathname
    .split("/")
    .filter((part) => part)
    .pop();
  try {
    return url.protocol === "data:" || !last ? "replay" : decodeURIComponent(last);
  } catch {
    return last ?? "replay";
  }
}

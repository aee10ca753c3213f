import { type EventStream, HeaderEvents } from "./stream";

/** A change event; see the server's `observatory.events`. */
export interface Change {
  kind: string;
  season?: string | null;
  /** of changes in a league; without it any league may have changed */
  league?: string | null;
  ids?: string[];
}

export type LiveState = "connecting" | "live" | "reconnecting" | "paused";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
const QUIET_GAP = 2500;

/** Return the delay before the next attempt to connect: exponential backoff with jitter. */
export function pauseBefore(attempt: number, chance: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt) * (0.75 + chance / 2);
}

/** Parse the changes of one message; null if it is invalid, so that anything may have changed. */
export function readChanges(data: string): Change[] | null {
  try {
    const parsed: unknown = JSON.parse(data);
    if (!Array.isArray(parsed)) return null;
    return parsed.filter((change): change is Change => typeof (change as Change | null)?.kind === "string");
  } catch {
    return null;
  }
}

/** Return whether the server reports that events were missed while disconnected. */
export function readHello(data: string): boolean {
  try {
    return (JSON.parse(data) as { missed?: unknown } | null)?.missed !== false;
  } catch {
    return true;
  }
}

/**
 * The event stream of the current page. It reconnects automatically; after a gap, `onGap` reports that anything
 * may have changed. A hidden page has no stream: browsers allow few of them.
 */
export class Live {
  state: LiveState = "connecting";
  onState: (state: LiveState) => void = () => undefined;
  onChanges: (changes: Change[]) => void = () => undefined;
  onGap: () => void = () => undefined;
  /** headers of the stream, for administrators */
  headers: Record<string, string> | null = null;
  private source: EventStream | null = null;
  private address = "";
  private attempt = 0;
  private timer = 0;
  private wasOpen = false;

  constructor() {
    document.addEventListener("visibilitychange", () => (document.hidden ? this.pause() : this.resume()));
    addEventListener("online", () => this.hurry());
  }

  /** Switch to another page's stream; keep the connection if the address is the same. */
  open(address: string): void {
    if (address === this.address && this.source) return;
    this.stop();
    this.address = address;
    this.attempt = 0;
    this.wasOpen = false;
    if (document.hidden) this.say("paused");
    else this.connect();
  }

  stop(): void {
    this.calm();
    this.source?.close();
    this.source = null;
  }

  private calm(): void {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  private pause(): void {
    this.stop();
    this.say("paused");
  }

  private resume(): void {
    if (this.address && !this.source) {
      this.attempt = 0;
      this.connect();
    }
  }

  private hurry(): void {
    if (this.state === "reconnecting") {
      this.stop();
      this.connect();
    }
  }

  private connect(): void {
    this.say(this.wasOpen ? "reconnecting" : "connecting");
    // Only the browser's own reconnects send the last event id; after ours, events may be missing.
    let mayHaveMissed = this.wasOpen;
    const source: EventStream = this.headers
      ? new HeaderEvents(this.address, this.headers)
      : (new EventSource(this.address) as EventStream);
    this.source = source;
    source.addEventListener("hello", (event) => {
      this.calm();
      this.attempt = 0;
      this.wasOpen = true;
      this.say("live");
      if (mayHaveMissed || readHello(event.data)) this.onGap();
      mayHaveMissed = false;
    });
    source.addEventListener("changes", (event) => this.receive(event.data));
    source.onerror = () => {
      this.wasOpen = true;
      if (source.readyState !== EventSource.CLOSED) {
        // Streams end now and then and the browser reconnects; the status changes only if that takes long.
        this.timer ||= window.setTimeout(() => this.say("reconnecting"), QUIET_GAP);
        return;
      }
      // After an error response, for example from a starting server, the browser stops reconnecting.
      this.stop();
      this.say("reconnecting");
      this.timer = window.setTimeout(() => this.connect(), pauseBefore(this.attempt++, Math.random()));
    };
  }

  private receive(data: string): void {
    const changes = readChanges(data);
    if (changes === null) this.onGap();
    else if (changes.length) this.onChanges(changes);
  }

  private say(state: LiveState): void {
    if (state === this.state) return;
    this.state = state;
    this.onState(state);
  }
}

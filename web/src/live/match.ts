import { LiveSocket } from "./socket";

/** first byte of a compressed message */
const PACKED = 4;

/** Where a match stands, as the server names it. */
export type MatchState = "waiting" | "again" | "starting" | "live" | "lost" | "ended" | "long" | "";

export interface MatchEvents {
  hello(delaySeconds: number): void;
  /** a message about the board, decompressed; the next one waits for it */
  data(message: Uint8Array<ArrayBuffer>): void | Promise<void>;
  /** a message could not be decoded */
  damaged(error: unknown): void;
  status(state: MatchState, sentence: string): void;
  /** the match is over; `replay` is the address of its replay, or "" */
  final(sentence: string, replay: string): void;
  lost(): void;
  refused(sentence: string): void;
}

/** The messages about a running match, in order. After a reconnect they begin with the first tick again. */
export class MatchSocket {
  private work: Promise<void> = Promise.resolve();
  private hasEnded = false;
  private readonly socket: LiveSocket;

  constructor(
    address: URL,
    private readonly events: MatchEvents,
  ) {
    this.socket = new LiveSocket(address, {
      message: (data) => this.take(data),
      lost: () => events.lost(),
      refused: (sentence) => this.refuse(sentence),
      over: () => this.refuse("The server has closed the connection"),
    });
  }

  close(): void {
    this.hasEnded = true;
    this.socket.close();
  }

  /** Handle a message after everything that arrived earlier: decompressing takes a moment. */
  private take(data: string | ArrayBuffer): void {
    this.work = this.work
      .then(async () => {
        if (typeof data === "string") this.tell(data);
        else await this.events.data(await unpackMessage(new Uint8Array(data)));
      })
      .catch((error: unknown) => this.events.damaged(error));
  }

  private tell(text: string): void {
    const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
    switch (message.type) {
      case "hello":
        return this.events.hello(typeof message.delay_seconds === "number" ? message.delay_seconds : 0);
      case "status":
        return this.events.status(textOf(message.state) as MatchState, textOf(message.sentence));
      case "final":
        this.close();
        return this.events.final(textOf(message.sentence), textOf(message.replay));
      case "error":
        return this.refuse(textOf(message.message) || "The match cannot be watched");
    }
  }

  private refuse(sentence: string): void {
    if (this.hasEnded) return;
    this.close();
    this.events.refused(sentence);
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Return a message as it was before it was compressed; most messages are not. */
export async function unpackMessage(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (message[0] !== PACKED) return message;
  return inflate(message.subarray(1));
}

/** Decompress data of zlib. Rejects if they are damaged. */
export async function inflate(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

import {
  appendChunk,
  appendObjects,
  Episode,
  type JsonObject,
  openReplay,
  ReplayError,
  unpackMessage,
} from "../../decode";
import { messageOf, textOf } from "../live/messages";
import { LiveSocket } from "../live/socket";

const WHOLE = 1;
const CHUNK = 2;
const OBJECTS = 3;

/** Where a match stands, as the server names it. */
export type MatchState = "waiting" | "again" | "starting" | "live" | "lost" | "ended" | "long" | "";

export interface SourceEvents {
  hello(delaySeconds: number): void;
  /** the match from its first tick: at first, and again after a reconnect or when it is played again */
  episode(episode: Episode): void;
  grown(): void;
  status(state: MatchState, sentence: string): void;
  /** the match is over; `replay` is the address of its replay, or "" */
  final(sentence: string, replay: string): void;
  lost(): void;
  refused(sentence: string): void;
}

/** A running match: its ticks from the first one on, in order, whatever the connection does. */
export class BroadcastSource {
  private episode: Episode | null = null;
  private work: Promise<void> = Promise.resolve();
  private hasEnded = false;
  private isBroken = false;
  private readonly socket: LiveSocket;

  constructor(
    address: URL,
    private readonly events: SourceEvents,
  ) {
    this.socket = new LiveSocket(address, {
      message: (data) => (typeof data === "string" ? this.take(data) : this.takeBytes(new Uint8Array(data))),
      lost: () => events.lost(),
      refused: (sentence) => this.refuse(sentence),
      over: () => this.refuse("The server has closed the connection"),
    });
  }

  close(): void {
    this.hasEnded = true;
    this.socket.close();
  }

  private take(text: string): void {
    const message = messageOf(text);
    if (message) this.afterwards(() => this.tell(message));
  }

  private tell(message: JsonObject): void {
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

  private takeBytes(bytes: Uint8Array): void {
    this.afterwards(async () => {
      const message = await unpackMessage(bytes);
      if (message[0] === WHOLE) return this.open(message.subarray(1));
      const replay = this.episode?.replay;
      if (!replay || this.isBroken) return;
      if (message[0] === CHUNK) appendChunk(replay, message.subarray(1));
      else if (message[0] === OBJECTS) appendObjects(replay, message.subarray(1));
      if (message[0] === CHUNK) this.events.grown();
    });
  }

  private async open(bytes: Uint8Array): Promise<void> {
    this.isBroken = false;
    this.episode = new Episode(await openReplay(bytes), "The match", bytes.length);
    // A running match has no result yet.
    Object.assign(this.episode.replay.parts, { gameStats: {}, agentStats: [] });
    this.events.episode(this.episode);
  }

  /** Run after everything that arrived earlier: decompressing takes a moment. */
  private afterwards(run: () => void | Promise<void>): void {
    this.work = this.work.then(run).catch((error: unknown) => {
      this.isBroken = true;
      this.events.status("lost", error instanceof ReplayError ? error.message : "Data of the match could not be shown");
    });
  }

  private refuse(sentence: string): void {
    if (this.hasEnded) return;
    this.close();
    this.events.refused(sentence);
  }
}

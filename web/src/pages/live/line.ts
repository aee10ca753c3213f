import {
  appendChunk,
  appendObjects,
  Episode,
  inside,
  type JsonObject,
  numbersOf,
  openReplay,
  ReplayError,
} from "../../decode";
import { LiveSocket } from "../../live/socket";
import type { Door } from "./door";
import {
  type GameState,
  type Hello,
  helloOf,
  type Lesson,
  type LineInfo,
  lessonOf,
  linesOf,
  messageOf,
  stateOf,
  textOf,
} from "./messages";

const WHOLE = 1;
const CHUNK = 2;
const OBJECTS = 3;

export interface LineEvents {
  hello(hello: Hello): void;
  /** a complete replay so far: the first one, or another one after a reconnect */
  episode(episode: Episode): void;
  grown(): void;
  state(): void;
  lines(lines: readonly LineInfo[]): void;
  lost(seconds: number): void;
  refused(sentence: string): void;
  over(): void;
  failed(sentence: string): void;
}

/** Watches one line of the game: its history and its new ticks. */
export class LiveLine {
  episode: Episode | null = null;
  state: GameState | null = null;
  lesson: Lesson | null = null;
  isConnected = false;
  isOver = false;
  private title = "";
  private opening = false;
  private waiting: Uint8Array[] = [];
  private readonly socket: LiveSocket;

  constructor(
    readonly number: number,
    door: Door,
    private readonly events: LineEvents,
  ) {
    this.socket = new LiveSocket(door.address("global", { line: number }), {
      message: (data) => (typeof data === "string" ? this.text(data) : this.binary(new Uint8Array(data))),
      lost: (seconds) => {
        this.isConnected = false;
        events.lost(seconds);
      },
      refused: (sentence) => events.refused(sentence),
      over: () => {
        this.isOver = true;
        events.over();
      },
    });
  }

  close(): void {
    this.socket.close();
  }

  private text(text: string): void {
    const message = messageOf(text);
    switch (message?.type) {
      case "hello":
        this.isConnected = true;
        this.lesson = this.state = null;
        this.title = helloOf(message).title;
        return this.events.hello(helloOf(message));
      case "state":
      case "final":
        return this.takeState(message);
      case "lines":
        return this.events.lines(linesOf(message.lines));
      case "lesson":
        this.lesson = lessonOf(message);
        return this.events.state();
      case "error":
        return this.events.failed(textOf(message.message) || "The game rejected a request");
    }
  }

  private takeState(message: JsonObject): void {
    const state = stateOf(message);
    const stats = inside(message.results, "stats");
    if (stats && this.episode) {
      const agents = inside(stats, "agent");
      const agentStats = Array.isArray(agents) ? agents.map(numbersOf) : [];
      Object.assign(this.episode.replay.parts, { gameStats: numbersOf(inside(stats, "game")), agentStats });
    }
    this.state =
      message.type === "final"
        ? { ...state, isDone: true, seats: state.seats.length ? state.seats : (this.state?.seats ?? []) }
        : state;
    this.events.state();
  }

  private binary(bytes: Uint8Array): void {
    if (bytes[0] === WHOLE) void this.open(bytes.subarray(1));
    else if (this.opening) this.waiting.push(bytes);
    else this.take([bytes]);
  }

  private async open(bytes: Uint8Array): Promise<void> {
    this.opening = true;
    this.waiting = [];
    try {
      const episode = new Episode(
        await openReplay(bytes),
        this.number ? `Branch ${this.number}` : this.title || "The game",
        bytes.length,
      );
      this.episode = episode;
      // The file's result is only the state when it was sent.
      Object.assign(episode.replay.parts, { gameStats: {}, agentStats: [] });
      this.take(this.waiting, true);
      this.events.episode(episode);
    } catch (error) {
      this.events.failed(error instanceof ReplayError ? error.message : "Data from the game could not be shown");
    } finally {
      this.opening = false;
      this.waiting = [];
    }
  }

  private take(messages: readonly Uint8Array[], isQuiet = false): void {
    const { episode } = this;
    if (!episode) return;
    try {
      for (const bytes of messages) {
        if (bytes[0] === CHUNK) appendChunk(episode.replay, bytes.subarray(1));
        else if (bytes[0] === OBJECTS) appendObjects(episode.replay, bytes.subarray(1));
      }
    } catch (error) {
      this.events.failed(error instanceof ReplayError ? error.message : "Data from the game could not be shown");
    }
    if (!isQuiet) this.events.grown();
  }
}

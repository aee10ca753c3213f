import { appendChunk, appendObjects, Episode, openReplay, ReplayError } from "../../decode";
import { type MatchEvents, MatchSocket } from "../../live/match";

const WHOLE = 1;
const CHUNK = 2;
const OBJECTS = 3;

export interface SourceEvents extends Omit<MatchEvents, "data" | "damaged"> {
  /** the match from its first tick: at first, and again after a reconnect or when it is played again */
  episode(episode: Episode): void;
  grown(): void;
}

/** A running match: its ticks from the first one on, in order, whatever the connection does. */
export class BroadcastSource {
  private episode: Episode | null = null;
  private isBroken = false;
  private readonly socket: MatchSocket;

  constructor(
    address: URL,
    private readonly events: SourceEvents,
  ) {
    this.socket = new MatchSocket(address, {
      ...events,
      data: (message) => this.read(message),
      damaged: (error) => {
        this.isBroken = true;
        events.status("lost", error instanceof ReplayError ? error.message : "Data of the match could not be shown");
      },
    });
  }

  close(): void {
    this.socket.close();
  }

  private async read(message: Uint8Array): Promise<void> {
    if (message[0] === WHOLE) return this.open(message.subarray(1));
    const replay = this.episode?.replay;
    if (!replay || this.isBroken) return;
    if (message[0] === CHUNK) appendChunk(replay, message.subarray(1));
    else if (message[0] === OBJECTS) appendObjects(replay, message.subarray(1));
    if (message[0] === CHUNK) this.events.grown();
  }

  private async open(bytes: Uint8Array): Promise<void> {
    this.isBroken = false;
    this.episode = new Episode(await openReplay(bytes), "The match", bytes.length);
    // A running match has no result yet.
    Object.assign(this.episode.replay.parts, { gameStats: {}, agentStats: [] });
    this.events.episode(this.episode);
  }
}

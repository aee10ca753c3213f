import { BadMessage, Fields } from "./fields";
import { SceneReader } from "./scene";

const OPENING = 5;
const SCENES = 6;
/** frames between two stored scenes, from which earlier ticks are drawn */
const STORED = 240;

/** The first message of a match: what is played. */
export interface FilmHead {
  readonly title: string;
  readonly ticksPerSecond: number;
  /** whether roles and places are left out while the match is played */
  readonly hidesSecrets: boolean;
}

interface Frame {
  readonly tick: number;
  readonly data: Uint8Array;
}

/** The scenes of a match, tick by tick, as far as they have arrived (`bitworld.broadcast`). */
export class Film {
  head: FilmHead | null = null;
  /** the scene at the tick of the last `seek` */
  scene = new SceneReader();
  private frames: Frame[] = [];
  private stored: { readonly frame: number; readonly scene: SceneReader }[] = [];
  private shown = -1;

  get lastTick(): number {
    return this.frames.at(-1)?.tick ?? 0;
  }

  get isEmpty(): boolean {
    return this.frames.length === 0;
  }

  /** Add a message of the match. Throws `BadMessage`. */
  read(message: Uint8Array): void {
    const fields = new Fields(message);
    const kind = fields.u8();
    if (kind === OPENING) this.open(fields.text(message.length - 1));
    else if (kind === SCENES) this.add(fields);
    else throw new BadMessage(`a match has no messages of the type ${kind}`);
  }

  /** Bring the scene to a tick, or to the last frame before it. Throws `BadMessage`. */
  seek(tick: number): void {
    const target = this.find(tick);
    if (target < this.shown) {
      while (this.stored.length > 0 && this.stored.at(-1)!.frame > target) this.stored.pop();
      const start = this.stored.at(-1);
      this.shown = start?.frame ?? -1;
      this.scene = start?.scene.copy() ?? new SceneReader();
    }
    while (this.shown < target) {
      this.shown++;
      this.scene.feed(this.frames[this.shown]!.data);
      const isNew = this.shown > (this.stored.at(-1)?.frame ?? -1);
      if (this.shown % STORED === 0 && isNew) this.stored.push({ frame: this.shown, scene: this.scene.copy() });
    }
  }

  private open(text: string): void {
    let head: Partial<Record<string, unknown>>;
    try {
      head = JSON.parse(text) as Partial<Record<string, unknown>>;
    } catch {
      throw new BadMessage("the opening is not JSON");
    }
    const rate = Number(head.ticks_per_second);
    this.head = {
      title: typeof head.title === "string" ? head.title : "BitWorld",
      ticksPerSecond: rate > 0 ? rate : 24,
      hidesSecrets: head.hides_secrets === true,
    };
    [this.frames, this.stored, this.shown, this.scene] = [[], [], -1, new SceneReader()];
  }

  private add(fields: Fields): void {
    while (!fields.isDone) {
      const tick = fields.u32();
      const data = fields.bytes(fields.u32());
      if (this.frames.length > 0 && tick <= this.lastTick) throw new BadMessage(`tick ${tick} came twice`);
      this.frames.push({ tick, data });
    }
  }

  /** Return the number of the last frame that is not after a tick. */
  private find(tick: number): number {
    let [low, high] = [0, this.frames.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.frames[middle]!.tick <= tick) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** Return the messages of a recorded match: each with its size (u32) before it. Throws `BadMessage`. */
export function recordedMessages(data: Uint8Array): Uint8Array[] {
  const fields = new Fields(data);
  const messages = [];
  while (!fields.isDone) messages.push(fields.bytes(fields.u32()));
  return messages;
}

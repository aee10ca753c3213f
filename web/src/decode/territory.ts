import type { Frame, FrameReader } from "./frames";
import { inside, isInteger, isObject } from "./json";
import type { Json, Replay } from "./replay";

/** Source of the owners of cells. */
export type TerritorySource = "recorded" | "derived" | "unknown";

/** The owning tag of each cell at a tick, or -1. */
export class Territory {
  source: TerritorySource;
  readonly owners: Int32Array;
  /** version of the owners, so that the board redraws only after a change */
  version = 0;
  private tick = -1;
  /** the territory that decides over each cell; 255 for none */
  private readonly deciding: Uint8Array;
  private influence: Influence | null = null;

  constructor(private readonly reader: FrameReader) {
    const { replay } = reader;
    this.owners = new Int32Array(replay.parts.width * replay.parts.height).fill(-1);
    this.deciding = new Uint8Array(this.owners.length);
    if (replay.timeline.ownerSlots.length) {
      this.source = "recorded";
      return;
    }
    this.influence = Influence.from(replay);
    this.source = this.influence ? "derived" : "unknown";
  }

  /** The reader must be at the frame's tick. */
  seek(frame: Frame): void {
    if (this.source !== "recorded" && this.reader.replay.timeline.ownerSlots.length) this.trustRecord();
    if (frame.tick === this.tick) return;
    this.tick = frame.tick;
    if (this.influence) {
      if (this.influence.update(frame, this.owners)) this.version++;
    } else if (this.source === "recorded" && this.takeRecorded()) this.version++;
  }

  /** A growing replay may record its first owner late. */
  private trustRecord(): void {
    this.source = "recorded";
    this.influence = null;
    this.owners.fill(-1);
    this.tick = -1;
    this.version++;
  }

  /** Of several territories the first one with an owner counts, as in observations. */
  private takeRecorded(): boolean {
    const { timeline } = this.reader.replay;
    const { slotKey, slotObject } = timeline;
    const { state } = this.reader.cursor;
    const { owners, deciding } = this;
    const before = owners.slice();
    owners.fill(-1);
    deciding.fill(255);
    for (const slot of timeline.ownerSlots) {
      const cell = slotObject[slot];
      if (state[slot] < 0 || slotKey[slot] >= deciding[cell]) continue;
      owners[cell] = state[slot];
      deciding[cell] = slotKey[slot];
    }
    return owners.some((owner, cell) => owner !== before[cell]);
  }
}

interface Control {
  readonly strength: number;
  readonly decay: number;
}

interface Stamp {
  tag: number;
  x: number;
  y: number;
}

/**
 * Influence of objects on the cells around them, for formats that do not record owners of cells: the highest sum wins,
 * a tie has no owner. The strengths come from the recorded config.
 */
class Influence {
  private readonly scores = new Map<number, Int32Array>();
  private readonly stamps = new Map<number, Stamp>();

  private constructor(
    private readonly replay: Replay,
    private readonly controls: ReadonlyMap<string, Control>,
    private readonly teamTags: ReadonlySet<number>,
  ) {}

  static from(replay: Replay): Influence | null {
    const territories = inside(replay.parts.config, "game", "territories");
    const [name, territory] = isObject(territories) ? (Object.entries(territories)[0] ?? []) : [];
    const prefix = inside(territory, "tag_prefix");
    if (name === undefined || typeof prefix !== "string") return null;
    const controls = controlsOf(inside(replay.parts.config, "game", "objects"), name);
    const tags = new Set([...replay.tagsWithPrefix(prefix).keys()].slice(0, 32));
    return controls.size && tags.size ? new Influence(replay, controls, tags) : null;
  }

  update(frame: Frame, owners: Int32Array): boolean {
    const now = new Map<number, Stamp>();
    for (const { number, type, x, y, tags } of frame.objects) {
      if (!this.controls.has(type)) continue;
      const tag = tags.find((tag) => this.teamTags.has(tag));
      if (tag !== undefined) now.set(number, { tag, x, y });
    }
    const touched = new Set<number>();
    for (const [number, stamp] of this.stamps) {
      const next = now.get(number);
      if (next && next.tag === stamp.tag && next.x === stamp.x && next.y === stamp.y) continue;
      this.apply(number, stamp, -1, touched);
      this.stamps.delete(number);
    }
    for (const [number, stamp] of now) {
      if (this.stamps.has(number)) continue;
      this.apply(number, stamp, 1, touched);
      this.stamps.set(number, stamp);
    }
    let hasChanged = false;
    for (const cell of touched) {
      const owner = this.ownerOf(cell);
      hasChanged ||= owners[cell] !== owner;
      owners[cell] = owner;
    }
    return hasChanged;
  }

  private apply(number: number, { tag, x, y }: Stamp, sign: number, touched: Set<number>): void {
    const { width, height } = this.replay.parts;
    const { strength, decay } = this.controls.get(this.replay.typeName(number))!;
    const reach = Math.floor(strength / decay);
    const scores = this.scores.get(tag) ?? new Int32Array(width * height);
    this.scores.set(tag, scores);
    for (let row = Math.max(0, y - reach); row <= Math.min(height - 1, y + reach); row++) {
      for (let column = Math.max(0, x - reach); column <= Math.min(width - 1, x + reach); column++) {
        const square = (row - y) ** 2 + (column - x) ** 2;
        if (square > reach * reach) continue;
        const score = strength * 1024 - decay * Math.floor(Math.sqrt(square * 1024 * 1024));
        if (score <= 0) continue;
        scores[row * width + column] += sign * score;
        touched.add(row * width + column);
      }
    }
  }

  private ownerOf(cell: number): number {
    let [owner, best] = [-1, 0];
    for (const [tag, scores] of this.scores) {
      if (scores[cell] > best) [owner, best] = [tag, scores[cell]];
      else if (scores[cell] === best) owner = -1;
    }
    return owner;
  }
}

function controlsOf(objects: Json | undefined, territory: string): Map<string, Control> {
  const controls = new Map<string, Control>();
  for (const object of isObject(objects) ? Object.values(objects) : []) {
    const [name, listed] = [inside(object, "name"), inside(object, "territory_controls")];
    if (typeof name !== "string" || !Array.isArray(listed)) continue;
    for (const control of listed) {
      const [strength, decay] = [inside(control, "strength") ?? 1, inside(control, "decay") ?? 1];
      if (inside(control, "territory") !== territory) continue;
      if (isInteger(strength, 1, 500) && isInteger(decay, 1, 500)) controls.set(name, { strength, decay });
    }
  }
  return controls;
}

import type { GameEvent } from "./events";
import { Numbers } from "./growth";
import type { Replay } from "./replay";
import { Field } from "./rows";

export const HEAT_KINDS = ["visits", "captures", "deaths"] as const;
export type HeatKind = (typeof HEAT_KINDS)[number];

/** The agents to count; null for all. */
export type AgentFilter = ReadonlySet<number> | null;

/** Counts events per cell up to a tick. Moving forward costs only the new ticks. */
export class HeatMap {
  readonly counts: Uint32Array;
  most = 0;
  total = 0;
  private next = 0;
  private tick: number;
  private readonly ticks = new Numbers();
  private readonly cells = new Numbers();
  private known = -1;
  private eventsRead = 0;
  private readonly moves: number[] = [];

  constructor(
    private readonly replay: Replay,
    readonly kind: HeatKind,
    private readonly events: readonly GameEvent[],
    private readonly filter: AgentFilter = null,
  ) {
    this.counts = new Uint32Array(replay.parts.width * replay.parts.height);
    this.tick = replay.firstTick - 1;
  }

  seek(tick: number): void {
    if (this.known < this.replay.lastTick) this.learn();
    if (tick < this.tick) {
      this.counts.fill(0);
      this.next = this.most = this.total = 0;
    }
    for (; this.next < this.ticks.length && this.ticks.data[this.next] <= tick; this.next++) {
      this.most = Math.max(this.most, ++this.counts[this.cells.data[this.next]]);
      this.total++;
    }
    this.tick = tick;
  }

  at(x: number, y: number): number {
    return this.counts[y * this.replay.parts.width + x] ?? 0;
  }

  /** Add the events since the last call. */
  private learn(): void {
    this.known = this.replay.lastTick;
    const happened = this.kind === "visits" ? this.visits() : this.fromEvents();
    happened.sort((a, b) => a[0] - b[0]);
    for (const [tick, cell] of happened) {
      this.ticks.push(tick);
      this.cells.push(cell);
    }
  }

  /** Count a visit: an agent starts in a cell or enters one. */
  private visits(): [number, number][] {
    const { timeline, parts } = this.replay;
    const visits: [number, number][] = [];
    this.replay.agentObjects.forEach((number, agent) => {
      const slot = number < 0 || (this.filter && !this.filter.has(agent)) ? -1 : timeline.slot(Field.location, number);
      if (slot < 0) return;
      const visit = (tick: number, place: number) =>
        visits.push([tick, (place >>> 16) * parts.width + (place & 0xffff)]);
      this.moves[agent] = timeline.eachChange(slot, visit, this.moves[agent] ?? -1);
    });
    return visits;
  }

  private fromEvents(): [number, number][] {
    const eventKind = this.kind === "captures" ? "capture" : "death";
    const fresh = this.events.slice(this.eventsRead);
    this.eventsRead = this.events.length;
    return fresh
      .filter((event) => event.kind === eventKind && (!this.filter || this.filter.has(event.agent)))
      .map((event) => [event.tick, event.y * this.replay.parts.width + event.x]);
  }
}

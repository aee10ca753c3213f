import type { GameEvent } from "./events";
import type { Replay } from "./replay";
import { Field } from "./rows";

export const HEAT_KINDS = ["visits", "captures", "deaths"] as const;
export type HeatKind = (typeof HEAT_KINDS)[number];

/** Which agents count; null for all. */
export type AgentFilter = ReadonlySet<number> | null;

/** How often something had happened in each cell, up to a tick. Going on costs only what is new. */
export class HeatMap {
  readonly counts: Uint32Array;
  most = 0;
  total = 0;
  private next = 0;
  private tick: number;
  private readonly ticks: Int32Array;
  private readonly cells: Int32Array;

  constructor(
    private readonly replay: Replay,
    readonly kind: HeatKind,
    events: readonly GameEvent[],
    filter: AgentFilter = null,
  ) {
    this.counts = new Uint32Array(replay.parts.width * replay.parts.height);
    const happened = kind === "visits" ? visits(replay, filter) : fromEvents(replay, kind, events, filter);
    happened.sort((a, b) => a[0] - b[0]);
    this.ticks = Int32Array.from(happened, ([tick]) => tick);
    this.cells = Int32Array.from(happened, ([, cell]) => cell);
    this.tick = replay.firstTick - 1;
  }

  seek(tick: number): void {
    if (tick < this.tick) {
      this.counts.fill(0);
      this.next = this.most = this.total = 0;
    }
    for (; this.next < this.ticks.length && this.ticks[this.next] <= tick; this.next++) {
      this.most = Math.max(this.most, ++this.counts[this.cells[this.next]]);
      this.total++;
    }
    this.tick = tick;
  }

  at(x: number, y: number): number {
    return this.counts[y * this.replay.parts.width + x] ?? 0;
  }
}

/** An agent is in a cell at the beginning, or enters one. */
function visits(replay: Replay, filter: AgentFilter): [number, number][] {
  const { timeline, parts } = replay;
  const found: [number, number][] = [];
  replay.agentObjects.forEach((number, agent) => {
    const slot = number < 0 || (filter && !filter.has(agent)) ? -1 : timeline.slot(Field.location, number);
    if (slot < 0) return;
    timeline.eachChange(slot, (tick, place) => found.push([tick, (place >>> 16) * parts.width + (place & 0xffff)]));
  });
  return found;
}

function fromEvents(
  replay: Replay,
  kind: HeatKind,
  events: readonly GameEvent[],
  filter: AgentFilter,
): [number, number][] {
  const wanted = kind === "captures" ? "capture" : "death";
  return events
    .filter((event) => event.kind === wanted && (!filter || filter.has(event.agent)))
    .map((event) => [event.tick, event.y * replay.parts.width + event.x]);
}

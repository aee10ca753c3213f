import { talkAt } from "./frames";
import type { Replay } from "./replay";
import { Field } from "./rows";
import type { Team, Teams } from "./teams";

export const EVENT_KINDS = ["capture", "loss", "wave", "death", "role", "talk", "gone"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** An event, derived from the recorded data. */
export interface GameEvent {
  readonly tick: number;
  readonly kind: EventKind;
  readonly text: string;
  /** the team concerned, or null */
  readonly team: Team | null;
  /** the object it happened to, or -1 */
  readonly object: number;
  /** the agent that caused it or was affected, or -1 */
  readonly agent: number;
  readonly x: number;
  readonly y: number;
}

const MOST_EVENTS = 50_000;
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  move_north: [0, -1],
  move_south: [0, 1],
  move_west: [-1, 0],
  move_east: [1, 0],
  move_northwest: [-1, -1],
  move_northeast: [1, -1],
  move_southwest: [-1, 1],
  move_southeast: [1, 1],
};

/** Return the direction of a move action as [columns, rows]; null for other actions. */
export function stepOf(actionName: string | undefined): readonly [number, number] | null {
  return actionName !== undefined && Object.hasOwn(STEPS, actionName) ? STEPS[actionName] : null;
}

/** The events so far, in order of time. Appending ticks to a replay costs only those ticks. */
export class EventLog {
  readonly events: GameEvent[] = [];
  private tick: number;
  private fresh: GameEvent[] = [];
  private readonly hp: number;
  private readonly talksTold: number[];

  constructor(
    private readonly replay: Replay,
    private readonly teams: Teams,
  ) {
    this.tick = replay.firstTick;
    this.hp = replay.parts.resourceNames.indexOf("hp");
    this.talksTold = replay.parts.notes.map(() => 0);
  }

  extend(): void {
    const { timeline } = this.replay;
    while (this.tick < timeline.lastTick) {
      this.tick++;
      const from = this.fresh.length;
      timeline.eachAt(this.tick, (slot, value) => this.change(slot, value));
      if (this.fresh.length > from) this.waves(this.fresh.slice(from));
    }
    this.talks();
    const order = ({ kind }: GameEvent) => EVENT_KINDS.indexOf(kind);
    this.fresh.sort(
      (a, b) => a.tick - b.tick || order(a) - order(b) || a.object - b.object || compared(a.text, b.text),
    );
    for (const event of this.fresh) if (this.events.length < MOST_EVENTS) this.events.push(event);
    this.fresh = [];
  }

  private change(slot: number, value: number): void {
    const { timeline, parts } = this.replay;
    const [field, number, key] = [timeline.slotField[slot], timeline.slotObject[slot], timeline.slotKey[slot]];
    if (field !== Field.tag && field !== Field.amount && field !== Field.alive) return;
    const before = timeline.valueAt(slot, this.tick - 1);
    const agent = parts.agentOf[number];
    if (field === Field.tag) {
      const team = agent < 0 ? this.teams.ofTag(key) : null;
      if (!team) return;
      this.teams.changesHands(this.replay.typeName(number));
      if (Boolean(value) !== Boolean(before)) this.holding(this.tick, number, team, value !== 0);
    } else if (field === Field.alive) {
      if (!value && before) this.gone(number);
    } else if (agent >= 0) {
      const team = this.teams.ofAgent(agent);
      if (key === this.hp && value === 0 && before > 0) {
        this.addFor(agent, number, team, this.tick, "death", `Agent ${agent} has no health left`);
      }
      if (value > 0 && before === 0 && this.teams.roleResources.includes(key)) {
        this.addFor(agent, number, team, this.tick, "role", `Agent ${agent} becomes ${parts.resourceNames[key]}`);
      }
    }
  }

  /** Report a capture by a team without agents: one event for its gains and losses of that tick. */
  private waves(events: readonly GameEvent[]): void {
    const gains = new Map<Team, GameEvent[]>();
    for (const event of events) {
      if (event.kind !== "capture" || event.agent >= 0 || !event.team || event.team.agents.length) continue;
      gains.set(event.team, [...(gains.get(event.team) ?? []), event]);
    }
    for (const [team, taken] of gains) {
      const { tick, x, y } = taken.reduce((a, b) => (b.object < a.object ? b : a));
      const others = events.filter((event) => event.kind === "loss" && event.agent < 0 && event.team !== team);
      const lost = others.length ? `, other teams lose ${others.length}` : "";
      const text = `${team.name} wave: takes ${taken.length}${lost}`;
      this.add({ tick, kind: "wave", text, team, object: -1, agent: -1, x, y });
    }
  }

  private talks(): void {
    this.eachAgent((agent, number, team) => {
      const { talk } = this.replay.parts.notes[agent];
      for (; this.talksTold[agent] < talk.length; this.talksTold[agent]++) {
        const { tick, value } = talk[this.talksTold[agent]];
        if (value.text && talkAt(this.replay, agent, tick)[0]) {
          this.addFor(agent, number, team, tick, "talk", `Agent ${agent}: ${value.text}`);
        }
      }
    });
  }

  /** Report an object that leaves the map. */
  private gone(number: number): void {
    const [x, y] = this.replay.placeAt(number, this.tick);
    const text = `${readableName(this.replay.typeName(number))} at ${x}, ${y} is gone`;
    this.add({ tick: this.tick, kind: "gone", text, team: null, object: number, agent: -1, x, y });
  }

  private holding(tick: number, number: number, team: Team, gained: boolean): void {
    const [x, y] = this.replay.placeAt(number, tick);
    const agent = this.agentAt(tick, x, y);
    const what = `${readableName(this.replay.typeName(number))} at ${x}, ${y}`;
    const by = agent < 0 ? "" : ` (agent ${agent})`;
    const text = gained ? `${team.name} takes ${what}${by}` : `${team.name} loses ${what}${by}`;
    this.add({ tick, kind: gained ? "capture" : "loss", text, team, object: number, agent, x, y });
  }

  /** Return the agent that used the object at a cell in the step before a tick, or -1. */
  private agentAt(tick: number, x: number, y: number): number {
    const { replay } = this;
    for (let agent = 0; agent < replay.agentObjects.length; agent++) {
      const number = replay.agentObjects[agent];
      if (number < 0) continue;
      const [column, row] = replay.placeAt(number, tick);
      if (Math.abs(column - x) > 1 || Math.abs(row - y) > 1) continue;
      const step = stepOf(replay.parts.actionNames[this.value(Field.action, number, tick)]);
      if (!step || column + step[0] !== x || row + step[1] !== y) continue;
      if (this.value(Field.success, number, tick)) return agent;
    }
    return -1;
  }

  private value(field: number, number: number, tick: number): number {
    const slot = this.replay.timeline.slot(field, number);
    return slot < 0 ? 0 : this.replay.timeline.valueAt(slot, tick);
  }

  private eachAgent(call: (agent: number, number: number, team: Team | null) => void): void {
    this.replay.agentObjects.forEach((number, agent) => {
      if (number >= 0) call(agent, number, this.teams.ofAgent(agent));
    });
  }

  private addFor(agent: number, number: number, team: Team | null, tick: number, kind: EventKind, text: string): void {
    const [x, y] = this.replay.placeAt(number, tick);
    this.add({ tick, kind, text, team, object: number, agent, x, y });
  }

  private add(event: GameEvent): void {
    this.fresh.push(event);
  }
}

function compared(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function readableName(name: string): string {
  return name.replaceAll("_", " ") || "object";
}

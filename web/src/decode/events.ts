import { talkAt } from "./frames";
import type { Replay } from "./replay";
import { Field } from "./rows";
import type { Team, Teams } from "./teams";

export const EVENT_KINDS = ["capture", "loss", "wave", "death", "role", "talk", "gone"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Something worth jumping to, found in what the replay recorded. */
export interface GameEvent {
  readonly tick: number;
  readonly kind: EventKind;
  readonly text: string;
  /** whose event it is, or null */
  readonly team: Team | null;
  /** the object it happened to, or -1 */
  readonly object: number;
  /** the agent that did it or to whom it happened, or -1 */
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

/** Where an action moves an agent: [columns, rows]; null for one that does not. */
export function stepOf(actionName: string | undefined): readonly [number, number] | null {
  return actionName !== undefined && Object.hasOwn(STEPS, actionName) ? STEPS[actionName] : null;
}

export function findEvents(replay: Replay, teams: Teams): GameEvent[] {
  const finder = new EventFinder(replay, teams);
  finder.holdings();
  finder.waves();
  finder.deaths();
  finder.roles();
  finder.talks();
  finder.gone();
  const order = (event: GameEvent) => EVENT_KINDS.indexOf(event.kind);
  return finder.events.sort((a, b) => a.tick - b.tick || order(a) - order(b)).slice(0, MOST_EVENTS);
}

class EventFinder {
  readonly events: GameEvent[] = [];

  constructor(
    private readonly replay: Replay,
    private readonly teams: Teams,
  ) {}

  /** Objects that teams take from one another. */
  holdings(): void {
    const { timeline } = this.replay;
    for (const number of this.replay.things) {
      if (!this.teams.holdingTypes.has(this.replay.typeName(number))) continue;
      for (const team of this.teams.list) {
        const slot = team.tag < 0 ? -1 : timeline.slot(Field.tag, number, team.tag);
        if (slot < 0) continue;
        timeline.eachChange(slot, (tick, now, before) => {
          if (Boolean(now) !== Boolean(before)) this.holding(tick, number, team, now !== 0);
        });
      }
    }
  }

  /** A team without agents gains something: its losses and gains of that tick, told once. */
  waves(): void {
    const ticks = new Map<string, GameEvent[]>();
    const losses = new Map<number, GameEvent[]>();
    for (const event of this.events) {
      if (event.kind === "loss" && event.agent < 0) {
        losses.set(event.tick, [...(losses.get(event.tick) ?? []), event]);
      }
      if (event.kind !== "capture" || event.agent >= 0 || !event.team || event.team.agents.length) continue;
      const key = `${event.tick}/${event.team.index}`;
      ticks.set(key, [...(ticks.get(key) ?? []), event]);
    }
    for (const gains of ticks.values()) {
      const { tick, team, x, y } = gains[0];
      const others = (losses.get(tick) ?? []).filter((event) => event.team !== team);
      const lost = others.length ? `, other teams lose ${others.length}` : "";
      const text = `${team!.name} wave: takes ${gains.length}${lost}`;
      this.add({ tick, kind: "wave", text, team, object: -1, agent: -1, x, y });
    }
  }

  /** An agent's health reaches 0. */
  deaths(): void {
    const hp = this.replay.parts.resourceNames.indexOf("hp");
    if (hp < 0) return;
    this.eachAgent((agent, number, team) => {
      const slot = this.replay.timeline.slot(Field.amount, number, hp);
      if (slot < 0) return;
      this.replay.timeline.eachChange(slot, (tick, now, before) => {
        if (now === 0 && before > 0) {
          this.addFor(agent, number, team, tick, "death", `Agent ${agent} is out of health`);
        }
      });
    });
  }

  roles(): void {
    this.eachAgent((agent, number, team) => {
      for (const resource of this.teams.roleResources) {
        const slot = this.replay.timeline.slot(Field.amount, number, resource);
        if (slot < 0) continue;
        const name = this.replay.parts.resourceNames[resource];
        this.replay.timeline.eachChange(slot, (tick, now, before) => {
          if (now > 0 && before === 0) this.addFor(agent, number, team, tick, "role", `Agent ${agent} becomes ${name}`);
        });
      }
    });
  }

  talks(): void {
    this.eachAgent((agent, number, team) => {
      for (const { tick, value } of this.replay.parts.notes[agent].talk) {
        if (value.text && talkAt(this.replay, agent, tick)[0]) {
          this.addFor(agent, number, team, tick, "talk", `Agent ${agent}: ${value.text}`);
        }
      }
    });
  }

  /** Objects that leave the map. */
  gone(): void {
    const { timeline } = this.replay;
    for (const number of this.replay.things) {
      const slot = timeline.slot(Field.alive, number);
      if (slot < 0) continue;
      timeline.eachChange(slot, (tick, now, before) => {
        if (now || !before) return;
        const [x, y] = this.replay.placeAt(number, tick);
        const text = `${spoken(this.replay.typeName(number))} at ${x}, ${y} is gone`;
        this.add({ tick, kind: "gone", text, team: null, object: number, agent: -1, x, y });
      });
    }
  }

  private holding(tick: number, number: number, team: Team, gained: boolean): void {
    const [x, y] = this.replay.placeAt(number, tick);
    const agent = this.agentAt(tick, x, y);
    const what = `${spoken(this.replay.typeName(number))} at ${x}, ${y}`;
    const by = agent < 0 ? "" : ` (agent ${agent})`;
    const text = gained ? `${team.name} takes ${what}${by}` : `${team.name} loses ${what}${by}`;
    this.add({ tick, kind: gained ? "capture" : "loss", text, team, object: number, agent, x, y });
  }

  /** The agent that used the object at a cell in the step that led to a tick, or -1. */
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
    this.events.push(event);
  }
}

export function spoken(name: string): string {
  return name.replaceAll("_", " ") || "object";
}

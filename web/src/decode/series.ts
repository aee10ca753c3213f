import { grown } from "./growth";
import type { Replay } from "./replay";
import { rewardTotals } from "./rewards";
import { Field } from "./rows";
import type { Team, Teams } from "./teams";

/** One number per tick, or per `every` ticks in very long replays. */
export interface Series {
  readonly name: string;
  readonly values: Float64Array;
}

/** A team's values over time. */
export interface TeamSeries {
  readonly team: Team;
  /** number of held objects that can change owners, such as junctions */
  readonly held: Float64Array;
  /** mean of the agents' rewards so far; empty for a team without agents */
  readonly reward: Float64Array;
  /** [resource]: amounts in the team's objects, and carried by its agents */
  readonly stored: readonly Float64Array[];
  readonly carried: readonly Float64Array[];
}

export interface TeamHistory {
  /** ticks from one sample to the next */
  readonly every: number;
  readonly ticks: Int32Array;
  readonly teams: readonly TeamSeries[];
}

const MOST_SAMPLES = 20_000;
const MOST_RESOURCES = 64;

/** Updates sums tick by tick from the recorded changes only. New ticks cost only their own changes. */
export class HistoryMaker {
  private every = 0;
  private count = 0;
  private tick = 0;
  private holdings = 0;
  private ticks = new Int32Array(0);
  private lines: Line[] = [];
  private state = new Int32Array(0);
  private cached: TeamHistory | null = null;
  private readonly resources: number;

  constructor(
    private readonly replay: Replay,
    private readonly teams: Teams,
  ) {
    this.resources = Math.min(replay.parts.resourceNames.length, MOST_RESOURCES);
  }

  history(): TeamHistory {
    const { replay } = this;
    const every = Math.max(1, Math.ceil((replay.lastTick - replay.firstTick + 1) / MOST_SAMPLES));
    // A type counts as held from its first change of owner.
    if (every !== this.every || this.holdings !== this.teams.holdingTypes.size) this.restart(every);
    const count = Math.floor((replay.lastTick - replay.firstTick) / every) + 1;
    if (this.cached && count === this.count) return this.cached;
    this.takeNewSlots();
    const room = this.ticks.length;
    if (count > room) this.makeRoom(Math.max(count, Math.min(room * 2, MOST_SAMPLES)));
    while (this.count < count) this.sample();
    const ticks = this.ticks.subarray(0, count);
    this.cached = { every, ticks, teams: this.lines.map((line) => line.series(count)) };
    return this.cached;
  }

  private restart(every: number): void {
    this.every = every;
    this.holdings = this.teams.holdingTypes.size;
    this.count = 0;
    this.tick = this.replay.firstTick;
    this.ticks = new Int32Array(0);
    this.lines = this.teams.list.map((team) => new Line(team, this.resources));
    this.state = new Int32Array(0);
    this.cached = null;
    this.takeNewSlots();
    const { timeline, nonWalls } = this.replay;
    for (const number of nonWalls)
      for (const slot of timeline.slotsOf(number)) this.apply(slot, timeline.firstValue(slot));
  }

  private makeRoom(size: number): void {
    this.ticks = grown(this.ticks, size);
    for (const line of this.lines) line.makeRoom(size);
  }

  private takeNewSlots(): void {
    const { slots } = this.replay.timeline;
    if (slots > this.state.length) this.state = grown(this.state, Math.max(slots, this.state.length * 2));
  }

  private sample(): void {
    const i = this.count++;
    const until = this.replay.firstTick + i * this.every;
    const apply = (slot: number, value: number) => this.apply(slot, value);
    while (this.tick < until) this.replay.timeline.eachAt(++this.tick, apply);
    this.ticks[i] = until;
    const total = rewardTotals(this.replay);
    for (const line of this.lines) line.sample(i, (agent) => total(agent, until));
  }

  private apply(slot: number, value: number): void {
    const { timeline } = this.replay;
    const [field, number, key] = [timeline.slotField[slot], timeline.slotObject[slot], timeline.slotKey[slot]];
    const before = this.state[slot];
    if (value === before || field >= Field.stat) return;
    this.state[slot] = value;
    if (field === Field.amount && key < this.resources && this.isThere(number)) {
      for (const index of this.members(number)) this.add(index, number, key, value - before);
    } else if (field === Field.tag) {
      const team = this.teams.ofTag(key);
      if (team && this.isThere(number)) this.join(team.index, number, value ? 1 : -1);
    } else if (field === Field.alive) {
      for (const index of this.members(number)) this.join(index, number, value ? 1 : -1);
    }
  }

  private isThere(number: number): boolean {
    const slot = this.replay.timeline.slot(Field.alive, number);
    return slot >= 0 && this.state[slot] !== 0;
  }

  private members(number: number): number[] {
    const { timeline, parts } = this.replay;
    const tagged = this.teams.list.filter((team) => {
      const slot = team.tag < 0 ? -1 : timeline.slot(Field.tag, number, team.tag);
      return slot >= 0 && this.state[slot] !== 0;
    });
    if (tagged.length) return tagged.map((team) => team.index);
    const own = this.teams.list[0]?.tag < 0 ? this.teams.ofAgent(parts.agentOf[number]) : null;
    return own ? [own.index] : [];
  }

  private add(index: number, number: number, key: number, amount: number): void {
    const { stored, carried } = this.lines[index].sums;
    (this.replay.parts.agentOf[number] >= 0 ? carried : stored)[key] += amount;
  }

  private join(index: number, number: number, sign: number): void {
    const { timeline } = this.replay;
    if (this.teams.holdingTypes.has(this.replay.typeName(number))) this.lines[index].sums.held += sign;
    for (const slot of timeline.slotsOf(number)) {
      const key = timeline.slotKey[slot];
      if (timeline.slotField[slot] === Field.amount && key < this.resources)
        this.add(index, number, key, sign * this.state[slot]);
    }
  }
}

/** One team over time, and its current sums. */
class Line {
  readonly sums: { held: number; stored: Float64Array; carried: Float64Array };
  private held = new Float64Array(0);
  private reward = new Float64Array(0);
  private stored: Float64Array[];
  private carried: Float64Array[];

  constructor(
    private readonly team: Team,
    resources: number,
  ) {
    this.sums = { held: 0, stored: new Float64Array(resources), carried: new Float64Array(resources) };
    this.stored = Array.from({ length: resources }, () => new Float64Array(0));
    this.carried = Array.from({ length: resources }, () => new Float64Array(0));
  }

  makeRoom(size: number): void {
    const larger = (old: Float64Array) => {
      const list = new Float64Array(size);
      list.set(old);
      return list;
    };
    this.held = larger(this.held);
    if (this.team.agents.length) this.reward = larger(this.reward);
    this.stored = this.stored.map(larger);
    this.carried = this.carried.map(larger);
  }

  sample(i: number, total: (agent: number) => number): void {
    this.held[i] = this.sums.held;
    for (let r = 0; r < this.stored.length; r++) {
      this.stored[r][i] = this.sums.stored[r];
      this.carried[r][i] = this.sums.carried[r];
    }
    const { agents } = this.team;
    if (agents.length) this.reward[i] = agents.reduce((sum, agent) => sum + total(agent), 0) / agents.length;
  }

  series(count: number): TeamSeries {
    const part = (list: Float64Array) => list.subarray(0, count);
    const { team } = this;
    return {
      team,
      held: part(this.held),
      reward: part(this.reward),
      stored: this.stored.map(part),
      carried: this.carried.map(part),
    };
  }
}

/** Return an agent's amounts at given ticks. */
export function agentSeries(replay: Replay, agent: number, ticks: Int32Array): Series[] {
  const { timeline, parts } = replay;
  const number = replay.agentObjects[agent];
  if (number === undefined || number < 0) return [];
  const total = rewardTotals(replay);
  const series: Series[] = [{ name: "reward", values: Float64Array.from(ticks, (tick) => total(agent, tick)) }];
  parts.resourceNames.forEach((name, resource) => {
    const slot = timeline.slot(Field.amount, number, resource);
    if (slot < 0) return;
    series.push({ name, values: Float64Array.from(ticks, (tick) => timeline.valueAt(slot, tick)) });
  });
  return series;
}

/** Return a stat of the game at given ticks; null if the replay does not record it. */
export function statSeries(replay: Replay, name: string, ticks: Int32Array): Series | null {
  const { timeline, parts } = replay;
  for (const slot of timeline.statSlots) {
    if (parts.statNames[timeline.slotKey[slot]] !== name) continue;
    const bits = Int32Array.from(ticks, (tick) => timeline.valueAt(slot, tick));
    return { name, values: Float64Array.from(new Float32Array(bits.buffer)) };
  }
  return null;
}

import { rewardTotals } from "./frames";
import type { Replay } from "./replay";
import { Field } from "./rows";
import type { Team, Teams } from "./teams";

/** One number per tick, or per `every` ticks in very long replays. */
export interface Series {
  readonly name: string;
  readonly values: Float64Array;
}

/** How a team did over time. */
export interface TeamSeries {
  readonly team: Team;
  /** objects held that teams take from one another, such as junctions */
  readonly held: Float64Array;
  /** mean of the agents' rewards up to now; empty for a team without agents */
  readonly reward: Float64Array;
  /** [resource]: what the team's objects hold, and what its agents carry */
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

/** Adds up, tick by tick, only what changed; the sums are of what the replay recorded. */
export function teamHistory(replay: Replay, teams: Teams): TeamHistory {
  const { timeline, parts } = replay;
  const every = Math.max(1, Math.ceil((replay.lastTick - replay.firstTick + 1) / MOST_SAMPLES));
  const count = Math.floor((replay.lastTick - replay.firstTick) / every) + 1;
  const ticks = Int32Array.from({ length: count }, (_, i) => replay.firstTick + i * every);
  const resources = Math.min(parts.resourceNames.length, MOST_RESOURCES);
  const make = () => Array.from({ length: resources }, () => new Float64Array(count));
  const found = teams.list.map((team) => ({
    team,
    held: new Float64Array(count),
    reward: team.agents.length ? new Float64Array(count) : new Float64Array(0),
    stored: make(),
    carried: make(),
  }));
  const sums = found.map(() => ({
    held: 0,
    stored: new Float64Array(resources),
    carried: new Float64Array(resources),
  }));
  const state = Int32Array.from({ length: timeline.slots }, () => 0);

  const apply = (slot: number, value: number) => {
    const field = timeline.slotField[slot];
    const before = state[slot];
    if (value === before || slot >= timeline.statStart) return;
    state[slot] = value;
    const number = timeline.slotObject[slot];
    const key = timeline.slotKey[slot];
    if (field === Field.amount && key < resources && isThere(number)) {
      for (const index of members(number)) add(index, number, key, value - before);
    } else if (field === Field.tag) {
      const team = teams.ofTag(key);
      if (team && isThere(number)) join(team.index, number, value ? 1 : -1);
    } else if (field === Field.alive) {
      for (const index of members(number)) join(index, number, value ? 1 : -1);
    }
  };
  const isThere = (number: number) => {
    const slot = timeline.slot(Field.alive, number);
    return slot >= 0 && state[slot] !== 0;
  };
  const members = (number: number): number[] => {
    const tagged = teams.list.filter((team) => {
      const slot = team.tag < 0 ? -1 : timeline.slot(Field.tag, number, team.tag);
      return slot >= 0 && state[slot] !== 0;
    });
    if (tagged.length) return tagged.map((team) => team.index);
    const own = teams.list[0]?.tag < 0 ? teams.ofAgent(parts.agentOf[number]) : null;
    return own ? [own.index] : [];
  };
  const add = (index: number, number: number, key: number, amount: number) => {
    const { stored, carried } = sums[index];
    (parts.agentOf[number] >= 0 ? carried : stored)[key] += amount;
  };
  const join = (index: number, number: number, sign: number) => {
    if (teams.holdingTypes.has(replay.typeName(number))) sums[index].held += sign;
    for (let slot = timeline.objectStart[number]; slot < timeline.objectStart[number + 1]; slot++) {
      const key = timeline.slotKey[slot];
      if (timeline.slotField[slot] === Field.amount && key < resources) add(index, number, key, sign * state[slot]);
    }
  };

  const total = rewardTotals(replay);
  const things = new Set(replay.things);
  for (let slot = 0; slot < timeline.statStart; slot++) {
    if (things.has(timeline.slotObject[slot])) apply(slot, timeline.firstValue(slot));
  }
  for (let i = 0, tick = replay.firstTick; i < count; i++) {
    for (; tick < ticks[i]; ) timeline.eachAt(++tick, apply);
    found.forEach((series, index) => {
      series.held[i] = sums[index].held;
      for (let r = 0; r < resources; r++) {
        series.stored[r][i] = sums[index].stored[r];
        series.carried[r][i] = sums[index].carried[r];
      }
      const { agents } = series.team;
      if (agents.length) series.reward[i] = agents.reduce((sum, agent) => sum + total(agent, ticks[i]), 0) / agents.length;
    });
  }
  return { every, ticks, teams: found };
}

/** What one agent had at each of some ticks. */
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

/** A stat of the game at each of some ticks; null when the replay does not record it. */
export function statSeries(replay: Replay, name: string, ticks: Int32Array): Series | null {
  const { timeline, parts } = replay;
  for (let slot = timeline.statStart; slot < timeline.ownerStart; slot++) {
    if (parts.statNames[timeline.slotKey[slot]] !== name) continue;
    const bits = Int32Array.from(ticks, (tick) => timeline.valueAt(slot, tick));
    return { name, values: Float64Array.from(new Float32Array(bits.buffer)) };
  }
  return null;
}

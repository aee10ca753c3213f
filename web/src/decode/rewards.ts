import { lastNote, type Note, type Replay } from "./replay";
import { Field, floatOf } from "./rows";

export type RewardTotals = (agent: number, tick: number) => number;

/** An agent's total reward at each change, computed so far. */
interface Sums {
  readonly cached: Note<number>[];
  /** number of changes included; -1 for none yet */
  changes: number;
  total: number;
  reward: number;
  tick: number;
}

const cache = new WeakMap<Replay, RewardTotals>();

/** Sums an agent's rewards up to a tick: from the file's totals, or from the rewards of each tick. */
export function rewardTotals(replay: Replay): RewardTotals {
  const cached = cache.get(replay);
  if (cached) return cached;
  const totals = replay.parts.totals ? recorded(replay.parts.totals) : addedUp(replay);
  cache.set(replay, totals);
  return totals;
}

function recorded(totals: readonly (readonly Note<number>[])[]): RewardTotals {
  return (agent, tick) => {
    const at = lastNote(totals[agent], tick);
    return at < 0 ? 0 : totals[agent][at].value;
  };
}

function addedUp(replay: Replay): RewardTotals {
  const { parts, timeline } = replay;
  const sums: Sums[] = Array.from(replay.agentObjects, () => ({
    cached: [],
    changes: -1,
    total: 0,
    reward: 0,
    tick: replay.firstTick,
  }));
  return (agent, tick) => {
    const number = replay.agentObjects[agent];
    const slot = number < 0 ? -1 : timeline.slot(Field.reward, number);
    if (slot < 0) return 0;
    const own = sums[agent];
    extend(own, slot);
    const at = lastNote(own.cached, tick);
    if (at < 0) return 0;
    const { tick: since, value } = own.cached[at];
    return value + (tick - since) * floatOf(timeline.valueAt(slot, since));
  };

  function extend(own: Sums, slot: number): void {
    const add = (now: number, value: number) => {
      for (; own.tick < now; own.tick++) own.total += own.reward;
      own.reward = floatOf(value);
      const isBefore = now === replay.firstTick && parts.hasStart; // rewards before the recording started
      own.cached.push({ tick: now, value: isBefore ? 0 : own.total + own.reward });
      if (isBefore) own.tick++;
    };
    own.changes = timeline.eachChange(slot, add, own.changes);
  }
}

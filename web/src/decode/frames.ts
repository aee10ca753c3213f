import { inside } from "./json";
import { type JsonObject, lastNote, type Replay } from "./replay";
import { type RewardTotals, rewardTotals } from "./rewards";
import { Alive, Field } from "./rows";
import type { Cursor } from "./timeline";

/** An object on the map at one tick. Plain data: no rules, no network. */
export interface ObjectView {
  /** position among all objects of the replay */
  readonly number: number;
  /** the engine's id */
  readonly id: number;
  readonly type: string;
  /** agent id, or -1 */
  readonly agent: number;
  readonly x: number;
  readonly y: number;
  readonly vibe: number;
  /** tag ids in order */
  readonly tags: readonly number[];
  /** [resource, amount] in order, without amounts of 0 */
  readonly inventory: readonly (readonly [number, number])[];
  /** whether observations show the inventory; the engine hides it for objects spawned during the episode */
  readonly showsInventory: boolean;
}

/** An agent's action in the step before a tick, and its displayed data. */
export interface AgentView {
  readonly action: number;
  readonly success: boolean;
  readonly animation: number;
  readonly asked: number;
  readonly askedVibe: number;
  readonly reward: number;
  readonly total: number;
  readonly talk: string;
  readonly talkSteps: number;
  /** its observation radius, 0..7; null if the game has no limit or the file does not record it */
  readonly radius: number | null;
}

/** The state at one tick, without constant walls. */
export interface Frame {
  readonly tick: number;
  readonly objects: readonly ObjectView[];
  /** by agent id */
  readonly agents: readonly AgentView[];
}

/** Decodes frames of one replay. Playing and seeking cost about the same. */
export class FrameReader {
  readonly cursor: Cursor;
  private readonly totals: RewardTotals;
  private last: Frame | null = null;
  private shape = -1;

  constructor(readonly replay: Replay) {
    this.cursor = replay.cursor();
    this.totals = rewardTotals(replay);
  }

  at(tick: number): Frame {
    const clamped = this.replay.clamp(tick);
    this.cursor.seek(clamped);
    if (this.last?.tick === clamped && this.shape === this.replay.shape) return this.last;
    this.shape = this.replay.shape;
    const objects: ObjectView[] = [];
    for (const number of this.replay.nonWalls) {
      const view = this.object(number);
      if (view) objects.push(view);
    }
    const agents = Array.from(this.replay.agentObjects, (number, agent) => this.agent(agent, number));
    this.last = { tick: clamped, objects, agents };
    return this.last;
  }

  /** Return an object at the cursor's tick; null if it is not on the map. */
  object(number: number): ObjectView | null {
    const { timeline, parts } = this.replay;
    const { slotField, slotKey } = timeline;
    const { state } = this.cursor;
    let [alive, place, vibe] = [0, 0, 0];
    const tags: number[] = [];
    const inventory: [number, number][] = [];
    for (const slot of timeline.slotsOf(number)) {
      const value = state[slot];
      switch (slotField[slot]) {
        case Field.alive:
          alive = value;
          break;
        case Field.location:
          place = value;
          break;
        case Field.amount:
          if (value !== 0) inventory.push([slotKey[slot], value]);
          break;
        case Field.tag:
          if (value !== 0) tags.push(slotKey[slot]);
          break;
        case Field.vibe:
          vibe = value;
          break;
      }
    }
    if (!alive) return null;
    return {
      number,
      id: parts.ids[number],
      type: this.replay.typeName(number),
      agent: parts.agentOf[number],
      x: place & 0xffff,
      y: place >>> 16,
      vibe,
      tags,
      inventory,
      showsInventory: alive !== Alive.withoutInventory && (parts.observedValues !== null || this.isOfTheMap(number)),
    };
  }

  /** Return whether an object exists from the first tick. */
  private isOfTheMap(number: number): boolean {
    const { timeline } = this.replay;
    const slot = timeline.slot(Field.alive, number);
    return slot >= 0 && timeline.valueAt(slot, this.replay.firstTick) !== Alive.gone;
  }

  /** Return the limits of an object at the cursor's tick: [limit, allowed amount]. */
  limits(number: number): [key: number, limit: number][] {
    const { timeline } = this.replay;
    const limits: [number, number][] = [];
    for (const slot of timeline.slotsOf(number)) {
      if (timeline.slotField[slot] === Field.limit) limits.push([timeline.slotKey[slot], this.cursor.state[slot]]);
    }
    return limits;
  }

  /** Return the game's stats at the cursor's tick, as [name, value]. */
  stats(): [string, number][] {
    const { timeline, parts } = this.replay;
    const stats: [string, number][] = [];
    for (const slot of timeline.statSlots) {
      stats.push([parts.statNames[timeline.slotKey[slot]], this.cursor.reals[slot]]);
    }
    return stats;
  }

  /**
   * Fill in the owning tag of each cell at the cursor's tick, -1 for none; return false if the file does not record
   * owners.
   */
  owners(into: Int32Array, territory = 0): boolean {
    const { timeline } = this.replay;
    into.fill(-1);
    for (const slot of timeline.ownerSlots) {
      if (timeline.slotKey[slot] === territory) into[timeline.slotObject[slot]] = this.cursor.state[slot];
    }
    return timeline.ownerSlots.length > 0;
  }

  private agent(agent: number, number: number): AgentView {
    const { timeline } = this.replay;
    const { state, reals, tick } = this.cursor;
    const view = { action: 0, success: false, animation: 0, asked: 0, askedVibe: 0, reward: 0 };
    const limitsSight = this.replay.parts.observedValues !== null && hasSightLimit(this.replay);
    let radius: number | null = limitsSight ? 0 : null;
    for (const slot of timeline.slotsOf(number)) {
      switch (timeline.slotField[slot]) {
        case Field.action:
          view.action = state[slot];
          break;
        case Field.success:
          view.success = state[slot] !== 0;
          break;
        case Field.animation:
          view.animation = state[slot];
          break;
        case Field.asked:
          view.asked = state[slot];
          break;
        case Field.askedVibe:
          view.askedVibe = state[slot];
          break;
        case Field.reward:
          view.reward = reals[slot];
          break;
        case Field.radius:
          radius = state[slot];
          break;
      }
    }
    const [talk, talkSteps] = talkAt(this.replay, agent, tick);
    return { ...view, total: this.totals(agent, tick), talk, talkSteps, radius };
  }
}

/** Return whether a game value limits the observation radius. */
export function hasSightLimit(replay: Replay): boolean {
  const value = inside(replay.parts.config, "game", "obs", "observation_radius_value");
  return value !== undefined && value !== null;
}

/** Return [an agent's current talk, remaining steps]; ["", 0] when it is silent. */
export function talkAt(replay: Replay, agent: number, tick: number): [string, number] {
  const { talk } = replay.parts.notes[agent];
  const at = lastNote(talk, tick);
  if (at < 0) return ["", 0];
  const { text, steps } = talk[at].value;
  const left = steps - (tick - talk[at].tick);
  return left > 0 ? [text, left] : ["", 0];
}

/** Return the infos of an agent's policy. */
export function infosAt(replay: Replay, agent: number, tick: number): JsonObject {
  const { infos } = replay.parts.notes[agent];
  const at = lastNote(infos, tick);
  return at < 0 ? {} : infos[at].value;
}

export function policyName(replay: Replay, agent: number): string {
  const { infos } = replay.parts.notes[agent];
  for (let i = infos.length - 1; i >= 0; i--) {
    const name = infos[i].value.policy_name;
    if (typeof name === "string" && name) return name;
  }
  return "";
}

/** Return an agent's monologue up to a tick; only its end if it is long. */
export function monologueAt(replay: Replay, agent: number, tick: number, most = 20_000): string {
  const { monologue } = replay.parts.notes[agent];
  let text = "";
  for (let at = lastNote(monologue, tick); at >= 0 && text.length < most; at--) {
    text = monologue[at].value + text;
    if (monologue[at].reset) break;
  }
  return text.slice(-most);
}

import type { Frame, FrameReader, ObjectView } from "./frames";
import { inside, isInteger, isObject } from "./json";
import type { Json, Replay } from "./replay";
import { Field, floatOf } from "./rows";
import type { Territory } from "./territory";
import type { Vision } from "./vision";

/** One token of an observation and its meaning. */
export interface Token {
  /** null for a token without a cell; otherwise [columns, rows] from the agent */
  readonly offset: readonly [number, number] | null;
  /** as the engine encodes it: row << 4 | column in the window, 0xFE for no cell */
  readonly location: number;
  readonly feature: string;
  /** -1 when the replay does not name its features */
  readonly featureId: number;
  readonly value: number;
  /** the name of the value, if it is an id: a tag, an action, a vibe */
  readonly meaning: string;
}

export interface Observation {
  readonly tokens: readonly Token[];
  /** features that the agent observed but the replay does not record */
  readonly missing: readonly string[];
}

const GLOBAL = 0xfe;

/**
 * Rebuilds an agent's observation from the recorded state. Replays do not store observations; positions, tags,
 * items, vibes and owners of cells are recorded, and their encoding as tokens is fixed. Features that need other data
 * are listed in `missing`, not guessed.
 */
export class Observer {
  private readonly features = new Map<string, number>();
  private readonly base: number;
  private readonly budget: number;
  private readonly wallAt = new Map<number, number>();
  private shape = -1;
  private readonly obs: Json | undefined;

  constructor(
    private readonly replay: Replay,
    private readonly reader: FrameReader,
    private readonly vision: Vision,
    private readonly territory: Territory,
  ) {
    const { policyEnvInterface, config } = replay.parts;
    const listed = policyEnvInterface.obs_features;
    for (const feature of Array.isArray(listed) ? listed : []) {
      const [id, name] = [inside(feature, "id"), inside(feature, "name")];
      if (isInteger(id, 0, 255) && typeof name === "string") this.features.set(name, id);
    }
    this.obs = inside(config, "game", "obs");
    const [base, budget] = [inside(this.obs, "token_value_base"), inside(this.obs, "num_tokens")];
    this.base = isInteger(base, 2, 256) ? base : 256;
    this.budget = isInteger(budget, 1, 65535) ? budget : 65535;
  }

  /** The reader and the territory must be at the frame's tick. */
  observe(agent: number, frame: Frame): Observation {
    const own = frame.objects.find((object) => object.agent === agent);
    if (!own) return { tokens: [], missing: [] };
    const missing: string[] = [];
    const tokens = this.globals(own, agent, frame, missing);
    const { width } = this.replay.parts;
    const objectAt = new Map(frame.objects.map((object) => [object.y * width + object.x, object]));
    const radius = this.vision.radiusOf(agent, frame);
    for (const cell of this.vision.cellsFrom(own.x, own.y, frame, radius)) {
      const offset: [number, number] = [(cell % width) - own.x, Math.floor(cell / width) - own.y];
      if (inside(this.obs, "territory") === true) this.edges(own, cell, offset, radius, tokens, missing);
      const object = objectAt.get(cell) ?? this.wall(cell);
      if (object) this.objectTokens(object, offset, tokens);
    }
    if (this.vision.lacksRadius) missing.push("all cells except its own");
    return { tokens: tokens.slice(0, this.budget), missing: [...new Set(missing)] };
  }

  private globals(own: ObjectView, agent: number, frame: Frame, missing: string[]): Token[] {
    const tokens: Token[] = [];
    const flags = inside(this.obs, "global_obs");
    if (!isObject(flags)) {
      missing.push("all tokens without a cell");
      return tokens;
    }
    const { maxSteps, actionNames, hasStart } = this.replay.parts;
    const { action } = frame.agents[agent];
    const add = (feature: string, value: number, meaning = "") =>
      tokens.push(this.token(null, feature, value, meaning));
    if (flags.episode_completion_pct) {
      const part = maxSteps ? Math.floor((256 * frame.tick) / maxSteps) : 0;
      add("episode_completion_pct", maxSteps && frame.tick >= maxSteps ? 255 : part);
    }
    if (flags.last_action) add("last_action", action & 255, actionNames[action] ?? "");
    if (flags.last_action_move) {
      const before = this.replay.placeAt(own.number, frame.tick - 1);
      if (frame.tick > this.replay.firstTick) {
        add("last_action_move", Number(before[0] !== own.x || before[1] !== own.y));
      } else if (hasStart) add("last_action_move", 0);
      else missing.push("last_action_move");
    }
    if (flags.last_reward) this.lastReward(agent, frame, add, missing);
    if (flags.local_position) this.localPosition(own, add, missing);
    if (inside(this.obs, "territory") === true) {
      const label = this.label(own, own.y * this.replay.parts.width + own.x);
      if (label === null) missing.push("territory");
      else add("territory:here", label, ["unowned", "own", "another team's"][label]);
    }
    for (const [name, value] of Object.entries(isObject(flags.obs) ? flags.obs : {})) {
      const amount = this.recorded(name, own) ?? this.gameValue(value, own, frame);
      if (amount === null) missing.push(name);
      else this.digits(null, name, Math.max(0, Math.min(65535, amount)), tokens);
    }
    return tokens;
  }

  /**
   * The engine writes this token before it updates rewards: always 0, or with the correction the previous step's
   * reward.
   */
  private lastReward(
    agent: number,
    { tick }: Frame,
    add: (name: string, value: number) => void,
    missing: string[],
  ): void {
    const { corrections, hasStart } = this.replay.parts;
    if (!corrections.includes("last_reward")) add("last_reward", 0);
    else if (tick === this.replay.firstTick && (tick > 0 || !hasStart)) missing.push("last_reward");
    else {
      const slot = this.replay.timeline.slot(Field.reward, this.replay.agentObjects[agent]);
      const before =
        slot < 0 || tick === this.replay.firstTick ? 0 : floatOf(this.replay.timeline.valueAt(slot, tick - 1));
      const hundredths = Math.fround(before * 100);
      add("last_reward", Math.trunc(Math.fround(hundredths < 0 ? hundredths - 0.5 : hundredths + 0.5)) & 255);
    }
  }

  private localPosition(own: ObjectView, add: (name: string, value: number) => void, missing: string[]): void {
    if (!this.replay.parts.hasStart || this.replay.firstTick > 0) {
      missing.push("lp:*"); // the agent's starting cell is not recorded
      return;
    }
    const [x, y] = this.replay.placeAt(own.number, this.replay.firstTick);
    const [east, south] = [own.x - x, own.y - y];
    if (east) add(east > 0 ? "lp:east" : "lp:west", Math.min(255, Math.abs(east)));
    if (south) add(south > 0 ? "lp:south" : "lp:north", Math.min(255, Math.abs(south)));
  }

  /** Return a value as the agent observed it; null if the file does not record it. */
  private recorded(name: string, own: ObjectView): number | null {
    const key = this.replay.parts.observedValues?.indexOf(name) ?? -1;
    if (key < 0) return null;
    const slot = this.replay.timeline.slot(Field.observed, own.number, key);
    return slot < 0 ? 0 : this.reader.cursor.state[slot];
  }

  /** Sum an item over objects of a tag that share a team with the agent: the one kind of value that is not recorded. */
  private gameValue(value: Json, own: ObjectView, frame: Frame): number | null {
    const [source, item] = [inside(value, "query", "source"), inside(value, "item")];
    const filters = inside(value, "query", "filters") ?? [];
    if ((inside(value, "query", "query_type") ?? "query") !== "query") return null;
    const resource = this.replay.parts.resourceNames.indexOf(String(item));
    const tag = this.replay.parts.tagNames.indexOf(String(source));
    if (resource < 0 || tag < 0 || !Array.isArray(filters) || inside(value, "query", "max_items")) return null;
    const shared: Set<number>[] = [];
    for (const filter of filters) {
      const prefix = inside(filter, "tag_prefix");
      if (inside(filter, "filter_type") !== "shared_tag_prefix" || typeof prefix !== "string") return null;
      const tags = this.replay.tagsWithPrefix(prefix);
      shared.push(new Set(own.tags.filter((mine) => tags.has(mine))));
    }
    const isMeant = (object: ObjectView) =>
      object.tags.includes(tag) && shared.every((tags) => object.tags.some((other) => tags.has(other)));
    const amountIn = (object: ObjectView) => object.inventory.find(([held]) => held === resource)?.[1] ?? 0;
    return frame.objects.filter(isMeant).reduce((sum, object) => sum + amountIn(object), 0);
  }

  /** Return 0 for no owner, 1 for the agent's team, 2 for another team; null if unknown. */
  private label(own: ObjectView, cell: number): number | null {
    if (this.territory.source === "unknown") return this.hasTerritories() ? null : 0;
    const owner = this.territory.owners[cell];
    if (owner < 0) return 0;
    return own.tags.includes(owner) ? 1 : 2;
  }

  /** Return whether cells may have owners that the file does not record. */
  private hasTerritories(): boolean {
    const territories = inside(this.replay.parts.config, "game", "territories");
    return !this.replay.parts.territoryNames.length && isObject(territories) && Object.keys(territories).length > 0;
  }

  /** Return one token per border of a cell. The engine writes none between two owners that are both the observer's. */
  private edges(
    own: ObjectView,
    cell: number,
    offset: readonly [number, number],
    radius: number,
    tokens: Token[],
    missing: string[],
  ): void {
    const { width, height } = this.replay.parts;
    const { owners } = this.territory;
    for (const [name, dx, dy] of [
      ["north", 0, -1],
      ["south", 0, 1],
      ["east", 1, 0],
      ["west", -1, 0],
    ] as const) {
      const [x, y] = [offset[0] + dx, offset[1] + dy];
      const [column, row] = [own.x + x, own.y + y];
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      if (!this.vision.has(x, y, radius)) continue;
      const other = row * width + column;
      const [label, otherLabel] = [this.label(own, cell), this.label(own, other)];
      if (label === null || otherLabel === null) missing.push("territory");
      else if (owners[cell] !== owners[other] && !(label === 1 && otherLabel === 1)) {
        tokens.push(this.token(offset, `territory:${name}`, 3 * label + otherLabel));
      }
    }
  }

  private objectTokens(object: ObjectView, offset: readonly [number, number], tokens: Token[]): void {
    const { tagNames, vibeNames, resourceNames } = this.replay.parts;
    for (const tag of object.tags) tokens.push(this.token(offset, "tag", tag, tagNames[tag] ?? ""));
    if (object.vibe) tokens.push(this.token(offset, "vibe", object.vibe, vibeNames[object.vibe] ?? ""));
    for (const [resource, amount] of object.showsInventory ? object.inventory : []) {
      this.digits(offset, `inv:${resourceNames[resource] ?? resource}`, amount, tokens);
    }
    if (object.agent < 0) return;
    tokens.push(this.token(offset, "agent:group", this.replay.kind(object.number).groupId & 255));
    tokens.push(this.token(offset, "agent_id", object.agent & 255));
  }

  /** Encode a number as tokens, one per digit, the last digit first. */
  private digits(offset: readonly [number, number] | null, name: string, amount: number, tokens: Token[]): void {
    const digits = `${amount}`;
    for (let part = 0; part === 0 || amount > 0; part++) {
      const feature = part ? `${name}:p${part}` : name;
      tokens.push(this.token(offset, feature, amount % this.base, part ? "" : digits));
      amount = Math.floor(amount / this.base);
      if (part > 16) return;
    }
  }

  private token(offset: readonly [number, number] | null, feature: string, value: number, meaning = ""): Token {
    const [row, column] = offset
      ? [offset[1] + (this.vision.height >> 1), offset[0] + (this.vision.width >> 1)]
      : [0, 0];
    const location = offset ? (row << 4) | column : GLOBAL;
    return { offset, location, feature, featureId: this.features.get(feature) ?? -1, value, meaning };
  }

  private wall(cell: number): ObjectView | null {
    if (this.shape !== this.replay.shape) this.findWalls();
    const number = this.wallAt.get(cell);
    return number === undefined ? null : this.reader.object(number);
  }

  private findWalls(): void {
    this.shape = this.replay.shape;
    this.wallAt.clear();
    for (const wall of this.replay.walls) {
      const [x, y] = this.replay.placeAt(wall, this.replay.firstTick);
      this.wallAt.set(y * this.replay.parts.width + x, wall);
    }
  }
}

import { damaged, invalid, ReplayError, tooLong, unknownVersion } from "./errors";
import * as fields from "./fields";
import { type FieldType, MOST_STEPS, type Series, seriesOf } from "./fields";
import { inside, isInteger, isObject, numbersOf } from "./json";
import { checkSize, MOST_AGENT_TICKS } from "./limits";
import { upgrade } from "./older";
import type { Note, Replay } from "./replay";
import { type AgentNotes, emptyNotes, type Json, type JsonObject, type Kind, type Limit, makeReplay } from "./replay";
import { Field, floatBits, Rows } from "./rows";

/** A document starts with the state after the first step. */
const FIRST_TICK = 1;

/** Decode the published document, versions 1 to 4. */
export function readDocument(document: JsonObject): Replay {
  const version = document.version ?? ("grid_objects" in document ? 1 : undefined);
  if (!isInteger(version)) throw new ReplayError("This is not a replay: `version` is missing or not a whole number");
  if (version < 1 || version > 4) throw unknownVersion(version, 4);
  return new Reader(upgrade(document, version), version).replay();
}

class Reader {
  private readonly rows = new Rows();
  private lastIndex = 0;
  private notes: AgentNotes[] = [];
  private totals: Note<number>[][] = [];
  private readonly kinds = new Map<string, number>();
  private readonly kindList: Kind[] = [];

  constructor(
    private readonly document: JsonObject,
    private readonly version: number,
  ) {}

  replay(): Replay {
    const items = this.objects();
    const capacities = this.texts("capacity_names").map((name, key): Limit => ({ key, name, resources: null }));
    const agentOf = Int32Array.from(items, (item) => agentIdOf(item));
    const most = agentOf.reduce((a, b) => Math.max(a, b), -1) + 1;
    const numAgents = this.count("num_agents", most, 65535);
    if (most > numAgents) throw damaged(`it has ${numAgents} agents and an agent ${most - 1}`);
    const [width, height] = this.mapSize();
    checkSize(width, height, numAgents);
    this.notes = emptyNotes(numAgents);
    this.totals = Array.from({ length: numAgents }, () => []);
    const kindOf = Int32Array.from(items, (item, number) => this.readObject(item, number, agentOf[number], capacities));
    const steps = Math.max(this.count("max_steps", 0, MOST_STEPS), this.lastIndex + 1, 1);
    if (steps * Math.max(1, numAgents) > MOST_AGENT_TICKS) throw tooLong(steps, numAgents);
    const config = tableOf(this.document.mg_config);
    const attributes = tableOf(inside(this.document.infos, "attributes"));
    const limit = attributes.max_steps ?? inside(config, "game", "max_steps");
    return makeReplay({
      format: `v${this.version}`,
      label: labelOf(config, this.document.file_name),
      engine: "",
      seed: isInteger(attributes.seed) ? attributes.seed : null,
      width,
      height,
      numAgents,
      maxSteps: isInteger(limit, 0) ? limit : 0,
      firstTick: FIRST_TICK,
      lastTick: FIRST_TICK + steps - 1,
      hasStart: false,
      hasAsked: false,
      actionNames: this.texts("action_names"),
      animationNames: this.texts("animation_names"),
      resourceNames: this.texts("item_names"),
      tagNames: this.tagNames(),
      vibeNames: textsIn(inside(config, "game", "vibe_names")),
      statNames: [],
      territoryNames: [],
      observedValues: null,
      corrections: [],
      capacities,
      kinds: this.kindList,
      ids: Int32Array.from(items, (item) => first(seriesOf(item.id, fields.integer, "id"))),
      kindOf,
      agentOf,
      rows: this.rows,
      notes: this.notes,
      totals: this.totals,
      policyEnvInterface: tableOf(this.document.policy_env_interface),
      config,
      gameStats: numbersOf(inside(this.document.infos, "game")),
      agentStats: [],
      meanStats: numbersOf(inside(this.document.infos, "agent")),
    });
  }

  /** Adds the rows of an object and returns the number of its kind. */
  private readObject(item: JsonObject, number: number, agent: number, capacities: readonly Limit[]): number {
    const alive = seriesOf(item.alive ?? true, fields.boolean, "alive");
    this.each(alive, (index, is) => this.add(Field.alive, number, 0, index, Number(is)));
    const [width, height] = this.mapSize();
    this.each(seriesOf(item.location, fields.place, "location"), (index, [column, row]) => {
      if (column >= width || row >= height) throw damaged(`object ${number} lies outside the map`);
      this.add(Field.location, number, 0, index, (row << 16) | column);
    });
    let before: number[] = [];
    this.each(seriesOf(item.tag_ids, fields.ids, "tag_ids"), (index, tags) => {
      for (const tag of tags) if (!before.includes(tag)) this.add(Field.tag, number, tag, index, 1);
      for (const tag of before) if (!tags.includes(tag)) this.add(Field.tag, number, tag, index, 0);
      before = tags;
    });
    this.amounts(item.inventory, "inventory", Field.amount, number);
    const limits = this.amounts(item.inventory_capacities, "inventory_capacities", Field.limit, number);
    this.numbers(item.vibe_id ?? item.vibe, fields.integer, "vibe_id", Field.vibe, number);
    if (agent >= 0) this.readAgent(item, number, agent);
    return this.kind(
      item,
      agent >= 0,
      [...limits].sort((a, b) => a - b),
      capacities,
    );
  }

  private readAgent(item: JsonObject, number: number, agent: number): void {
    this.numbers(item.action_id, fields.integer, "action_id", Field.action, number);
    this.numbers(item.animation_id, fields.integer, "animation_id", Field.animation, number);
    this.each(seriesOf(item.action_success, fields.boolean, "action_success"), (index, value) =>
      this.add(Field.success, number, 0, index, Number(value)),
    );
    this.each(seriesOf(item.current_reward, fields.real, "current_reward"), (index, value) =>
      this.add(Field.reward, number, 0, index, floatBits(value)),
    );
    this.each(seriesOf(item.total_reward, fields.real, "total_reward"), (index, value) =>
      this.totals[agent].push({ tick: FIRST_TICK + index, value }),
    );
    const notes = this.notes[agent];
    this.each(seriesOf(item.policy_infos, fields.table, "policy_infos"), (index, value) =>
      notes.infos.push({ tick: FIRST_TICK + index, value }),
    );
    this.readTalk(item, notes);
    const resets = new Map(seriesOf(item.monologue_reset, fields.boolean, "monologue_reset"));
    this.each(seriesOf(item.monologue_append, fields.text, "monologue_append"), (index, value) => {
      const reset = resets.get(index) ?? false;
      if (value || reset) notes.monologue.push({ tick: FIRST_TICK + index, value, reset });
    });
  }

  /** Add a note wherever the talk differs from the expected countdown of the previous text. */
  private readTalk(item: JsonObject, notes: AgentNotes): void {
    const texts = new Map(seriesOf(item.talk_text, fields.text, "talk_text"));
    const remaining = new Map(seriesOf(item.talk_remaining_steps, fields.natural, "talk_remaining_steps"));
    let [text, steps] = ["", 0];
    let noted = { index: 0, text: "", steps: 0 };
    for (const index of [...new Set([...texts.keys(), ...remaining.keys()])].sort((a, b) => a - b)) {
      text = texts.get(index) ?? text;
      steps = Math.min(remaining.get(index) ?? steps, MOST_STEPS);
      const left = Math.max(0, noted.steps - (index - noted.index));
      const hasFaded = left > 0 ? text === noted.text && steps === left : !text && !steps;
      if (hasFaded) continue;
      noted = { index, text, steps };
      this.lastIndex = Math.max(this.lastIndex, index);
      notes.talk.push({ tick: FIRST_TICK + index, value: { text, steps } });
    }
  }

  private amounts(raw: Json | undefined, name: string, field: number, number: number): Set<number> {
    const keys = new Set<number>();
    let before: Map<number, number> = new Map();
    this.each(seriesOf(raw, fields.amounts, name), (index, now) => {
      for (const [key, amount] of now) {
        keys.add(key);
        if (before.get(key) !== amount) this.add(field, number, key, index, amount);
      }
      for (const key of before.keys()) if (!now.has(key)) this.add(field, number, key, index, 0);
      before = now;
    });
    return keys;
  }

  private numbers(raw: Json | undefined, type: FieldType<number>, name: string, field: number, number: number): void {
    if (raw === undefined || raw === 0) return;
    this.each(seriesOf(raw, type, name), (index, value) => this.add(field, number, 0, index, value));
  }

  private each<T>(series: Series<T>, call: (index: number, value: T) => void): void {
    for (const [index, value] of series) call(index, value);
    this.lastIndex = Math.max(this.lastIndex, series[series.length - 1][0]);
  }

  private add(field: number, number: number, key: number, index: number, value: number): void {
    this.rows.push(field, number, key, FIRST_TICK + index, value);
  }

  private kind(item: JsonObject, isAgent: boolean, keys: number[], capacities: readonly Limit[]): number {
    const typeName = first(seriesOf(item.type_name, fields.text, "type_name"));
    const groupId = first(seriesOf(item.group_id, fields.integer, "group_id"));
    const place = JSON.stringify([typeName, isAgent, groupId, keys]);
    const known = this.kinds.get(place);
    if (known !== undefined) return known;
    const limits = keys.map((key) => capacities[key] ?? { key, name: "", resources: null });
    const groupName = this.texts("group_names")[groupId] ?? "";
    this.kinds.set(place, this.kindList.length);
    this.kindList.push({ typeName, cell: "", isAgent, groupId, groupName, limits });
    return this.kindList.length - 1;
  }

  private objects(): JsonObject[] {
    const objects = this.document.objects ?? [];
    if (!Array.isArray(objects) || !objects.every(isObject))
      throw new ReplayError("The replay has invalid `objects`: they must be a list of objects");
    return objects;
  }

  private texts(key: string): string[] {
    const names = this.document[key] ?? [];
    if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) {
      throw invalid(key, "a list of texts");
    }
    return names;
  }

  private count(key: string, initial: number, most: number): number {
    const number = this.document[key] ?? initial;
    if (!isInteger(number, 0, most)) throw invalid(key, `a whole number from 0 to ${most}`);
    return number;
  }

  private mapSize(): [number, number] {
    const size = this.document.map_size ?? [0, 0];
    const isSize = Array.isArray(size) && isInteger(size[0], 0, 65535) && isInteger(size[1], 0, 65535);
    if (!isSize) throw invalid("map_size", "[width, height]");
    return size as [number, number];
  }

  private tagNames(): string[] {
    const names: string[] = [];
    for (const [name, number] of Object.entries(tableOf(this.document.tags))) {
      if (!isInteger(number, 0, 65535))
        throw new ReplayError("The replay has invalid `tags`: they must be numbered from 0 to 65535");
      names[number] = name;
    }
    return Array.from(names, (name) => name ?? "");
  }
}

/** Return the agent id of an object; -1 for other objects. */
function agentIdOf(item: JsonObject): number {
  const isAgent = "agent_id" in item || first(seriesOf(item.is_agent, fields.boolean, "is_agent"));
  if (!isAgent) return -1;
  const id = first(seriesOf(item.agent_id, fields.natural, "agent_id"));
  if (id > 65535) throw damaged(`an agent has the id ${id}`);
  return id;
}

/** Read a constant field. An object that appears late may have the field only from then on. */
function first<T>(series: Series<T>): T {
  return (series.find(([, value]) => value) ?? series[0])[1];
}

function tableOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

export function labelOf(config: JsonObject, otherwise?: Json): string {
  const label = config.label;
  if (typeof label === "string" && label) return label;
  return typeof otherwise === "string" ? otherwise : "";
}

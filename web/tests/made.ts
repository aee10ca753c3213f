/** Small handmade replays, so that a test shows its whole input. */
import { deflateSync } from "node:zlib";
import { type JsonObject, openReplay, type Replay } from "../src/decode";

export const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
export const opened = (document: JsonObject): Promise<Replay> => openReplay(encode(document));

const TAGS = ["net:cogs", "team:clips", "team:cogs", "type:agent", "type:hub", "type:junction", "type:wall"];
export const TAG = Object.fromEntries(TAGS.map((name, id) => [name, id]));

export const agent = (id: number, agentId: number, fields: JsonObject = {}): JsonObject => ({
  id,
  type_name: "agent",
  is_agent: true,
  agent_id: agentId,
  location: [2, 2],
  tag_ids: [TAG["team:cogs"], TAG["type:agent"]],
  ...fields,
});

/** Return a map of 7 by 5 with a wall, a hub, a junction and the given objects. */
export function document(fields: JsonObject = {}, ...more: JsonObject[]): JsonObject {
  return {
    version: 4,
    action_names: ["noop", "move_north", "move_south", "move_west", "move_east"],
    animation_names: ["none", "bump"],
    item_names: ["carbon", "heart", "hp", "miner"],
    type_names: ["agent", "hub", "junction", "wall"],
    capacity_names: ["cargo", "hp"],
    tags: Object.fromEntries(TAGS.map((name, id) => [name, id])),
    map_size: [7, 5],
    num_agents: more.filter((item) => "agent_id" in item).length,
    max_steps: 10,
    mg_config: { label: "made", game: { vibe_names: ["default", "heart"] } },
    policy_env_interface: {},
    objects: [
      { id: 1, type_name: "wall", location: [0, 0], tag_ids: [TAG["type:wall"]] },
      {
        id: 2,
        type_name: "hub",
        location: [1, 1],
        tag_ids: [TAG["net:cogs"], TAG["team:cogs"], TAG["type:hub"]],
        inventory: [[0, 24]],
      },
      ...more,
    ],
    infos: { game: { "cogs/heart.withdrawn": 3 }, agent: { "heart.gained": 1.5 } },
    ...fields,
  };
}

export interface MadeRow {
  tick: number;
  field: number;
  object: number;
  key: number;
  value: number;
}

/** Return a file in our format with one chunk per `size` ticks. */
export function compactFile(
  header: JsonObject,
  objects: { id: number; kind: number; agent: number }[],
  rows: readonly MadeRow[],
  { size = 4, notes = [] as unknown[][], config = { label: "made" } as JsonObject } = {},
): Uint8Array {
  const first = header.first_tick as number;
  const last = header.last_tick as number;
  const agents = header.num_agents as number;
  const initial = rows.filter(({ tick }) => tick <= first);
  const early = encode({ notes: notes.filter(([tick]) => (tick as number) <= first) });
  const parts: Uint8Array[] = [head()];
  const index: Record<string, unknown> = { chunks: [] };
  let at = 16;
  const place = (content: Uint8Array): number[] => {
    const packed = deflateSync(content);
    parts.push(packed);
    at += packed.length;
    return [at - packed.length, packed.length, content.length];
  };
  index.header = place(encode(header));
  index.config = place(encode(config));
  index.initial = place(
    joined(
      numbers(objects.length, initial.length, early.length),
      int32(objects.map(({ id }) => id)),
      int32(objects.map(({ kind }) => kind)),
      int32(objects.map(({ agent }) => agent)),
      table(initial, null),
      early,
    ),
  );
  index.result = place(encode({ stats: { game: { x: 1 }, agent: [] }, episode_rewards: [] }));
  for (let from = first + 1; from <= last; from += size) {
    const to = Math.min(last, from + size - 1);
    (index.chunks as unknown[]).push([from, to, ...place(chunk(from, to, agents, rows, notes))]);
  }
  const [begin, packed, unpacked] = place(encode(index));
  const foot = new DataView(new ArrayBuffer(24));
  foot.setBigUint64(0, BigInt(begin), true);
  foot.setUint32(8, packed, true);
  foot.setUint32(12, unpacked, true);
  return joined(...parts, new Uint8Array(foot.buffer, 0, 16), MAGIC);
}

/** Return a chunk of a range of ticks, as in files and live games. */
export function chunk(
  from: number,
  to: number,
  agents: number,
  rows: readonly MadeRow[],
  notes: readonly unknown[][] = [],
): Uint8Array {
  const isIn = (tick: unknown) => (tick as number) >= from && (tick as number) <= to;
  const own = rows.filter(({ tick }) => isIn(tick));
  own.sort((a, b) => a.field - b.field || a.object - b.object || a.key - b.key || a.tick - b.tick);
  const noted = encode({ before: [], notes: notes.filter(([tick]) => isIn(tick)) });
  return joined(
    numbers(from, to, 0, own.length, noted.length, agents),
    new Uint8Array(8 * agents),
    table([], null),
    table(own, from),
    noted,
  );
}

/** Return new objects in the format of live games. */
export function lateObjects(objects: { id: number; kind: number; agent: number }[]): Uint8Array {
  const columns = [objects.map(({ id }) => id), objects.map(({ kind }) => kind), objects.map(({ agent }) => agent)];
  return joined(numbers(objects.length), ...columns.map(int32));
}

export const MAGIC = Uint8Array.from([0x89, 0x43, 0x47, 0x52, 0x45, 0x50, 0x0d, 0x0a]);

export const header = (fields: JsonObject = {}): JsonObject => ({
  engine: "mettagrid 0",
  seed: 7,
  map_size: [7, 5],
  num_agents: 1,
  max_steps: 100,
  first_tick: 0,
  last_tick: 9,
  has_start: true,
  has_asked: true,
  action_names: ["noop", "move_north"],
  animation_names: ["none", "bump"],
  resource_names: ["carbon", "heart"],
  type_names: ["agent", "wall"],
  tag_names: ["team:cogs", "type:agent", "type:wall"],
  vibe_names: ["default"],
  stat_names: ["x"],
  territory_names: ["land"],
  capacities: [],
  cell_count: 2,
  kinds: [
    { type_name: "wall", cell: "wall", is_agent: false, group_id: 0, group_name: "", limits: [] },
    {
      type_name: "agent",
      cell: "agent",
      is_agent: true,
      group_id: 0,
      group_name: "red",
      limits: [{ key: 0, name: "cargo", resources: [0] }],
    },
  ],
  policy_env_interface: {},
  extra: {},
  ...fields,
});

/** Return a seeded random generator of numbers from 0 to 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function head(): Uint8Array {
  const made = new Uint8Array(16);
  made.set(MAGIC);
  made[8] = 1;
  return made;
}

function numbers(...values: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer);
}

function int32(values: number[]): Uint8Array {
  return new Uint8Array(Int32Array.from(values).buffer);
}

function table(rows: readonly MadeRow[], first: number | null): Uint8Array {
  const columns = [
    int32(rows.map(({ value }) => value)),
    new Uint8Array(Uint32Array.from(rows, ({ object }) => object).buffer),
    new Uint8Array(Uint16Array.from(rows, ({ key }) => key).buffer),
    ...(first === null ? [] : [new Uint8Array(Uint16Array.from(rows, ({ tick }) => tick - first).buffer)]),
    Uint8Array.from(rows, ({ field }) => field),
  ];
  const packed = joined(...columns);
  return joined(packed, new Uint8Array((4 - (packed.length % 4)) % 4));
}

export function joined(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

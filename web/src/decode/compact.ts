import { labelOf } from "./document";
import { damaged, ReplayError, tooLong, unknownVersion } from "./errors";
import { inside, isInteger, isObject, numbersOf, parseObject } from "./json";
import { checkSize, MOST_AGENT_TICKS } from "./limits";
import type { Replay } from "./replay";
import { type AgentNotes, emptyNotes, type Json, type JsonObject, type Kind, type Limit, makeReplay } from "./replay";
import { Field, LAST_FIELD, Rows } from "./rows";
import { MOST_BYTES, tooLarge, unpack } from "./unpack";

/** Our own format, `.cogreplay`; docs/concepts/replays.md describes it. */
export const MAGIC = [0x89, 0x43, 0x47, 0x52, 0x45, 0x50, 0x0d, 0x0a];
const VERSION = 1;
const HEAD_BYTES = 16;
const FOOT_BYTES = 24;
const MOST_TICKS = 1 << 22;

type Place = [begin: number, packed: number, unpacked: number];
type ChunkPlace = [first: number, last: number, ...Place];

export function isCompact(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

export async function readCompact(bytes: Uint8Array): Promise<Replay> {
  const file = new Sections(bytes);
  const index = await file.index();
  const header = new Header(jsonPart(await file.section(placeOf(index, "header"))));
  const config = jsonPart(await file.section(placeOf(index, "config")));
  const result = jsonPart(await file.section(placeOf(index, "result")));
  const initial = new Columns(await file.section(placeOf(index, "initial")));

  const [objects, initialRows, noteBytes] = initial.numbers(3);
  const [ids, kindOf, agentOf] = [initial.int32(objects), initial.int32(objects), initial.int32(objects)];
  if (kindOf.some((kind) => kind < 0 || kind >= header.kinds.length)) throw damaged("an object has an unknown kind");
  if (agentOf.some((agent) => agent < -1 || agent >= header.numAgents)) throw damaged("an object has an unknown agent");
  const rows = new Rows();
  const check = new RowCheck(header, objects);
  initial.table(rows, initialRows, header.firstTick, header.firstTick, false, check);
  const notes = emptyNotes(header.numAgents);
  readNotes(initial.rest(noteBytes), notes);

  let expected = header.firstTick + 1;
  for (const [first, last, ...place] of chunkPlaces(index)) {
    if (first !== expected || last < first) throw damaged("its chunks overlap or leave a gap");
    expected = last + 1;
    const chunk = new Columns(await file.section(place));
    const counts = chunk.numbers(6);
    if (counts[0] !== first || counts[1] !== last || counts[5] !== header.numAgents) {
      throw damaged("a chunk does not match the index or the header");
    }
    chunk.skip(8 * header.numAgents);
    chunk.table(null, counts[2], 0, 0, false, check);
    chunk.table(rows, counts[3], first, last, true, check);
    readNotes(chunk.rest(counts[4]), notes);
  }
  if (expected !== header.lastTick + 1) throw damaged("its chunks overlap or leave a gap");

  const stats = inside(result, "stats");
  const agentStats = inside(stats, "agent");
  return makeReplay({
    ...header.fields(),
    format: "cogreplay",
    label: labelOf(config),
    ids,
    kindOf,
    agentOf,
    rows,
    notes,
    totals: null,
    config,
    gameStats: numbersOf(inside(stats, "game")),
    agentStats: Array.isArray(agentStats) ? agentStats.map(numbersOf) : [],
    meanStats: {},
  });
}

/** The sections of a file, each compressed separately. */
class Sections {
  private readonly view: DataView;
  private left = MOST_BYTES;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  async index(): Promise<JsonObject> {
    const { length } = this.bytes;
    if (length < HEAD_BYTES + FOOT_BYTES)
      throw new ReplayError("The replay is truncated: it is shorter than an empty one");
    const version = this.view.getUint32(8, true);
    if (version !== VERSION) {
      throw unknownVersion(version, VERSION);
    }
    const foot = length - FOOT_BYTES;
    if (!isCompact(this.bytes.subarray(foot + 16)))
      throw new ReplayError("The replay is truncated: its end is missing");
    const begin = Number(this.view.getBigUint64(foot, true));
    return jsonPart(
      await this.section([begin, this.view.getUint32(foot + 8, true), this.view.getUint32(foot + 12, true)]),
    );
  }

  async section([begin, packed, unpacked]: Place): Promise<Uint8Array> {
    const end = this.bytes.length - FOOT_BYTES;
    if (begin > end || packed > end - begin) throw damaged("a section offset is out of range");
    this.left -= unpacked;
    if (this.left < 0) throw tooLarge(MOST_BYTES);
    const content = await unpack(this.bytes.subarray(begin, begin + packed), "deflate", unpacked);
    if (content.length !== unpacked) throw damaged("a section has the wrong size");
    return content;
  }
}

function jsonPart(content: Uint8Array): JsonObject {
  return parseObject(content, "The replay is damaged: a section is not a JSON object");
}

function placeOf(index: JsonObject, name: string): Place {
  const place = index[name];
  if (!isPlace(place, 3)) throw damaged(`its index has an invalid \`${name}\``);
  return place as Place;
}

function chunkPlaces(index: JsonObject): ChunkPlace[] {
  const chunks = index.chunks;
  if (!Array.isArray(chunks) || !chunks.every((chunk) => isPlace(chunk, 5))) {
    throw damaged("its index has invalid `chunks`");
  }
  return chunks as ChunkPlace[];
}

function isPlace(value: Json | undefined, length: number): boolean {
  return (
    Array.isArray(value) && value.length === length && value.every((x) => isInteger(x, 0, Number.MAX_SAFE_INTEGER))
  );
}

/** Decode everything that does not change during the episode. */
class Header {
  readonly width: number;
  readonly height: number;
  readonly numAgents: number;
  readonly firstTick: number;
  readonly lastTick: number;
  readonly kinds: Kind[];
  readonly territoryNames: readonly string[];
  readonly statNames: readonly string[];
  readonly observedValues: readonly string[] | null;

  constructor(private readonly document: JsonObject) {
    [this.width, this.height] = this.naturals(document.map_size, "map_size", 65535);
    if (!isInteger(this.width, 1) || !isInteger(this.height, 1)) throw this.wrong("map_size");
    this.numAgents = this.natural("num_agents", 65535);
    checkSize(this.width, this.height, this.numAgents);
    this.firstTick = this.natural("first_tick", MOST_TICKS);
    this.lastTick = this.natural("last_tick", MOST_TICKS);
    const ticks = this.lastTick - this.firstTick;
    if (ticks < 0) throw damaged("its last tick is before its first");
    if (ticks * this.numAgents > MOST_AGENT_TICKS) throw tooLong(ticks, this.numAgents);
    this.territoryNames = this.texts("territory_names");
    if (this.territoryNames.length > 16) throw damaged("it has too many territories");
    this.statNames = this.texts("stat_names");
    this.observedValues = Array.isArray(document.observed_values) ? this.texts("observed_values") : null;
    this.kinds = this.list("kinds").map((raw) => this.kind(raw));
  }

  fields() {
    const { document } = this;
    return {
      engine: typeof document.engine === "string" ? document.engine : "",
      seed: isInteger(document.seed, 0, Number.MAX_SAFE_INTEGER) ? document.seed : null,
      width: this.width,
      height: this.height,
      numAgents: this.numAgents,
      maxSteps: isInteger(document.max_steps, 0) ? document.max_steps : 0,
      firstTick: this.firstTick,
      lastTick: this.lastTick,
      hasStart: document.has_start === true,
      hasAsked: document.has_asked === true,
      actionNames: this.texts("action_names"),
      animationNames: this.texts("animation_names"),
      resourceNames: this.texts("resource_names"),
      tagNames: this.texts("tag_names"),
      vibeNames: this.texts("vibe_names"),
      statNames: this.statNames,
      territoryNames: this.territoryNames,
      observedValues: this.observedValues,
      corrections: Array.isArray(document.corrections) ? this.texts("corrections") : [],
      capacities: this.list("capacities").map((raw) => this.limit(raw)),
      kinds: this.kinds,
      policyEnvInterface: isObject(document.policy_env_interface) ? document.policy_env_interface : {},
    };
  }

  private kind(raw: Json): Kind {
    if (!isObject(raw) || typeof raw.type_name !== "string") throw this.wrong("kinds");
    const limits = raw.limits ?? [];
    if (!Array.isArray(limits)) throw this.wrong("kinds");
    return {
      typeName: raw.type_name,
      cell: typeof raw.cell === "string" ? raw.cell : "",
      isAgent: raw.is_agent === true,
      groupId: isInteger(raw.group_id) ? raw.group_id : 0,
      groupName: typeof raw.group_name === "string" ? raw.group_name : "",
      limits: limits.map((limit) => this.limit(limit)),
    };
  }

  private limit(raw: Json): Limit {
    if (!isObject(raw) || !isInteger(raw.key, 0, 65535) || typeof raw.name !== "string") throw this.wrong("limits");
    const resources = raw.resources ?? null;
    const known = resources === null ? null : this.naturals(resources, "limits", 65535);
    return { key: raw.key, name: raw.name, resources: known };
  }

  private natural(key: string, most: number): number {
    const number = this.document[key];
    if (!isInteger(number, 0, most)) throw this.wrong(key);
    return number;
  }

  private naturals(value: Json | undefined, key: string, most: number): number[] {
    if (!Array.isArray(value) || !value.every((x) => isInteger(x, 0, most))) throw this.wrong(key);
    return value as number[];
  }

  private texts(key: string): string[] {
    const list = this.list(key);
    if (!list.every((name) => typeof name === "string")) throw this.wrong(key);
    return list as string[];
  }

  private list(key: string): Json[] {
    const list = this.document[key];
    if (!Array.isArray(list)) throw this.wrong(key);
    return list;
  }

  private wrong(key: string): ReplayError {
    return damaged(`its header has an invalid \`${key}\``);
  }
}

/** Checks that rows refer to existing objects and keys. */
export class RowCheck {
  private readonly cells: number;

  constructor(
    private readonly header: Pick<Header, "width" | "height" | "territoryNames" | "statNames" | "observedValues">,
    private readonly objects: number,
  ) {
    this.cells = header.width * header.height;
  }

  fits(field: number, object: number, key: number, value: number): boolean {
    if (field === Field.owner) return object < this.cells && key < this.header.territoryNames.length;
    if (field === Field.stat) return object === 0 && key < this.header.statNames.length;
    if (object >= this.objects) return false;
    if (field === Field.observed) return key < (this.header.observedValues?.length ?? 0);
    return field !== Field.location || ((value & 0xffff) < this.header.width && value >>> 16 < this.header.height);
  }
}

/** Reads numbers and columns from bytes, from left to right. */
export class Columns {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly content: Uint8Array) {
    this.view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  }

  numbers(count: number): number[] {
    const begin = this.take(4 * count);
    return Array.from({ length: count }, (_, i) => this.view.getUint32(begin + 4 * i, true));
  }

  int32(count: number): Int32Array {
    const begin = this.take(4 * count);
    const column = new Int32Array(count);
    for (let i = 0; i < count; i++) column[i] = this.view.getInt32(begin + 4 * i, true);
    return column;
  }

  /** Read rows as consecutive columns; rows without a tick column have the tick `first`. */
  table(into: Rows | null, count: number, first: number, last: number, hasTicks: boolean, check: RowCheck): void {
    const begin = this.at;
    const values = this.take(4 * count);
    const objects = this.take(4 * count);
    const keys = this.take(2 * count);
    const ticks = hasTicks ? this.take(2 * count) : 0;
    const fields = this.take(count);
    this.take((4 - ((this.at - begin) % 4)) % 4);
    if (!into) return;
    const { view } = this;
    for (let i = 0; i < count; i++) {
      const field = this.content[fields + i];
      if (field < Field.alive || field > LAST_FIELD) continue; // a later release may add fields
      const [object, key] = [view.getUint32(objects + 4 * i, true), view.getUint16(keys + 2 * i, true)];
      const value = view.getInt32(values + 4 * i, true);
      const tick = hasTicks ? first + view.getUint16(ticks + 2 * i, true) : first;
      if (!check.fits(field, object, key, value)) throw damaged("a change refers to an unknown object or key");
      if (tick > last) throw damaged("a change lies outside its chunk");
      into.push(field, object, key, tick, value);
    }
  }

  rest(size: number): Uint8Array {
    const begin = this.take(size);
    return this.content.subarray(begin, begin + size);
  }

  skip(size: number): void {
    this.take(size);
  }

  private take(size: number): number {
    if (size > this.content.length - this.at) throw damaged("a section ends too early");
    this.at += size;
    return this.at - size;
  }
}

/** Read the notes of a section. Notes that a chunk repeats from earlier ticks are skipped. */
export function readNotes(content: Uint8Array, notes: readonly AgentNotes[]): void {
  const listed = jsonPart(content).notes ?? [];
  if (!Array.isArray(listed)) throw damaged("its notes are not a list");
  for (const entry of listed) {
    if (!Array.isArray(entry) || entry.length !== 4 || !isInteger(entry[0], 0) || !isInteger(entry[1])) {
      throw damaged("a note is malformed");
    }
    const [tick, agent, kind, value] = entry as [number, number, Json, Json];
    if (agent < 0 || agent >= notes.length) continue;
    takeNote(notes[agent], tick, kind, value);
  }
}

function takeNote(notes: AgentNotes, tick: number, kind: Json, value: Json): void {
  const [text, more] = Array.isArray(value) ? value : [];
  if (kind === "infos" && isObject(value)) notes.infos.push({ tick, value });
  else if (kind === "talk" && typeof text === "string" && isInteger(more, 0)) {
    notes.talk.push({ tick, value: { text, steps: more } });
  } else if (kind === "monologue" && typeof text === "string" && typeof more === "boolean") {
    notes.monologue.push({ tick, value: text, reset: more });
  } else if (kind === "infos" || kind === "talk" || kind === "monologue") {
    throw damaged("a note is malformed");
  }
}

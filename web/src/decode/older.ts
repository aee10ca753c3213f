import { invalid, ReplayError } from "./errors";
import { integer, natural, type Series, seriesOf } from "./fields";
import { isInteger, isObject } from "./json";
import type { Json, JsonObject } from "./replay";

const RENAMED_1: Readonly<Record<string, string>> = {
  reward: "current_reward",
  "agent:group": "group_id",
  "agent:orientation": "orientation",
  "agent:color": "color",
  "agent:frozen": "frozen",
};

/** Convert a document of version 1, 2 or 3 to version 4. */
export function upgrade(document: JsonObject, version: number): JsonObject {
  if (version <= 1) document = fromVersion1(document);
  if (version <= 3) document = fromVersion2(document);
  return { ...document, version: 4 };
}

/** Convert version 1: rename lists, and move an object's place, action and items into separate fields. */
function fromVersion1(document: JsonObject): JsonObject {
  const items = listOf(document, "inventory_items");
  return {
    ...document,
    item_names: items,
    type_names: listOf(document, "object_types"),
    objects: objectsOf(document, "grid_objects").map((item) => objectFrom1(item, items)),
  };
}

function objectFrom1(item: JsonObject, items: Json[]): JsonObject {
  const fields: JsonObject = {};
  const held: [number, Series<number>][] = [];
  for (const [name, raw] of Object.entries(item)) {
    const resource = /^(?:agent:)?inv:(.*)$/.exec(name)?.[1];
    if (resource !== undefined) {
      const number = items.indexOf(resource);
      if (number >= 0) held.push([number, seriesOf(raw, natural, name)]);
    } else if (name === "type") fields.type_id = raw;
    else if (name === "action") [fields.action_id, fields.action_param] = splitAction(raw);
    else if (name !== "r" && name !== "c" && name !== "layer") {
      fields[Object.hasOwn(RENAMED_1, name) ? RENAMED_1[name] : name] = raw;
    }
  }
  if ("r" in item || "c" in item) {
    const parts = [seriesOf(item.c, integer, "c"), seriesOf(item.r, integer, "r")];
    fields.location = together(parts).map(([index, place]) => [index, place]);
  }
  if (held.length) {
    held.sort((a, b) => a[0] - b[0]);
    fields.inventory = together(held.map(([, series]) => series)).map(([index, amounts]) => [
      index,
      amounts.map((amount, i) => [held[i][0], amount]).filter(([, amount]) => amount > 0),
    ]);
  }
  return fields;
}

/** Split [[step, [action, parameter]], ...] or [action, parameter] into two fields. */
function splitAction(raw: Json): [Json, Json] {
  const isPair = (value: Json): value is [Json, Json] => Array.isArray(value) && value.length === 2;
  if (Array.isArray(raw) && raw.every(isPair)) {
    const entries = raw.filter(([, pair]) => isPair(pair)) as [Json, [Json, Json]][];
    return [entries.map(([i, pair]) => [i, pair[0]]), entries.map(([i, pair]) => [i, pair[1]])];
  }
  if (isPair(raw)) return [raw[0], raw[1]];
  throw invalid("action", "[action, parameter]");
}

/** Merge several fields into one whose value is a list. */
function together(parts: Series<number>[]): Series<number[]> {
  const changes = parts.flatMap((series, part) => series.map(([index, value]) => ({ index, part, value })));
  changes.sort((a, b) => a.index - b.index);
  const now = parts.map(() => 0);
  const joined: Series<number[]> = [];
  for (const { index, part, value } of changes) {
    now[part] = value;
    if (joined.length && joined[joined.length - 1][0] === index) joined.pop();
    joined.push([index, [...now]]);
  }
  return joined;
}

/** Convert version 2: lists of item ids become [item, amount], types get names, every object exists from the start. */
function fromVersion2(document: JsonObject): JsonObject {
  const types = listOf(document, "type_names");
  const objects = objectsOf(document, "objects").map((item) => {
    const fields: JsonObject = { alive: true, ...item };
    if (fields.type_name === undefined) {
      const name = types[seriesOf(item.type_id, integer, "type_id")[0][1]];
      fields.type_name = typeof name === "string" ? name : "";
    }
    if (fields.inventory !== undefined) fields.inventory = counted(fields.inventory);
    return fields;
  });
  return { ...document, objects };
}

/** Convert [0, 0, 1] to [[0, 2], [1, 1]], alone or in a list of changes; pairs stay unchanged. */
function counted(raw: Json): Json {
  if (!Array.isArray(raw) || !raw.length) return raw;
  if (raw.every((id) => isInteger(id, 0, 65535))) {
    const counts = new Map<number, number>();
    for (const id of raw as number[]) counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].sort((a, b) => a[0] - b[0]);
  }
  const areChanges = raw.every((entry) => Array.isArray(entry) && entry.length === 2 && Array.isArray(entry[1]));
  return areChanges ? (raw as [Json, Json][]).map(([index, value]) => [index, counted(value)]) : raw;
}

function listOf(document: JsonObject, key: string): Json[] {
  const list = document[key] ?? [];
  if (!Array.isArray(list)) throw invalid(key, "a list");
  return list;
}

function objectsOf(document: JsonObject, key: string): JsonObject[] {
  const objects = listOf(document, key);
  if (!objects.every(isObject))
    throw new ReplayError(`The replay has invalid \`${key}\`: they must be a list of objects`);
  return objects;
}

import { invalid } from "./errors";
import { isInteger, isObject } from "./json";
import type { Json, JsonObject } from "./replay";

/** The changes of a document's field over time: [index, value], with indices rising from 0. */
export type Series<T> = [number, T][];

/** The type of a field's values, and which lists are values rather than lists of changes. */
export interface FieldType<T> {
  what: string;
  initial: T;
  /** throws if it is not a value of this type */
  read(raw: Json): T;
  isValue(list: Json[]): boolean;
}

export const MOST_STEPS = 1 << 20;

class NoValue extends Error {}

/** Read a field over time. A bare value holds for all ticks; before the first change a field has its default. */
export function seriesOf<T>(raw: Json | undefined, type: FieldType<T>, name: string): Series<T> {
  if (raw === undefined) return [[0, type.initial]];
  try {
    if (!Array.isArray(raw) || type.isValue(raw)) return [[0, type.read(raw)]];
    return changesOf(raw, type);
  } catch (error) {
    if (!(error instanceof NoValue)) throw error;
    throw invalid(name, `${type.what}, not ${shortened(raw)}`);
  }
}

function changesOf<T>(raw: Json[], type: FieldType<T>): Series<T> {
  const entries: Series<T> = [];
  let isRising = true;
  for (const entry of raw) {
    if (!Array.isArray(entry) || entry.length !== 2 || !isInteger(entry[0], 0, MOST_STEPS)) throw new NoValue();
    if (entries.length && entries[entries.length - 1][0] >= entry[0]) isRising = false;
    entries.push([entry[0], type.read(entry[1])]);
  }
  if (!isRising) entries.sort((a, b) => a[0] - b[0]);
  if (!entries.length || entries[0][0] > 0) entries.unshift([0, type.initial]);
  return entries;
}

function shortened(raw: Json): string {
  let text: string;
  try {
    text = JSON.stringify(raw);
  } catch {
    text = "a value nested too deeply";
  }
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

function must<T>(value: T, is: boolean): T {
  if (!is) throw new NoValue();
  return value;
}

const never = () => false;
/** A list is a list of changes only if every element is [index, list]. */
const isListOfValues = (list: Json[]) =>
  !list.length || !list.every((entry) => Array.isArray(entry) && entry.length === 2 && Array.isArray(entry[1]));

export const integer: FieldType<number> = {
  what: "a whole number",
  initial: 0,
  read: (raw) => must(raw as number, isInteger(raw)),
  isValue: never,
};

export const natural: FieldType<number> = {
  what: "a whole number of at least 0",
  initial: 0,
  read: (raw) => must(raw as number, isInteger(raw, 0)),
  isValue: never,
};

export const boolean: FieldType<boolean> = {
  what: "true or false",
  initial: false,
  read: (raw) => must(Boolean(raw), typeof raw === "boolean" || typeof raw === "number"),
  isValue: never,
};

export const real: FieldType<number> = {
  what: "a number",
  initial: 0,
  read: (raw) => (raw === null ? NaN : must(raw as number, typeof raw === "number")),
  isValue: never,
};

export const text: FieldType<string> = {
  what: "a text",
  initial: "",
  read: (raw) => must(raw as string, typeof raw === "string"),
  isValue: never,
};

export const table: FieldType<JsonObject> = {
  what: "an object",
  initial: {},
  read: (raw) => (raw === null ? {} : must(raw as JsonObject, isObject(raw))),
  isValue: never,
};

/** column, row */
export const place: FieldType<[number, number]> = {
  what: "[column, row]",
  initial: [0, 0],
  read: (raw) => {
    const isPlace = Array.isArray(raw) && isInteger(raw[0], 0, 65535) && isInteger(raw[1], 0, 65535);
    return must(raw as [number, number], isPlace);
  },
  isValue: (list) => list.length > 0 && list.every((value) => typeof value === "number"),
};

/** {id: amount}; an amount of 0 equals a missing entry */
export const amounts: FieldType<Map<number, number>> = {
  what: "a list of [item, amount]",
  initial: new Map(),
  read: (raw) => {
    if (!Array.isArray(raw)) throw new NoValue();
    const amounts = new Map<number, number>();
    for (const pair of raw) {
      const isPair = Array.isArray(pair) && pair.length === 2 && isInteger(pair[0], 0, 65535) && isInteger(pair[1], 0);
      if (!isPair) throw new NoValue();
      amounts.set(pair[0] as number, pair[1] as number);
    }
    return amounts;
  },
  isValue: isListOfValues,
};

export const ids: FieldType<number[]> = {
  what: "a list of numbers",
  initial: [],
  read: (raw) => {
    const isList = Array.isArray(raw) && raw.every((id) => isInteger(id, 0, 65535));
    return must([...new Set(raw as number[])], isList);
  },
  isValue: isListOfValues,
};

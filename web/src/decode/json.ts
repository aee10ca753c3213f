import { ReplayError } from "./errors";
import type { Json, JsonObject } from "./replay";

/**
 * Parse JSON that must be an object. Numbers that JSON cannot express become `null`. `notJson` and `notObject` are the
 * messages of the errors.
 */
export function parseObject(bytes: Uint8Array, notJson: string, notObject = notJson): JsonObject {
  let value: unknown;
  try {
    value = parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new ReplayError(notJson);
  }
  if (!isObject(value)) throw new ReplayError(notObject);
  return value;
}

/** Replace NaN and Infinity, which Python writes and JSON does not allow, by null. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const strange = /([[:,]\s*)(?:-?Infinity|NaN)(?=\s*[,\]}])/g;
    if (!strange.test(text)) throw error;
    return JSON.parse(text.replace(strange, "$1null"));
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isInteger(value: unknown, least = -(2 ** 31), most = 2 ** 31 - 1): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** Return the value at a path of keys, or undefined. Inherited names such as `constructor` are not keys. */
export function inside(value: Json | undefined, ...keys: string[]): Json | undefined {
  for (const key of keys) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Return the numeric entries of an object, as a table without a prototype. */
export function numbersOf(value: Json | undefined): Record<string, number> {
  const numbers: Record<string, number> = Object.create(null);
  if (isObject(value)) {
    for (const [name, entry] of Object.entries(value)) if (typeof entry === "number") numbers[name] = entry;
  }
  return numbers;
}

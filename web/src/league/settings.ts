/** The settings of a league as a form: which fields are shown, and the document that a form gives. No DOM. */
import type { SettingsField } from "./api-types";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Document = Record<string, unknown>;

const STEP = /^(\w+)\[(.+)\]$/;

/** A unique name of a field: variants of one strategy may have settings of the same name. */
export function keyOf(field: SettingsField): string {
  return `${field.path.join(".")}|${Object.values(field.only_with ?? {}).join(",")}`;
}

/** Return the value at a path; undefined if the document does not have it. */
export function valueAt(document: Document, path: readonly string[]): unknown {
  let at: unknown = document;
  for (const step of path) {
    if (typeof at !== "object" || at === null) return undefined;
    const list = STEP.exec(step);
    if (list) {
      const entries = (at as Document)[list[1]];
      at = Array.isArray(entries) ? entries.find((entry: Document) => entry.division_id === list[2]) : undefined;
    } else at = (at as Document)[step];
  }
  return at;
}

/** Return a copy of the document with a value at a path; undefined removes it, so that the default applies. */
export function withValue(document: Document, path: readonly string[], value: unknown): Document {
  const [step, ...rest] = path;
  const copy: Document = { ...document };
  const list = STEP.exec(step);
  if (list) {
    const [, name, id] = list;
    const entries = (Array.isArray(copy[name]) ? copy[name] : []) as Document[];
    const own = entries.find((entry) => entry.division_id === id) ?? { division_id: id };
    const changed = withValue(own, rest, value);
    const others = entries.filter((entry) => entry.division_id !== id);
    const isEmpty = Object.keys(changed).every((key) => key === "division_id" || key === "name");
    copy[name] = isEmpty ? others : [...others, changed];
  } else if (rest.length === 0) {
    if (value === undefined) delete copy[step];
    else copy[step] = value;
  } else {
    const inner = (typeof copy[step] === "object" && copy[step] !== null ? copy[step] : {}) as Document;
    const changed = withValue(inner, rest, value);
    if (Object.keys(changed).length === 0 && copy[step] === undefined) return document;
    copy[step] = changed;
  }
  return copy;
}

/** Return the value of a choice on which other fields depend: what the document says, else the default. */
function chosen(fields: readonly SettingsField[], document: Document, field: SettingsField, name: string): unknown {
  const path = [...field.path.slice(0, -1), name];
  const own = fields.find((other) => other.path.join(".") === path.join("."));
  return valueAt(document, path) ?? own?.default;
}

/** Return whether the settings have this field now: each strategy and each ranking has its own. */
export function isShown(fields: readonly SettingsField[], document: Document, field: SettingsField): boolean {
  return Object.entries(field.only_with ?? {}).every(
    ([name, value]) => chosen(fields, document, field, name) === value,
  );
}

/** Parse the text of a field; undefined for an empty one, which means the default. Throws a sentence. */
export function parseField(field: SettingsField, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  switch (field.kind) {
    case "integer":
    case "number": {
      const value = Number(trimmed);
      if (!Number.isFinite(value) || (field.kind === "integer" && !Number.isInteger(value)))
        throw new Error(
          `${field.title}: ${trimmed} is not ${field.kind === "integer" ? "a whole number" : "a number"}`,
        );
      const { minimum, maximum } = field;
      if ((minimum ?? -Infinity) > value || (maximum ?? Infinity) < value)
        throw new Error(`${field.title}: ${trimmed} is not between ${minimum} and ${maximum}`);
      return value;
    }
    case "json":
      try {
        return JSON.parse(trimmed) as unknown;
      } catch {
        throw new Error(`${field.title}: this is not JSON`);
      }
    default:
      return trimmed;
  }
}

/** Return the document after some fields were edited: settings of a strategy that is not chosen any more go. */
export function edited(
  fields: readonly SettingsField[],
  document: Document,
  changes: readonly [SettingsField, unknown][],
): Document {
  // Choices come first: they decide which of the other settings exist.
  const ordered = [...changes].sort(
    ([a], [b]) => Number(Boolean(b.choices?.length)) - Number(Boolean(a.choices?.length)),
  );
  let result = document;
  for (const [field, value] of ordered) result = withValue(result, field.path, value);
  for (const field of fields) {
    const path = field.path.join(".");
    const isWanted = fields.some((other) => other.path.join(".") === path && isShown(fields, result, other));
    if (!isWanted && valueAt(result, field.path) !== undefined) result = withValue(result, field.path, undefined);
  }
  return result;
}

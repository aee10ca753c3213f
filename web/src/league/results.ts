/**
 * The results of a game as tables. A game writes any JSON that its schema allows: values for each seat become columns
 * of one table, single values become facts, and everything else is shown as JSON. No DOM.
 */
import { words } from "./format";

export type Scalar = string | number | boolean | null;

export interface ResultColumn {
  key: string;
  title: string;
  about: string;
  /** one value for each seat */
  values: Scalar[];
}

export interface ResultFact {
  title: string;
  about: string;
  value: Scalar;
}

export interface ResultTables {
  columns: ResultColumn[];
  facts: ResultFact[];
  /** titles of values that are shown as JSON only */
  others: string[];
}

interface Schema {
  title?: unknown;
  description?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
}

const MOST_COLUMNS = 40;

/** Arrange results by the number of seats and the game's schema. */
export function resultTables(results: unknown, schema: unknown, seats: number): ResultTables {
  const tables: ResultTables = { columns: [], facts: [], others: [] };
  if (!isRecord(results)) return tables;
  const known = asSchema(schema);
  for (const [key, value] of Object.entries(results)) arrange(tables, [key], value, known.properties?.[key], seats);
  tables.columns = tables.columns.slice(0, MOST_COLUMNS);
  return tables;
}

function arrange(tables: ResultTables, path: string[], value: unknown, of: Schema | undefined, seats: number): void {
  const schema = asSchema(of);
  const title = titleOf(path, schema);
  const about = typeof schema.description === "string" ? schema.description : "";
  if (isScalar(value)) {
    tables.facts.push({ title, about, value });
    return;
  }
  if (Array.isArray(value) && value.length === seats && seats > 0) {
    if (value.every(isScalar)) {
      tables.columns.push({ key: path.join("."), title, about, values: value });
      return;
    }
    if (value.every(isRecord)) {
      for (const key of new Set(value.flatMap((entry) => Object.keys(entry)))) {
        const cells = value.map((entry) => entry[key] ?? null);
        const inner = asSchema(schema.items).properties?.[key];
        if (cells.every(isScalar))
          tables.columns.push({
            key: [...path, key].join("."),
            title: titleOf([...path, key], asSchema(inner)),
            about: String(asSchema(inner).description ?? ""),
            values: cells,
          });
        else tables.others.push(titleOf([...path, key], asSchema(inner)));
      }
      return;
    }
  }
  if (isRecord(value) && path.length < 3 && Object.values(value).every(isScalar)) {
    for (const [key, inner] of Object.entries(value))
      arrange(tables, [...path, key], inner, schema.properties?.[key], seats);
    return;
  }
  tables.others.push(title);
}

function titleOf(path: readonly string[], schema: Schema): string {
  if (typeof schema.title === "string" && schema.title) return schema.title;
  const text = path.map((word) => words(word)).join(": ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function asSchema(value: unknown): Schema {
  return isRecord(value) ? (value as Schema) : {};
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A season as a document that a form edits: values by path, and the texts of its fields. No DOM. */
import type { FieldProblem, FormField } from "./api-types";

export type SeasonDocument = Record<string, unknown>;

const PLAY = "play";

export function typeOf(document: SeasonDocument): "freeplay" | "team" {
  return document.tournament_type === "team" ? "team" : "freeplay";
}

/** The path of a field in this document: the step `play` is the part of the season's type. */
export function pathIn(document: SeasonDocument, path: readonly string[]): string[] {
  return path.map((step) => (step === PLAY ? typeOf(document) : step));
}

export function fieldValue(document: SeasonDocument, field: FormField): unknown {
  let at: unknown = document;
  for (const step of pathIn(document, field.path)) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as SeasonDocument)[step];
  }
  return at;
}

/** Return a copy with another value; undefined removes it, so that the default applies. */
export function withField(document: SeasonDocument, field: FormField, value: unknown): SeasonDocument {
  return put(document, pathIn(document, field.path), value);
}

function put(document: SeasonDocument, [step, ...rest]: string[], value: unknown): SeasonDocument {
  const copy = { ...document };
  if (rest.length === 0) {
    if (value === undefined) delete copy[step];
    else copy[step] = value;
    return copy;
  }
  const inner = typeof copy[step] === "object" && copy[step] !== null ? (copy[step] as SeasonDocument) : {};
  const changed = put(inner, rest, value);
  if (Object.keys(changed).length === 0) delete copy[step];
  else copy[step] = changed;
  return copy;
}

/** Return a copy of the other kind: the game and the operation stay, the rules are those of a new season. */
export function withType(document: SeasonDocument, type: "freeplay" | "team", stages: unknown): SeasonDocument {
  const before = (document[typeOf(document)] ?? {}) as SeasonDocument;
  const { game, rolling, live, fixed_map_seed } = before;
  const copy: SeasonDocument = { ...document, tournament_type: type };
  delete copy.freeplay;
  delete copy.team;
  const agents = Number((game as SeasonDocument | undefined)?.num_agents ?? 4);
  const half = Math.max(1, Math.floor(agents / 2));
  const rules = type === "team" ? { stages } : { splits: [[half, Math.max(1, agents - half)]] };
  const kept = Object.entries({ game, rolling, live, fixed_map_seed }).filter(([, value]) => value !== undefined);
  copy[type] = { ...Object.fromEntries(kept), ...rules };
  return copy;
}

/** Return what a field shows for a value. */
export function textOf(field: FormField, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (field.kind === "splits" && Array.isArray(value))
    return value.map((split) => (Array.isArray(split) ? split.join("-") : String(split))).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Return the value of a text, as it is if it cannot be read: the server says what is wrong with it. */
export function readText(field: FormField, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return field.required && field.kind === "text" ? "" : undefined;
  switch (field.kind) {
    case "integer":
    case "number": {
      const value = Number(trimmed);
      return Number.isFinite(value) ? value : trimmed;
    }
    case "boolean":
      return trimmed === "true";
    case "splits":
      return trimmed.split(/[,;]/).map((split) => split.split("-").map((part) => Number(part.trim())));
    case "long":
      return text;
    default:
      return trimmed;
  }
}

/** Return the problems of a field; those of the season as a whole have no field. */
export function problemsOf(
  document: SeasonDocument,
  field: FormField,
  problems: readonly FieldProblem[],
): readonly FieldProblem[] {
  const path = pathIn(document, field.path);
  return problems.filter((problem) => path.every((step, i) => problem.path[i] === step));
}

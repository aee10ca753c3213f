import { inside, isInteger, isObject, type Json, type JsonObject } from "../../decode";

/** The server's text messages. Missing or malformed fields get defaults. */

export type Rights = "host" | "player" | "watch";
export type TickMode = "fixed" | "tick_when_act";

/** One line of the game; a branch leaves its parent at a tick. */
export interface LineInfo {
  readonly line: number;
  readonly parent: number | null;
  readonly tick: number;
}

export interface Hello {
  readonly rights: Rights;
  /** the only cog that may be driven, or null for any */
  readonly slot: number | null;
  readonly lines: readonly LineInfo[];
  readonly title: string;
  readonly canBranch: boolean;
  /** what the game is about, for people who play it; null if it does not say */
  readonly goal: Goal | null;
}

export interface Goal {
  readonly text: string;
  readonly hint: string;
}

export interface Seat {
  readonly driver: string | null;
  readonly plan: readonly (readonly [number, number])[];
}

export interface GameState {
  readonly step: number;
  readonly isDone: boolean;
  readonly isPaused: boolean;
  readonly tickMode: TickMode;
  /** steps per second: requested, and measured */
  readonly speed: number;
  readonly rate: number;
  readonly waitingFor: readonly number[];
  readonly seats: readonly Seat[];
}

export interface Lesson {
  readonly title: string;
  readonly count: string;
  readonly goal: {
    readonly title: string;
    readonly text: string;
    readonly hint: string;
    readonly keys: string;
    readonly count: string;
  };
  readonly progress: number;
  readonly isDone: boolean;
  readonly isFinished: boolean;
  readonly note: string;
  readonly cells: readonly (readonly [number, number])[];
  readonly objects: readonly number[];
}

/** Parse a message into an object with a `type`, or null. */
export function messageOf(text: string): JsonObject | null {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) && typeof message.type === "string" ? message : null;
  } catch {
    return null;
  }
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: Json | undefined, otherwise = 0): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

export function linesOf(value: Json | undefined): LineInfo[] {
  const listed = Array.isArray(value) ? value : [];
  return listed.filter(isObject).map(({ line, parent, tick }) => ({
    line: numberOf(line),
    parent: typeof parent === "number" ? parent : null,
    tick: numberOf(tick),
  }));
}

export function helloOf(message: JsonObject): Hello {
  const { rights, slot } = message;
  return {
    rights: rights === "host" || rights === "player" ? rights : "watch",
    slot: isInteger(slot, 0) ? slot : null,
    lines: linesOf(message.lines),
    title: textOf(message.title),
    canBranch: message.can_branch === true,
    goal: textOf(inside(message.goal, "text"))
      ? { text: textOf(inside(message.goal, "text")), hint: textOf(inside(message.goal, "hint")) }
      : null,
  };
}

export function stateOf(message: JsonObject): GameState {
  const slots = Array.isArray(message.slots) ? message.slots : [];
  return {
    step: numberOf(message.step),
    isDone: message.done === true,
    isPaused: message.paused === true,
    tickMode: message.tick_mode === "tick_when_act" ? "tick_when_act" : "fixed",
    speed: numberOf(message.speed),
    rate: numberOf(message.rate),
    waitingFor: numbersOf(message.waiting_for),
    seats: slots.map((seat) => ({
      driver: textOf(inside(seat, "driver")) || null,
      plan: cellsOf(inside(seat, "plan")),
    })),
  };
}

export function lessonOf(message: JsonObject): Lesson {
  const { lesson, goal, highlight } = message;
  const text = (value: Json | undefined, key: string) => textOf(inside(value, key));
  return {
    title: text(lesson, "title"),
    count: countOf(lesson),
    goal: {
      title: text(goal, "title"),
      text: text(goal, "text"),
      hint: text(goal, "hint"),
      keys: text(goal, "keys"),
      count: countOf(goal),
    },
    progress: Math.min(1, Math.max(0, numberOf(inside(goal, "progress")))),
    isDone: inside(goal, "done") === true,
    isFinished: message.finished === true,
    note: textOf(message.note),
    cells: cellsOf(inside(highlight, "cells")),
    objects: numbersOf(inside(highlight, "objects")),
  };
}

function countOf(value: Json | undefined): string {
  const [number, count] = [inside(value, "number"), inside(value, "count")];
  return typeof number === "number" && typeof count === "number" ? `${number} of ${count}` : "";
}

function numbersOf(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.filter((entry) => isInteger(entry, 0)) : [];
}

function cellsOf(value: Json | undefined): [number, number][] {
  const isCell = (cell: Json): cell is [number, number] =>
    Array.isArray(cell) && cell.length === 2 && isInteger(cell[0], 0, 65535) && isInteger(cell[1], 0, 65535);
  return Array.isArray(value) ? value.filter(isCell) : [];
}

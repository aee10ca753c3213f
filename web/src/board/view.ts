import type { Frame, Link, ObjectView, Team } from "../decode";

/** What can be shown or hidden on the board. */
export const LAYERS = [
  "territory",
  "networks",
  "trail",
  "fog",
  "heat",
  "bars",
  "vibes",
  "carried",
  "talk",
  "names",
  "grid",
] as const;
export type Layer = (typeof LAYERS)[number];

export interface TrailPoint {
  readonly x: number;
  readonly y: number;
  /** steps from now: below 0 in the past */
  readonly steps: number;
}

/** What the board shows about a live game that is in no replay. */
export interface LiveMarks {
  /** cells that agents are on their way to */
  readonly plans: readonly { readonly agent: number; readonly cells: readonly (readonly [number, number])[] }[];
  /** agents that people drive, and the one of this page or -1 */
  readonly drivers: readonly number[];
  readonly own: number;
  /** what a lesson points at: cells, and ids of objects */
  readonly cells: readonly (readonly [number, number])[];
  readonly objects: readonly number[];
}

/** All that the board needs to draw one picture. Plain data, made by the page; the board knows no rules. */
export interface BoardView {
  readonly frame: Frame;
  /** where things go next, and how far they are on their way, from 0 to 1 */
  readonly next: Frame | null;
  readonly fraction: number;
  readonly layers: ReadonlySet<Layer>;
  /** number of the selected object, or -1 */
  readonly selected: number;
  /** tag that owns each cell, or null when nobody knows; the version tells when it has changed */
  readonly owners: Int32Array | null;
  readonly ownersVersion: string;
  /** tags whose territory is not shown */
  readonly hiddenTags: ReadonlySet<number>;
  readonly links: readonly { readonly team: Team; readonly links: readonly Link[] }[];
  /** cells that the selected agent sees now, and when each cell was first seen */
  readonly seen: { readonly cells: readonly number[]; readonly first: Int32Array; readonly version: string } | null;
  readonly heat: { readonly counts: Uint32Array; readonly most: number; readonly version: string } | null;
  readonly trail: readonly TrailPoint[];
  /** where the selected agent's policy says that it wants to go */
  readonly target: { readonly x: number; readonly y: number } | null;
  /** how full each agent's bars are, from 0 to 1, by number of its object */
  readonly bars: ReadonlyMap<number, readonly number[]>;
  /** colours of the bars */
  readonly barColours: readonly string[];
  readonly live: LiveMarks | null;
  nameOf(object: ObjectView): string;
}

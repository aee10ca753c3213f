import type { Frame, Link, ObjectView, Team } from "../decode";

/** The layers of the board. */
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
  /** steps from now; negative in the past */
  readonly steps: number;
}

/** Data of a live game that is not in the replay. */
export interface LiveMarks {
  /** planned paths of agents */
  readonly plans: readonly { readonly agent: number; readonly cells: readonly (readonly [number, number])[] }[];
  /** agents driven by users, and the one of this page or -1 */
  readonly drivers: readonly number[];
  readonly own: number;
  /** targets of a lesson: cells, and ids of objects */
  readonly cells: readonly (readonly [number, number])[];
  readonly objects: readonly number[];
}

/** All data for one frame of the board. Plain data from the page; the board knows no rules. */
export interface BoardView {
  readonly frame: Frame;
  /** the next frame, and the progress towards it, from 0 to 1 */
  readonly next: Frame | null;
  readonly fraction: number;
  readonly layers: ReadonlySet<Layer>;
  /** number of the selected object, or -1 */
  readonly selected: number;
  /** owning tag of each cell, or null when unknown; the version changes with the owners */
  readonly owners: Int32Array | null;
  readonly ownersVersion: string;
  /** tags whose territory is not shown */
  readonly hiddenTags: ReadonlySet<number>;
  readonly links: readonly { readonly team: Team; readonly links: readonly Link[] }[];
  /** cells that the selected agent sees now, and when each cell was first seen */
  readonly seen: { readonly cells: readonly number[]; readonly first: Int32Array; readonly version: string } | null;
  readonly heat: { readonly counts: Uint32Array; readonly most: number; readonly version: string } | null;
  readonly trail: readonly TrailPoint[];
  /** target shown by the selected agent's policy */
  readonly target: { readonly x: number; readonly y: number } | null;
  /** how full each agent's bars are, from 0 to 1, by number of its object */
  readonly bars: ReadonlyMap<number, readonly number[]>;
  /** colours of the bars */
  readonly barColours: readonly string[];
  readonly live: LiveMarks | null;
  nameOf(object: ObjectView): string;
}

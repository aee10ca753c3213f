import type { Frame } from "./frames";
import { inside, isInteger } from "./json";
import type { Replay } from "./replay";
import { Field } from "./rows";

/** The window in which an agent sees: which cells around it, and what hides others. */
export class Vision {
  readonly width: number;
  readonly height: number;
  /** [columns, rows] from the agent, nearest first, as observations list them */
  readonly offsets: readonly (readonly [number, number])[];
  /** whether the file says how large the window is */
  readonly isKnown: boolean;
  private readonly hidingTypes: ReadonlySet<string>;
  private readonly shape: ReadonlySet<number>;
  /** of the agent that was asked about last, and how many of its moves are in it */
  private seen: { agent: number; first: Int32Array; moves: number } | null = null;

  constructor(private readonly replay: Replay) {
    const [height, width] = windowOf(replay) ?? [13, 13];
    this.isKnown = windowOf(replay) !== null;
    this.height = height;
    this.width = width;
    this.offsets = visibleOffsets(height >> 1, width >> 1);
    this.shape = new Set(this.offsets.map(([dx, dy]) => dy * 64 + dx));
    this.hidingTypes = hidingTypes(replay);
  }

  /** Whether a cell so far from an agent is in the shape that it sees, hidden or not. */
  has(dx: number, dy: number): boolean {
    return this.shape.has(dy * 64 + dx);
  }

  /** Cells that an agent at a place sees, row by row as numbers; those outside the map are left out. */
  cellsFrom(x: number, y: number, frame: Frame): number[] {
    const { width, height } = this.replay.parts;
    const blockers = this.hidingTypes.size ? this.blockers(frame) : null;
    const cells: number[] = [];
    for (const [dx, dy] of this.offsets) {
      const [column, row] = [x + dx, y + dy];
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      if (!blockers?.size || !isHidden(dx, dy, (i, j) => blockers.has((y + j) * width + x + i))) {
        cells.push(row * width + column);
      }
    }
    return cells;
  }

  /** The tick at which each cell came into an agent's sight for the first time; a huge number for never. */
  firstSeen(agent: number): Int32Array {
    const { width, height } = this.replay.parts;
    if (this.seen?.agent !== agent) {
      this.seen = { agent, first: new Int32Array(width * height).fill(2 ** 31 - 1), moves: -1 };
    }
    const { first } = this.seen;
    const number = this.replay.agentObjects[agent];
    const slot = number === undefined || number < 0 ? -1 : this.replay.timeline.slot(Field.location, number);
    if (slot < 0) return first;
    const look = (tick: number, place: number) => {
      const [x, y] = [place & 0xffff, place >>> 16];
      for (const [dx, dy] of this.offsets) {
        const [column, row] = [x + dx, y + dy];
        if (column < 0 || row < 0 || column >= width || row >= height) continue;
        const cell = row * width + column;
        if (first[cell] > tick) first[cell] = tick;
      }
    };
    this.seen.moves = this.replay.timeline.eachChange(slot, look, this.seen.moves);
    return first;
  }

  private blockers(frame: Frame): Set<number> {
    const { width } = this.replay.parts;
    const cells = new Set<number>();
    for (const object of frame.objects) if (this.hidingTypes.has(object.type)) cells.add(object.y * width + object.x);
    for (const wall of this.hidingTypes.has("wall") ? this.replay.walls : []) {
      const [x, y] = this.replay.placeAt(wall, frame.tick);
      cells.add(y * width + x);
    }
    return cells;
  }
}

/** [height, width] */
function windowOf(replay: Replay): [number, number] | null {
  const { policyEnvInterface, config } = replay.parts;
  const shape = policyEnvInterface.egocentric_shape;
  if (Array.isArray(shape) && isSide(shape[0]) && isSide(shape[1])) return [shape[0], shape[1]];
  const [height, width] = [inside(config, "game", "obs", "height"), inside(config, "game", "obs", "width")];
  return isSide(height) && isSide(width) ? [height, width] : null;
}

function isSide(value: unknown): value is number {
  return isInteger(value, 1, 15);
}

/** A disc, with the three cells at each tip; an ellipse when the window is not square. Nearest first. */
export function visibleOffsets(rows: number, columns: number): [number, number][] {
  const offsets: [number, number][] = [];
  for (let far = 0; far <= rows + columns; far++) {
    for (let dy = -Math.min(far, rows); dy <= Math.min(far, rows); dy++) {
      const dx = far - Math.abs(dy);
      if (dx > columns || !isVisible(dy, dx, rows, columns)) continue;
      offsets.push([-dx, dy]);
      if (dx > 0) offsets.push([dx, dy]);
    }
  }
  return offsets.map(([dx, dy]) => [dx || 0, dy || 0]); // no -0
}

function isVisible(dy: number, dx: number, rows: number, columns: number): boolean {
  const square = dy * dy + dx * dx;
  if (rows === columns) {
    const isTip = rows >= 2 && square === rows * rows + 1 && (Math.abs(dy) === rows || Math.abs(dx) === columns);
    return square <= rows * rows || isTip;
  }
  if (rows === 0) return dy === 0;
  if (columns === 0) return dx === 0;
  return dy * dy * columns * columns + dx * dx * rows * rows <= rows * rows * columns * columns;
}

function hidingTypes(replay: Replay): Set<string> {
  const objects = inside(replay.parts.config, "game", "objects");
  const types = new Set<string>();
  for (const object of Object.values(objects && typeof objects === "object" ? objects : {})) {
    const name = inside(object, "name");
    if (inside(object, "blocks_vision") === true && typeof name === "string") types.add(name);
  }
  return types;
}

/** Whether a cell is behind another one: the line between the two middles touches a blocking cell, or its corner. */
function isHidden(dx: number, dy: number, blocks: (dx: number, dy: number) => boolean): boolean {
  const [stepX, stepY] = [Math.sign(dx), Math.sign(dy)];
  for (let i = 0; i <= Math.abs(dx); i++) {
    for (let j = 0; j <= Math.abs(dy); j++) {
      const isEnd = (i === 0 && j === 0) || (i === Math.abs(dx) && j === Math.abs(dy));
      if (isEnd || !touches(i, j, Math.abs(dx), Math.abs(dy))) continue;
      if (blocks(i * stepX, j * stepY)) return true;
    }
  }
  return false;
}

/** Whether the segment from (0, 0) to (dx, dy) touches the closed unit square around (i, j). */
function touches(i: number, j: number, dx: number, dy: number): boolean {
  // The distance of the square's middle from the line, times its length, against half the square's extent across it.
  return 2 * Math.abs(i * dy - j * dx) <= dx + dy;
}

import { type Frame, hasSightLimit } from "./frames";
import { inside, isInteger, isObject } from "./json";
import type { Replay } from "./replay";
import { Field } from "./rows";

/** An observation radius that covers the whole window. */
export const FULL_RADIUS = 7;

/** An agent's observation window: its cells, and which kinds of objects block sight. */
export class Vision {
  readonly width: number;
  readonly height: number;
  /** [columns, rows] from the agent, nearest first, as observations list them */
  readonly offsets: readonly (readonly [number, number])[];
  /** whether the file records the size of the window */
  readonly isKnown: boolean;
  /** whether observations are limited to a radius that the file does not record */
  readonly lacksRadius: boolean;
  /** by kind of object: whether it blocks sight */
  private readonly blocking: readonly boolean[];
  private readonly shape: ReadonlySet<number>;
  private readonly correctsSight: boolean;
  /** cache for the last agent queried, and the number of its moves included */
  private seen: { agent: number; first: Int32Array; moves: number } | null = null;

  constructor(private readonly replay: Replay) {
    const [height, width] = windowOf(replay) ?? [13, 13];
    this.isKnown = windowOf(replay) !== null;
    this.height = height;
    this.width = width;
    this.offsets = visibleOffsets(height >> 1, width >> 1, height * width);
    this.shape = new Set(this.offsets.map(([dx, dy]) => dy * 64 + dx));
    this.blocking = blockingKinds(replay);
    this.correctsSight = replay.parts.corrections.includes("sight");
    this.lacksRadius = hasSightLimit(replay) && replay.parts.observedValues === null;
  }

  /** Return whether a cell at an offset from an agent is inside its window, hidden or not. */
  has(dx: number, dy: number, radius = FULL_RADIUS): boolean {
    if (!this.shape.has(dy * 64 + dx)) return false;
    const [rows, columns] = [this.height >> 1, this.width >> 1];
    return radius >= FULL_RADIUS || isVisible(dy, dx, Math.min(rows, radius), Math.min(columns, radius));
  }

  /** Return an agent's observation radius; 0 (its own cell) if the file does not record it. */
  radiusOf(agent: number, frame: Frame): number {
    if (this.lacksRadius) return 0;
    return frame.agents[agent]?.radius ?? FULL_RADIUS;
  }

  /** Return the cells that an agent at a place sees, as numbers row by row; cells outside the map are left out. */
  cellsFrom(x: number, y: number, frame: Frame, radius = FULL_RADIUS): number[] {
    const { width, height } = this.replay.parts;
    const blockers = this.blocking.includes(true) ? this.blockers(frame) : null;
    const blocks = (i: number, j: number) => {
      const [column, row] = [x + i, y + j];
      return column >= 0 && row >= 0 && column < width && row < height && blockers!.has(row * width + column);
    };
    const cells: number[] = [];
    for (const [dx, dy] of this.offsets) {
      const [column, row] = [x + dx, y + dy];
      if (column < 0 || row < 0 || column >= width || row >= height || !this.has(dx, dy, radius)) continue;
      if (!blockers?.size || !isHidden(...this.lineTo(dx, dy, radius), blocks)) cells.push(row * width + column);
    }
    return cells;
  }

  /**
   * Return the cell whose line of sight decides whether another cell is visible. The published engine looks it up in
   * the whole window with the row length of the smaller one, so with a smaller radius it is not always the cell itself.
   */
  private lineTo(dx: number, dy: number, radius: number): [number, number] {
    const [rows, columns] = [this.height >> 1, this.width >> 1];
    if (radius >= columns || this.correctsSight) return [dx, dy];
    const [index, full] = [(dy + rows) * (2 * radius + 1) + dx + columns, 2 * columns + 1];
    return [(index % full) - columns, Math.floor(index / full) - rows];
  }

  /** Return the tick at which an agent first saw each cell; a huge number for never. */
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
    const { kindOf } = this.replay.parts;
    for (const { number, x, y } of frame.objects) if (this.blocking[kindOf[number]]) cells.add(y * width + x);
    for (const wall of this.replay.walls) {
      if (!this.blocking[kindOf[wall]]) continue;
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

/**
 * A disc, with the three cells at each tip; an ellipse when the window is not square. Nearest first. A side of even
 * length counts as the next odd one, and only the nearest `most` cells of the box are considered.
 */
export function visibleOffsets(rows: number, columns: number, most = Infinity): [number, number][] {
  const offsets: [number, number][] = [];
  let count = 0;
  const look = (dx: number, dy: number) => {
    if (count++ < most && isVisible(dy, dx, rows, columns)) offsets.push([dx, dy]);
  };
  for (let far = 0; far <= rows + columns; far++) {
    for (let dy = -Math.min(far, rows); dy <= Math.min(far, rows); dy++) {
      const dx = far - Math.abs(dy);
      if (dx > columns) continue;
      look(-dx, dy);
      if (dx > 0) look(dx, dy);
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
  if (rows === 0 || columns === 0) return Math.abs(dy) <= rows && Math.abs(dx) <= columns;
  return dy * dy * columns * columns + dx * dx * rows * rows <= rows * rows * columns * columns;
}

/** Kinds are matched by their name in maps, or by their type if the file does not record that name. */
function blockingKinds(replay: Replay): boolean[] {
  const objects = inside(replay.parts.config, "game", "objects");
  const [cells, types] = [new Map<string, boolean>(), new Map<string, boolean>()];
  for (const object of Object.values(isObject(objects) ? objects : {})) {
    const [name, blocks] = [inside(object, "name"), inside(object, "blocks_vision") === true];
    if (typeof name !== "string") continue;
    const cell = inside(object, "map_name");
    cells.set(typeof cell === "string" && cell ? cell : name, blocks);
    types.set(name, blocks || types.get(name) === true);
  }
  return replay.parts.kinds.map((kind) => !kind.isAgent && (cells.get(kind.cell) ?? types.get(kind.typeName)) === true);
}

/** Return whether a cell is hidden: the line between the two centres touches a blocking cell, or its corner. */
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

/** Return whether the segment from (0, 0) to (dx, dy) touches the closed unit square around (i, j). */
function touches(i: number, j: number, dx: number, dy: number): boolean {
  // The distance of the square's middle from the line, times its length, against half the square's extent across it.
  return 2 * Math.abs(i * dy - j * dx) <= dx + dy;
}

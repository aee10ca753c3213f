import type { Camera } from "./camera";
import { drawGround, type GroundPlan } from "./ground";
import type { Theme } from "./palette";

/** Cells per side of a tile of ground, and pixels per cell when zoomed in. */
const PIECE = 32;
const CLOSE = 32;
const CLOSE_SCALE = 14;
const FAR = 8;
const MOST_PIECES = 24;
const MOST_PIXELS = 2048;

/** A layer that covers the whole map, with the same number of pixels per cell. */
export interface Cover {
  readonly canvas: HTMLCanvasElement;
  /** whether cells keep sharp edges when zoomed in */
  readonly isSharp: boolean;
  /** changes whenever the layer does */
  readonly version: string;
}

type Pen = CanvasRenderingContext2D;

/** Margin of the floor's canvas beyond the view on each side, in pixels of the page. */
export const FLOOR_MARGIN = 128;

/**
 * Draws floor, walls and the layers above them on a separate canvas, below that of the moving objects.
 *
 * Without a graphics card, filling the whole view is by far the most expensive step, so the floor is drawn as rarely as
 * possible: the canvas is larger than the view, panning only shifts it, and it is redrawn only when the view
 * leaves it, zooms in, or a layer changes.
 */
export class Floor {
  private readonly whole: HTMLCanvasElement;
  private readonly pieces = new Map<number, HTMLCanvasElement>();
  private drawn = "";
  /** the view when it was last drawn, and the margin around it */
  private at = { x: 0, y: 0, room: 0 };

  constructor(
    private readonly plan: GroundPlan,
    private readonly theme: Theme,
  ) {
    const { width, height } = plan;
    const pixels = Math.max(1, Math.min(FAR, Math.floor(MOST_PIXELS / Math.max(width, height))));
    this.whole = drawGround(plan, theme, [0, 0, width, height], pixels);
  }

  /**
   * `ratio` is pixels of the canvas per pixel of the page. Returns the shift of the canvas, in pixels of the
   * page, that aligns it with the view.
   */
  draw(canvas: HTMLCanvasElement, camera: Camera, ratio: number, covers: readonly Cover[]): [number, number] {
    const key = `${camera.scale}/${canvas.width}/${canvas.height}/${covers.map(({ version }) => version).join("|")}`;
    const [scaleBefore] = this.drawn.split("/", 1);
    const shift = [(this.at.x - camera.x) * camera.scale, (this.at.y - camera.y) * camera.scale];
    if (key !== this.drawn || shift.some((pixels) => Math.abs(pixels) > this.at.room)) {
      // While zooming in, every frame redraws the floor anyway, so a margin outside the view would be wasted.
      const room = scaleBefore === String(camera.scale) ? FLOOR_MARGIN : 0;
      this.drawn = key;
      this.at = { x: camera.x, y: camera.y, room };
      this.paint(canvas, camera, ratio, covers, room);
      return [0, 0];
    }
    return [Math.round(shift[0] * ratio) / ratio, Math.round(shift[1] * ratio) / ratio];
  }

  private paint(
    canvas: HTMLCanvasElement,
    camera: Camera,
    ratio: number,
    covers: readonly Cover[],
    room: number,
  ): void {
    const pen = canvas.getContext("2d", { alpha: false })!;
    const edge = (FLOOR_MARGIN - room) * ratio;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = this.theme.outside;
    pen.fillRect(edge, edge, canvas.width - 2 * edge, canvas.height - 2 * edge);
    const [left, top] = camera.toView(0, 0);
    const scale = camera.scale * ratio;
    pen.setTransform(scale, 0, 0, scale, (left + FLOOR_MARGIN) * ratio, (top + FLOOR_MARGIN) * ratio);
    const [x1, y1, x2, y2] = this.visible(camera, room / camera.scale);
    if (x2 <= x1 || y2 <= y1) return;
    pen.imageSmoothingEnabled = true;
    if (camera.scale > CLOSE_SCALE) this.drawPieces(pen, x1, y1, x2, y2);
    else part(pen, this.whole, this.plan, x1, y1, x2, y2);
    for (const { canvas: cover, isSharp } of covers) {
      pen.imageSmoothingEnabled = !isSharp || camera.scale * ratio < 12;
      part(pen, cover, this.plan, x1, y1, x2, y2);
    }
  }

  /** Redraw next time: the canvas was cleared. */
  forget(): void {
    this.drawn = "";
  }

  /** Return the whole cells in view, extended by a margin of cells. */
  private visible(camera: Camera, around: number): [number, number, number, number] {
    const [left, top, right, bottom] = camera.bounds();
    const { width, height } = this.plan;
    return [
      Math.max(0, Math.floor(left - around)),
      Math.max(0, Math.floor(top - around)),
      Math.min(width, Math.ceil(right + around)),
      Math.min(height, Math.ceil(bottom + around)),
    ];
  }

  private drawPieces(pen: Pen, x1: number, y1: number, x2: number, y2: number): void {
    const columns = Math.ceil(this.plan.width / PIECE);
    for (let row = Math.floor(y1 / PIECE); row * PIECE < y2; row++) {
      for (let column = Math.floor(x1 / PIECE); column * PIECE < x2; column++) {
        const [x, y] = [column * PIECE, row * PIECE];
        const [width, height] = [Math.min(PIECE, this.plan.width - x), Math.min(PIECE, this.plan.height - y)];
        pen.drawImage(this.piece(row * columns + column, x, y, width, height), x, y, width, height);
      }
    }
    for (const key of this.pieces.keys()) {
      if (this.pieces.size <= MOST_PIECES) break;
      this.pieces.delete(key); // evict the least recently used tile
    }
  }

  private piece(key: number, x: number, y: number, width: number, height: number): HTMLCanvasElement {
    const piece = this.pieces.get(key) ?? drawGround(this.plan, this.theme, [x, y, width, height], CLOSE);
    this.pieces.delete(key); // keeps the tiles in order of last use
    this.pieces.set(key, piece);
    return piece;
  }
}

/** Draw the visible part of a layer at its place. */
function part(
  pen: Pen,
  picture: HTMLCanvasElement,
  plan: GroundPlan,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): void {
  const pixels = picture.width / plan.width;
  const [width, height] = [x2 - x1, y2 - y1];
  pen.drawImage(picture, x1 * pixels, y1 * pixels, width * pixels, height * pixels, x1, y1, width, height);
}

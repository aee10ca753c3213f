import { CanvasSource, Rectangle, Texture } from "pixi.js";
import { drawSprite, type Paint } from "./sprites";

const CELL = 96;
const GAP = 8;
const SIDE = 2048;

/**
 * The sprite sheet of the board. Each drawing is drawn once, on first use, all on one sheet: sprites of one sheet
 * render in one batch. When the sheet is full (a hostile replay may name a thousand object types) the last drawing
 * replaces all further ones.
 */
export class Atlas {
  private readonly canvas = document.createElement("canvas");
  private readonly pen: CanvasRenderingContext2D;
  private readonly source: CanvasSource;
  private readonly textures = new Map<string, Texture>();
  private next = 0;
  private isStale = false;

  constructor() {
    this.canvas.width = this.canvas.height = SIDE;
    this.pen = this.canvas.getContext("2d", { willReadFrequently: true })!;
    this.source = new CanvasSource({ resource: this.canvas, autoGenerateMipmaps: true, scaleMode: "linear" });
  }

  texture(name: string, paint: Paint): Texture {
    const key = `${name}|${paint.main}|${paint.second}|${paint.line}|${name === "box" ? paint.label : ""}`;
    const known = this.textures.get(key);
    if (known) return known;
    const columns = Math.floor(SIDE / (CELL + GAP));
    if (this.next >= columns * columns) return [...this.textures.values()].at(-1)!;
    const [x, y] = [(this.next % columns) * (CELL + GAP), Math.floor(this.next / columns) * (CELL + GAP)];
    this.next++;
    this.pen.save();
    this.pen.translate(x, y);
    this.pen.scale(CELL / 64, CELL / 64);
    this.pen.beginPath();
    this.pen.rect(0, 0, 64, 64);
    this.pen.clip();
    drawSprite(this.pen, name, paint);
    this.pen.restore();
    const texture = new Texture({ source: this.source, frame: new Rectangle(x, y, CELL, CELL) });
    this.textures.set(key, texture);
    this.isStale = true;
    return texture;
  }

  /** Upload new drawings to the graphics card; call before each frame. */
  upload(): void {
    if (this.isStale) this.source.update();
    this.isStale = false;
  }

  /** Clear all drawings, for example after a change of colours. */
  clear(): void {
    this.pen.clearRect(0, 0, SIDE, SIDE);
    for (const texture of this.textures.values()) texture.destroy(false);
    this.textures.clear();
    this.next = 0;
    this.isStale = true;
  }
}

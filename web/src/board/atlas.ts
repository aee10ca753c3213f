import { CanvasSource, Rectangle, Texture } from "pixi.js";
import { drawSprite, type Paint } from "./sprites";

const CELL = 96;
const GAP = 8;
const SIDE = 2048;

/**
 * Every drawing that the board needs, each drawn once when it is first asked for, all on one sheet: sprites of one sheet
 * are drawn together. When the sheet is full (a hostile replay may name a thousand kinds of things) the last drawing
 * stands for all further ones.
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

  /** Hand new drawings to the graphics card; call before each picture. */
  upload(): void {
    if (this.isStale) this.source.update();
    this.isStale = false;
  }

  /** Forget all drawings: other colours are wanted, or other things. */
  clear(): void {
    this.pen.clearRect(0, 0, SIDE, SIDE);
    for (const texture of this.textures.values()) texture.destroy(false);
    this.textures.clear();
    this.next = 0;
    this.isStale = true;
  }
}

import type { Cover } from "./floor";
import { rgb, type Theme } from "./palette";

/** An image over the whole map with the same number of pixels for every cell. */
class CellPicture implements Cover {
  readonly canvas = document.createElement("canvas");
  version = "";
  protected readonly pen: CanvasRenderingContext2D;

  constructor(
    protected readonly width: number,
    protected readonly height: number,
    protected readonly pixels: number,
    readonly isSharp: boolean,
  ) {
    this.canvas.width = width * pixels;
    this.canvas.height = height * pixels;
    this.pen = this.canvas.getContext("2d", { willReadFrequently: true })!;
  }
}

/** The owners of cells: a tint, and a line at each border. */
export class TerritoryPicture extends CellPicture {
  constructor(
    width: number,
    height: number,
    private readonly isWall: Uint8Array,
  ) {
    super(width, height, Math.max(1, Math.min(6, Math.floor(1536 / Math.max(width, height)))), true);
  }

  /**
   * `colours` has a colour for each tag that owns cells; owners without one are not shown. `version` changes with the
   * owners.
   */
  draw(owners: Int32Array, colours: ReadonlyMap<number, string>, version: string): void {
    if (version === this.version) return;
    this.version = version;
    const { pen, width, height, pixels } = this;
    pen.clearRect(0, 0, width * pixels, height * pixels);
    const shown = (cell: number) => (colours.has(owners[cell]) ? owners[cell] : -1);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; ) {
        const [owner, wall] = [shown(y * width + x), this.isWall[y * width + x]];
        let end = x + 1;
        while (end < width && shown(y * width + end) === owner && this.isWall[y * width + end] === wall) end++;
        if (owner >= 0) this.shade(colours.get(owner)!, x, y, end - x, wall ? 0.07 : 0.18);
        x = end;
      }
    }
    if (pixels >= 3) this.borders(shown, colours);
  }

  private shade(colour: string, x: number, y: number, length: number, alpha: number): void {
    const { pen, pixels } = this;
    pen.globalAlpha = alpha;
    pen.fillStyle = colour;
    pen.fillRect(x * pixels, y * pixels, length * pixels, pixels);
  }

  private borders(shown: (cell: number) => number, colours: ReadonlyMap<number, string>): void {
    const { pen, width, height, pixels } = this;
    pen.globalAlpha = 0.6;
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const owner = shown(y * width + x);
        if (owner < 0) continue;
        pen.fillStyle = colours.get(owner)!;
        const [px, py] = [x * pixels, y * pixels];
        if (x > 0 && shown(y * width + x - 1) !== owner) pen.fillRect(px, py, 1, pixels);
        if (x < width - 1 && shown(y * width + x + 1) !== owner) pen.fillRect(px + pixels - 1, py, 1, pixels);
        if (y > 0 && shown((y - 1) * width + x) !== owner) pen.fillRect(px, py, pixels, 1);
        if (y < height - 1 && shown((y + 1) * width + x) !== owner) pen.fillRect(px, py + pixels - 1, pixels, 1);
      }
    }
    pen.globalAlpha = 1;
  }
}

/** Fog: dims cells that the agent does not see, less if it has seen them before. */
export class FogPicture extends CellPicture {
  private readonly image: ImageData;

  constructor(
    width: number,
    height: number,
    private readonly theme: Theme,
  ) {
    super(width, height, 1, false);
    this.image = new ImageData(width, height);
  }

  draw(seen: readonly number[], firstSeen: Int32Array | null, tick: number, version: string): void {
    if (version === this.version) return;
    this.version = version;
    const { data } = this.image;
    const [r, g, b] = this.theme.fog;
    for (let cell = 0; cell < this.width * this.height; cell++) {
      const known = !firstSeen || firstSeen[cell] <= tick;
      data[cell * 4] = r;
      data[cell * 4 + 1] = g;
      data[cell * 4 + 2] = b;
      data[cell * 4 + 3] = known ? 120 : 205;
    }
    for (const cell of seen) data[cell * 4 + 3] = 0;
    this.pen.putImageData(this.image, 0, 0);
  }
}

/** A colour scale from dark to bright for amounts from 0 to 1; perceptually even, also for colour-blind users. */
const RAMP = ["#3b1d6e", "#7b2a8b", "#b93a7f", "#e75e5b", "#fb9a3c", "#fde047"].map(rgb);

export function heatColour(part: number): [number, number, number] {
  const at = Math.min(Math.max(part, 0), 1) * (RAMP.length - 1);
  const [low, high] = [RAMP[Math.floor(at)], RAMP[Math.min(Math.floor(at) + 1, RAMP.length - 1)]];
  const between = (a: number, b: number) => a + (b - a) * (at % 1);
  return [between(low.r, high.r), between(low.g, high.g), between(low.b, high.b)];
}

/** Counts per cell, on a logarithmic scale: on a linear one a few cells would hide all others. */
export class HeatPicture extends CellPicture {
  private readonly image: ImageData;

  constructor(width: number, height: number) {
    super(width, height, 1, true);
    this.image = new ImageData(width, height);
  }

  draw(counts: Uint32Array, most: number, version: string): void {
    if (version === this.version) return;
    this.version = version;
    const { data } = this.image;
    const scale = Math.log1p(most) || 1;
    for (let cell = 0; cell < counts.length; cell++) {
      const part = Math.log1p(counts[cell]) / scale;
      const [r, g, b] = heatColour(part);
      data[cell * 4] = r;
      data[cell * 4 + 1] = g;
      data[cell * 4 + 2] = b;
      data[cell * 4 + 3] = counts[cell] ? 90 + part * 130 : 0;
    }
    this.pen.putImageData(this.image, 0, 0);
  }
}

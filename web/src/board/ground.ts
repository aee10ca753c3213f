import { mix, type Theme } from "./palette";

export interface GroundPlan {
  readonly width: number;
  readonly height: number;
  readonly isWall: Uint8Array;
}

type Pen = CanvasRenderingContext2D;

/** Draw floor and walls of a range of cells, with a given number of pixels per cell. */
export function drawGround(
  plan: GroundPlan,
  theme: Theme,
  [left, top, width, height]: readonly [number, number, number, number],
  pixels: number,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width * pixels;
  canvas.height = height * pixels;
  const pen = canvas.getContext("2d", { willReadFrequently: true })!;
  pen.fillStyle = theme.ground;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) {
      const [px, py] = [(x - left) * pixels, (y - top) * pixels];
      if (isWallAt(plan, x, y)) drawWall(pen, plan, theme, x, y, px, py, pixels);
      else drawFloor(pen, theme, x, y, px, py, pixels);
    }
  }
  return canvas;
}

function isWallAt({ width, height, isWall }: GroundPlan, x: number, y: number): boolean {
  if (x < 0 || y < 0 || x >= width || y >= height) return true;
  return isWall[y * width + x] !== 0;
}

function drawFloor(pen: Pen, theme: Theme, x: number, y: number, px: number, py: number, size: number): void {
  if ((x + y) % 2) {
    pen.fillStyle = theme.groundSpeck;
    pen.fillRect(px, py, size, size);
  }
  if (size < 16) return;
  const noise = (Math.imul(x * 374761393 + y * 668265263, 1274126177) >>> 0) / 2 ** 32;
  if (noise < 0.12) {
    pen.fillStyle = mix(theme.groundSpeck, theme.wall, 0.25);
    pen.fillRect(px + noise * 6 * size, py + ((noise * 97) % 1) * size * 0.8, size / 8, size / 8);
  }
}

/** Draw a wall that joins its neighbours; its front is visible if the cell below is floor. */
function drawWall(
  pen: Pen,
  plan: GroundPlan,
  theme: Theme,
  x: number,
  y: number,
  px: number,
  py: number,
  size: number,
): void {
  const [up, down] = [isWallAt(plan, x, y - 1), isWallAt(plan, x, y + 1)];
  const front = down ? 0 : Math.ceil(size * 0.26);
  if (size < 6) {
    pen.fillStyle = theme.wallDark;
    pen.fillRect(px, py, size, size);
    pen.fillStyle = theme.wall;
    pen.fillRect(px, py, size, size - front);
    return;
  }
  const [left, right] = [isWallAt(plan, x - 1, y), isWallAt(plan, x + 1, y)];
  const corner = (a: boolean, b: boolean) => (a || b ? 0 : size * 0.28);
  const corners = [corner(up, left), corner(up, right), corner(down, right), corner(down, left)];
  for (const [colour, height] of [
    [theme.wallDark, size],
    [theme.wall, size - front],
  ] as const) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.roundRect(px, py, size, height, corners);
    pen.fill();
  }
  if (up) return;
  pen.fillStyle = theme.wallLight;
  pen.fillRect(px + corners[0] * 0.8, py, size - (corners[0] + corners[1]) * 0.8, Math.max(1, size * 0.07));
}

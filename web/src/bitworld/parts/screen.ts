import { el } from "../../ui/dom";
import { type GameInfo, PictureReader } from "../wire";

/** The picture of a player, in whole multiples of its size on the screen. */
export class Screen {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly context: CanvasRenderingContext2D;
  private readonly image: ImageData;
  private readonly reader: PictureReader;
  private isDrawn = true;

  constructor(game: GameInfo) {
    this.reader = new PictureReader(game.side, game.palette);
    this.canvas = el("canvas", {
      class: "picture",
      attrs: { width: game.side, height: game.side, role: "img", "aria-label": "The game", "data-testid": "picture" },
    });
    this.context = this.canvas.getContext("2d", { alpha: false })!;
    this.image = new ImageData(new Uint8ClampedArray(this.reader.pixels.buffer), game.side);
    this.element = el("div", { class: "screen" }, this.canvas);
    new ResizeObserver(() => this.fit()).observe(this.element);
    addEventListener("resize", () => this.fit());
  }

  /** Show a packed picture with the next frame; return whether it is one. */
  show(packed: Uint8Array): boolean {
    if (!this.reader.read(packed)) return false;
    if (this.isDrawn) {
      this.isDrawn = false;
      requestAnimationFrame(() => {
        this.isDrawn = true;
        this.context.putImageData(this.image, 0, 0);
      });
    }
    return true;
  }

  /** Choose the largest whole number of device pixels per pixel of the picture. */
  fit(): void {
    const { clientWidth, clientHeight } = this.element;
    const ratio = devicePixelRatio || 1;
    const steps = Math.max(Math.floor((Math.min(clientWidth, clientHeight) * ratio) / this.reader.side), 1);
    const size = `${(steps * this.reader.side) / ratio}px`;
    this.canvas.style.width = size;
    this.canvas.style.height = size;
  }
}

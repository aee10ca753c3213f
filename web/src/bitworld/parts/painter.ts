import { drawOrder, type Item, type Layer, type LayerType, type SceneReader, type Sprite } from "../wire";
import { Camera } from "./camera";

/** parts of the shorter side that a layer beside the map may use: on a wide canvas, and on a tall one with free room */
const UI_PART = { wide: 0.42, tall: 0.66 };
/** where layers beside the map are: 0 left or top, 0.5 centre, 1 right or bottom */
const ANCHORS: Readonly<Record<Exclude<LayerType, "map">, readonly [number, number]>> = {
  "top-left": [0, 0],
  "top-right": [1, 0],
  "bottom-right": [1, 1],
  "bottom-left": [0, 1],
  "centre-top": [0.5, 0],
  "centre-right": [1, 0.5],
  "centre-left": [0, 0.5],
  "centre-bottom": [0.5, 1],
};

interface Place {
  readonly layer: number;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly width: number;
  readonly height: number;
}

/** Draws a scene on a canvas, layer by layer, and finds what is under the mouse. */
export class Painter {
  readonly camera = new Camera();
  /** whether an object is left out, because the page shows the same in its own way */
  isHidden: (sprite: Sprite) => boolean = () => false;
  private readonly images = new WeakMap<Sprite, HTMLCanvasElement>();
  private readonly context: CanvasRenderingContext2D;
  private places: Place[] = [];

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { alpha: false })!;
  }

  draw(scene: SceneReader): void {
    const { canvas, context } = this;
    const layers = scene.layers;
    const items = this.itemsByLayer(scene);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = "#000";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingEnabled = false;
    this.places = [];
    const isMap = (layer: Layer) => layer.type === "map";
    const ordered = [...layers].sort(([, a], [, b]) => Number(isMap(b)) - Number(isMap(a)));
    for (const [number, layer] of ordered) {
      const shown = items.get(number);
      if (!shown) continue;
      const place = this.place(number, layer);
      this.places.push(place);
      this.drawLayer(scene, place, layer, shown);
    }
  }

  /** Return the layer under a point of the canvas and the place on it; the topmost layer wins. */
  at(x: number, y: number): { layer: number; x: number; y: number } | null {
    for (const place of [...this.places].reverse()) {
      const [across, down] = [Math.floor((x - place.x) / place.scale), Math.floor((y - place.y) / place.scale)];
      const isInside = across >= 0 && down >= 0 && across < place.width && down < place.height;
      if (isInside) return { layer: place.layer, x: across, y: down };
    }
    return null;
  }

  private itemsByLayer(scene: SceneReader): Map<number, Item[]> {
    const layers = new Map<number, Item[]>();
    for (const item of scene.items.values()) {
      const sprite = scene.sprites.get(item.sprite);
      if (!sprite || sprite.width === 0 || sprite.height === 0 || this.isHidden(sprite)) continue;
      const list = layers.get(item.layer);
      if (list) list.push(item);
      else layers.set(item.layer, [item]);
    }
    for (const list of layers.values()) list.sort(drawOrder);
    return layers;
  }

  private place(layer: number, { type, width, height }: Layer): Place {
    const { canvas, camera } = this;
    if (type === "map") {
      camera.resize(canvas, { width, height });
      return { layer, x: camera.x, y: camera.y, scale: camera.scale, width, height };
    }
    const room = Math.min(canvas.width, canvas.height) * UI_PART[canvas.height > canvas.width ? "tall" : "wide"];
    const scale = Math.max(Math.floor(Math.min(room / width, room / height)), 1);
    const [across, down] = ANCHORS[type];
    const x = Math.round((canvas.width - width * scale) * across);
    const y = Math.round((canvas.height - height * scale) * down);
    return { layer, x, y, scale, width, height };
  }

  private drawLayer(scene: SceneReader, place: Place, layer: Layer, items: readonly Item[]): void {
    const { context } = this;
    context.save();
    context.setTransform(place.scale, 0, 0, place.scale, place.x, place.y);
    context.beginPath();
    context.rect(0, 0, layer.width, layer.height);
    context.clip();
    for (const item of items) context.drawImage(this.image(scene.sprites.get(item.sprite)!), item.x, item.y);
    context.restore();
  }

  private image(sprite: Sprite): HTMLCanvasElement {
    let image = this.images.get(sprite);
    if (!image) {
      image = document.createElement("canvas");
      image.width = sprite.width;
      image.height = sprite.height;
      const pixels = new ImageData(new Uint8ClampedArray(sprite.rgba.buffer), sprite.width);
      image.getContext("2d")!.putImageData(pixels, 0, 0);
      this.images.set(sprite, image);
    }
    return image;
  }
}

import { BadMessage, Fields } from "./fields";
import { decompress } from "./snappy";

export const LAYER_TYPES = [
  "map",
  "top-left",
  "top-right",
  "bottom-right",
  "bottom-left",
  "centre-top",
  "centre-right",
  "centre-left",
  "centre-bottom",
] as const;
export type LayerType = (typeof LAYER_TYPES)[number];

export interface Layer {
  readonly type: LayerType;
  readonly isZoomable: boolean;
  readonly isUi: boolean;
  readonly width: number;
  readonly height: number;
}

export interface Sprite {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array<ArrayBuffer>;
  readonly label: string;
}

export interface Item {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly layer: number;
  readonly sprite: number;
}

/** bytes of RGBA: the largest sprite, and all sprites of a scene together */
export const MAX_SPRITE_BYTES = 1 << 26;
export const MAX_SCENE_BYTES = 1 << 28;

/** The scene of a server, from its messages. Throws `BadMessage` for anything that the protocol forbids. */
export class SceneReader {
  readonly sprites = new Map<number, Sprite>();
  readonly items = new Map<number, Item>();
  private readonly kinds = new Map<number, { type: LayerType; flags: number }>();
  private readonly sizes = new Map<number, { width: number; height: number }>();
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_SCENE_BYTES) {}

  /** Layers that have a kind and a size, by number. */
  get layers(): Map<number, Layer> {
    const layers = new Map<number, Layer>();
    for (const number of [...this.kinds.keys()].sort((a, b) => a - b)) {
      const { type, flags } = this.kinds.get(number)!;
      const size = this.sizes.get(number);
      if (size) layers.set(number, { type, isZoomable: (flags & 1) !== 0, isUi: (flags & 2) !== 0, ...size });
    }
    return layers;
  }

  /** Return a scene that can change on its own. Sprites are shared: they never change. */
  copy(): SceneReader {
    const copy = new SceneReader(this.maxBytes);
    for (const [number, sprite] of this.sprites) copy.sprites.set(number, sprite);
    for (const [number, item] of this.items) copy.items.set(number, item);
    for (const [number, kind] of this.kinds) copy.kinds.set(number, kind);
    for (const [number, size] of this.sizes) copy.sizes.set(number, size);
    copy.bytes = this.bytes;
    return copy;
  }

  /** Apply all messages of one WebSocket message. */
  feed(data: Uint8Array): void {
    const fields = new Fields(data);
    while (!fields.isDone) this.read(fields);
  }

  private read(fields: Fields): void {
    const begin = fields.offset;
    const kind = fields.u8();
    if (kind === 1) this.readSprite(fields, begin);
    else if (kind === 2) this.readItem(fields, begin);
    else if (kind === 3) this.items.delete(fields.u16());
    else if (kind === 4) this.items.clear();
    else if (kind === 5) this.readSize(fields, begin);
    else if (kind === 6) this.readLayer(fields, begin);
    else throw new BadMessage(`the message at byte ${begin} has the unknown type ${kind}`);
  }

  private readSprite(fields: Fields, begin: number): void {
    const [id, width, height] = [fields.u16(), fields.u16(), fields.u16()];
    const size = width * height * 4;
    const total = this.bytes + size - (this.sprites.get(id)?.rgba.length ?? 0);
    if (size > MAX_SPRITE_BYTES || total > this.maxBytes) {
      throw new BadMessage(`the sprite ${id} at byte ${begin} is too large: ${width} x ${height}`);
    }
    const rgba = decompress(fields.bytes(fields.u32()), size);
    const label = fields.text(fields.u16());
    this.sprites.set(id, { width, height, rgba, label });
    this.bytes = total;
  }

  private readItem(fields: Fields, begin: number): void {
    const id = fields.u16();
    const [x, y, z] = [fields.i16(), fields.i16(), fields.i16()];
    const [layer, sprite] = [fields.u8(), fields.u16()];
    if (!this.kinds.has(layer)) {
      throw new BadMessage(`the object ${id} at byte ${begin} is on the unknown layer ${layer}`);
    }
    this.items.set(id, { id, x, y, z, layer, sprite });
  }

  private readSize(fields: Fields, begin: number): void {
    const [layer, width, height] = [fields.u8(), fields.u16(), fields.u16()];
    if (width === 0 || height === 0) {
      throw new BadMessage(`the viewport at byte ${begin} has the size ${width} x ${height}`);
    }
    this.sizes.set(layer, { width, height });
  }

  private readLayer(fields: Fields, begin: number): void {
    const [layer, type, flags] = [fields.u8(), fields.u8(), fields.u8()];
    const name = LAYER_TYPES[type];
    if (name === undefined) throw new BadMessage(`the layer at byte ${begin} has the unknown type ${type}`);
    this.kinds.set(layer, { type: name, flags });
  }
}

/** Compare objects in the order in which they are drawn. */
export function drawOrder(a: Item, b: Item): number {
  return a.z - b.z || a.y - b.y || a.id - b.id;
}

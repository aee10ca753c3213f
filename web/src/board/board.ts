import "pixi.js/unsafe-eval"; // works under a content security policy without `unsafe-eval`
import { Container, WebGLRenderer } from "pixi.js";
import type { ObjectView, Replay, Team, Teams } from "../decode";
import { Atlas } from "./atlas";
import { Brush } from "./brush";
import { Camera } from "./camera";
import { FogPicture, HeatPicture, TerritoryPicture } from "./cells";
import { type Cover, FLOOR_MARGIN, Floor } from "./floor";
import { Objects } from "./objects";
import { mix, type PaletteName, type Theme, teamColour, tintOf } from "./palette";
import { Texts } from "./texts";
import type { BoardView } from "./view";

/** The replay, teams and colours to draw; a new scene needs new drawings. */
export interface Scene {
  readonly replay: Replay;
  readonly teams: Teams;
  readonly theme: Theme;
  readonly palette: PaletteName;
}

/**
 * Draws a frame of a replay: moving objects with WebGL, on a canvas above that of the floor. It fetches nothing and
 * depends only on its arguments.
 */
export class Board {
  readonly camera = new Camera();
  private stage: Stage | null = null;
  private readonly atlas = new Atlas();
  /** offset of the floor's canvas from where it was drawn, in pixels of the page */
  private shift: [number, number] = [0, 0];
  private readonly ratio = Math.min(2, globalThis.devicePixelRatio || 1);

  private constructor(
    private readonly renderer: WebGLRenderer,
    readonly canvas: HTMLCanvasElement,
    readonly floor: HTMLCanvasElement,
  ) {}

  /** Throws when the browser has no WebGL. */
  static async create(canvas: HTMLCanvasElement, floor: HTMLCanvasElement): Promise<Board> {
    const renderer = new WebGLRenderer();
    await renderer.init({
      canvas,
      width: 300,
      height: 200,
      antialias: false,
      autoDensity: true,
      backgroundAlpha: 0,
      resolution: Math.min(2, globalThis.devicePixelRatio || 1),
      preserveDrawingBuffer: true, // so that the board can be saved as an image
    });
    return new Board(renderer, canvas, floor);
  }

  setScene(scene: Scene): void {
    const isOtherMap = this.stage?.scene.replay !== scene.replay;
    this.stage?.destroy();
    this.atlas.clear();
    this.stage = new Stage(scene, this.atlas);
    if (isOtherMap) this.camera.setMap(scene.replay.parts.width, scene.replay.parts.height);
  }

  /** The size of the view in pixels of the page. */
  resize(width: number, height: number): void {
    this.renderer.resize(Math.max(1, width), Math.max(1, height));
    const [floorWidth, floorHeight] = [width + 2 * FLOOR_MARGIN, height + 2 * FLOOR_MARGIN];
    this.floor.width = Math.round(floorWidth * this.ratio);
    this.floor.height = Math.round(floorHeight * this.ratio);
    Object.assign(this.floor.style, {
      left: `${-FLOOR_MARGIN}px`,
      top: `${-FLOOR_MARGIN}px`,
      width: `${floorWidth}px`,
      height: `${floorHeight}px`,
    });
    this.stage?.forgetFloor();
    this.camera.setView(width, height);
  }

  draw(view: BoardView): void {
    if (!this.stage) return;
    const [x, y] = this.stage.drawFloor(view, this.camera, this.floor, this.ratio);
    if (x !== this.shift[0] || y !== this.shift[1]) this.floor.style.transform = `translate(${x}px, ${y}px)`;
    this.shift = [x, y];
    this.stage.update(view, this.camera);
    this.renderer.render({ container: this.stage.root });
  }

  /** Return the current view, floor and objects together. */
  picture(): HTMLCanvasElement {
    const both = document.createElement("canvas");
    both.width = this.canvas.width;
    both.height = this.canvas.height;
    const pen = both.getContext("2d")!;
    const [x, y] = this.shift.map((pixels) => (pixels - FLOOR_MARGIN) * this.ratio);
    pen.drawImage(this.floor, x, y);
    pen.drawImage(this.canvas, 0, 0, both.width, both.height);
    return both;
  }

  /** Return the object nearest to a pixel, or null when none is near. */
  pick(view: BoardView, px: number, py: number): ObjectView | null {
    const [x, y] = this.camera.toMap(px, py);
    const reach = Math.max(0.8, 22 / this.camera.scale);
    let best: ObjectView | null = null;
    let nearest = reach;
    for (const object of view.frame.objects) {
      const away = Math.hypot(object.x + 0.5 - x, object.y + 0.5 - y) - (object.agent >= 0 ? 0.2 : 0);
      if (away < nearest) [best, nearest] = [object, away];
    }
    return best;
  }

  destroy(): void {
    this.stage?.destroy();
    this.stage = null;
    this.renderer.destroy();
  }
}

/** The layers of one scene, from bottom to top. */
class Stage {
  readonly root = new Container();
  private readonly world = new Container();
  private readonly floor: Floor;
  private readonly territory: TerritoryPicture;
  private readonly heat: HeatPicture;
  private readonly fog: FogPicture;
  private readonly below: Brush;
  private readonly above: Brush;
  private readonly texts: Texts;
  private readonly objects: Objects;
  private readonly tagColours = new Map<number, string>();

  constructor(
    readonly scene: Scene,
    private readonly atlas: Atlas,
  ) {
    const { replay, theme, teams, palette } = scene;
    const { width, height } = replay.parts;
    const isWall = new Uint8Array(width * height);
    for (const wall of replay.walls) {
      const [x, y] = replay.placeAt(wall, replay.firstTick);
      isWall[y * width + x] = 1;
    }
    for (const team of teams.list) if (team.tag >= 0) this.tagColours.set(team.tag, teamColour(team, palette));
    this.territory = new TerritoryPicture(width, height, isWall);
    this.heat = new HeatPicture(width, height);
    this.fog = new FogPicture(width, height, theme);
    this.floor = new Floor({ width, height, isWall }, theme);
    this.objects = new Objects(scene, this.atlas);
    this.objects.prepare();
    const white = this.objects.mark("white");
    this.below = new Brush(white);
    this.above = new Brush(white);
    this.texts = new Texts(theme);
    this.world.addChild(this.below.container, this.above.container);
    this.root.addChild(this.world, this.texts.container);
  }

  update(view: BoardView, camera: Camera): void {
    const { scale } = camera;
    const [left, top] = camera.toView(0, 0);
    this.world.scale.set(scale);
    this.world.position.set(left, top);
    this.below.begin();
    this.above.begin();
    this.texts.begin();
    if (view.layers.has("grid") && scale >= 12) this.grid(camera);
    const isFogged = view.layers.has("fog") && view.seen !== null; // an agent does not see connections
    if (view.layers.has("networks") && !isFogged)
      for (const { team, links } of view.links) this.network(team, links, scale);
    if (view.layers.has("trail")) this.trail(view, scale);
    this.objects.draw(view, camera, this.below, this.above, this.texts);
    this.below.end();
    this.above.end();
    this.texts.end();
    this.atlas.upload();
  }

  drawFloor(view: BoardView, camera: Camera, canvas: HTMLCanvasElement, ratio: number): [number, number] {
    return this.floor.draw(canvas, camera, ratio, this.covers(view));
  }

  /** Redraw the floor after its canvas was cleared. */
  forgetFloor(): void {
    this.floor.forget();
  }

  destroy(): void {
    this.root.destroy({ children: true });
  }

  private covers(view: BoardView): Cover[] {
    const covers: Cover[] = [];
    if (view.layers.has("territory") && view.owners) {
      const colours = new Map([...this.tagColours].filter(([tag]) => !view.hiddenTags.has(tag)));
      this.territory.draw(view.owners, colours, view.ownersVersion);
      covers.push(this.territory);
    }
    if (view.layers.has("heat") && view.heat) {
      this.heat.draw(view.heat.counts, view.heat.most, view.heat.version);
      covers.push(this.heat);
    }
    if (view.layers.has("fog") && view.seen) {
      this.fog.draw(view.seen.cells, view.seen.first, view.frame.tick, view.seen.version);
      covers.push(this.fog);
    }
    return covers;
  }

  private grid(camera: Camera): void {
    const { width, height } = this.scene.replay.parts;
    const [left, top, right, bottom] = camera.bounds();
    const white = this.objects.mark("white");
    const tint = this.scene.theme.name === "dark" ? 0xffffff : 0x000000;
    const line = 1 / camera.scale;
    const [x1, x2] = [Math.max(0, Math.floor(left)), Math.min(width, Math.ceil(right))];
    const [y1, y2] = [Math.max(0, Math.floor(top)), Math.min(height, Math.ceil(bottom))];
    for (let x = x1; x <= x2; x++) this.below.line(white, x, y1, x, y2, line, tint, 0.09);
    for (let y = y1; y <= y2; y++) this.below.line(white, x1, y, x2, y, line, tint, 0.09);
  }

  private network(team: Team, links: BoardView["links"][number]["links"], scale: number): void {
    const colour = teamColour(team, this.scene.palette);
    const [white, width] = [this.objects.mark("white"), Math.max(0.07, 1.6 / scale)];
    for (const { x1, y1, x2, y2 } of links) {
      const [ax, ay, bx, by] = [x1 + 0.5, y1 + 0.5, x2 + 0.5, y2 + 0.5];
      this.below.line(white, ax, ay, bx, by, width * 1.9, tintOf(mix(colour, "#000000", 0.65)), 0.45);
      this.below.line(white, ax, ay, bx, by, width, tintOf(colour), 0.85);
    }
  }

  private trail(view: BoardView, scale: number): void {
    const dot = this.objects.mark("dot");
    const ring = this.objects.mark("ring");
    const tint = this.scene.theme.name === "dark" ? 0xffffff : 0x14181c;
    const least = 2.4 / scale;
    for (const { x, y, steps } of view.trail) {
      const near = 1 - Math.min(1, Math.abs(steps) / 200);
      const size = Math.max(least, steps < 0 ? 0.13 + 0.08 * near : 0.19);
      const alpha = steps < 0 ? 0.12 + 0.5 * near : 0.1 + 0.4 * near;
      this.below.add(steps < 0 ? dot : ring, x + 0.5, y + 0.5, size, size, { tint, alpha });
    }
  }
}

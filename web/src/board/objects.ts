import type { Texture } from "pixi.js";
import { type ObjectView, stepOf } from "../decode";
import type { Atlas } from "./atlas";
import type { Scene } from "./board";
import type { Brush } from "./brush";
import type { Camera } from "./camera";
import { mix, resourceColour, teamColour, tintOf } from "./palette";
import { hasDrawing, hasSign, type Paint } from "./sprites";
import type { Texts } from "./texts";
import { vibeSprite } from "./vibes";
import type { BoardView } from "./view";

/** Below this many pixels per cell, objects are drawn as dots. */
const PIP_SCALE = 14;
/** From this many pixels per cell on, names, bars and carried items have room. */
const DETAIL_SCALE = 20;
const BUMP = 0.18;
const MOST_PREPARED = 4;
/**
 * Colours of user marks, distinct from those of teams: this page's cog, other drivers' cogs, and a lesson's targets.
 */
const OWN = 0x2ec4ff;
const OTHER = 0xb98cff;
const LESSON = 0xffb52e;

/** Draws objects and agents with their details. */
export class Objects {
  private readonly marks = new Map<string, Texture>();
  private facing = new Map<number, readonly [number, number]>();

  constructor(
    private readonly scene: Scene,
    private readonly atlas: Atlas,
  ) {}

  mark(name: string): Texture {
    const texture = this.marks.get(name) ?? this.atlas.texture(name, this.plain());
    this.marks.set(name, texture);
    return texture;
  }

  /** Prepare the needed drawings in advance: each new drawing uploads the whole sheet again. */
  prepare(): void {
    const { teams, palette, replay } = this.scene;
    const { resourceNames } = replay.parts;
    const types = new Set(replay.nonWalls.map((number) => replay.typeName(number)));
    const roles = teams.roleResources.map((resource) => `cog:${resourceNames[resource]}`);
    const paints = [null, ...teams.list.slice(0, MOST_PREPARED)].map((team) => ({
      main: team ? teamColour(team, palette) : this.scene.theme.neutral,
      isTeam: team !== null,
    }));
    for (const { main, isTeam } of paints) {
      for (const type of [...types].slice(0, 24)) {
        const name = type === "junction" && !isTeam ? "junction-neutral" : hasDrawing(type) ? type : "box";
        this.atlas.texture(name, { ...this.plain(type), main, second: main });
      }
      for (const name of ["cog", "cog-down", ...roles, "pip-agent"]) {
        this.atlas.texture(name, { ...this.plain("agent"), main, second: main });
      }
      for (const { main: second } of types.has("junction") && isTeam ? paints.slice(1) : []) {
        for (const name of ["junction", "pip-junction"])
          this.atlas.texture(name, { ...this.plain("junction"), main, second });
      }
    }
    for (const name of resourceNames.slice(0, 24)) this.atlas.texture(`sign:${name}`, this.plain(name));
    for (const name of ["white", "dot", "ring", "band", "select", "target"]) this.mark(name);
    this.atlas.texture("facing", this.plain());
  }

  draw(view: BoardView, camera: Camera, below: Brush, above: Brush, texts: Texts): void {
    const [left, top, right, bottom] = camera.bounds();
    const isInView = (x: number, y: number) => x > left - 2 && x < right + 1 && y > top - 2 && y < bottom + 1;
    const next = view.next ? byNumber(view.next.objects) : null;
    const seen = view.layers.has("fog") && view.seen ? new Set(view.seen.cells) : null;
    const { width } = this.scene.replay.parts;
    const pointedAt = new Set(view.live?.objects);
    const agents: { object: ObjectView; x: number; y: number }[] = [];
    for (const object of view.frame.objects) {
      const [x, y] = this.place(object, next?.get(object.number), view);
      if (object.number === view.selected) this.selection(x, y, camera.scale, above);
      if (pointedAt.has(object.id)) this.pointer(x + 0.5, y + 0.5, camera.scale, above);
      if (!isInView(x, y)) continue;
      const cell = object.y * width + object.x;
      const isSeen = !seen || seen.has(cell);
      if (!isSeen && (object.agent >= 0 || view.seen!.first[cell] > view.frame.tick)) continue;
      if (object.agent >= 0) agents.push({ object, x, y });
      else this.drawObject(object, x + 0.5, y + 0.5, camera.scale, below, isSeen ? 1 : 0.4);
    }
    for (const { object, x, y } of agents) this.agent(object, x + 0.5, y + 0.5, view, camera, below, above, texts);
    if (view.target) this.target(view, camera.scale, above);
    for (const [x, y] of view.live?.cells ?? []) this.pointer(x + 0.5, y + 0.5, camera.scale, above);
  }

  /** Mark the cells and objects of a lesson. */
  private pointer(x: number, y: number, scale: number, brush: Brush): void {
    const size = Math.max(1.25, 22 / scale);
    brush.add(this.mark("target"), x, y, size, size, { tint: LESSON });
    brush.add(this.mark("band"), x, y, size * 1.3, size * 1.3, { tint: LESSON, alpha: 0.8 });
  }

  /** Mark driven agents and their destinations. */
  private driven(
    object: ObjectView,
    x: number,
    y: number,
    view: BoardView,
    scale: number,
    below: Brush,
    above: Brush,
  ): void {
    const { live } = view;
    if (!live) return;
    const isOwn = live.own === object.agent;
    const tint = isOwn ? OWN : OTHER;
    if (isOwn || live.drivers.includes(object.agent)) {
      const size = Math.max(1.3, 26 / scale);
      below.add(this.mark("band"), x, y, size, size, { tint, alpha: 0.95 });
    }
    const plan = live.plans.find(({ agent }) => agent === object.agent);
    if (!plan) return;
    let [fromX, fromY] = [x, y];
    const width = Math.max(0.09, 2 / scale);
    for (const [column, row] of plan.cells) {
      const [toX, toY] = [column + 0.5, row + 0.5];
      below.line(this.mark("white"), fromX, fromY, toX, toY, width, tint, isOwn ? 0.8 : 0.45);
      [fromX, fromY] = [toX, toY];
    }
    const size = Math.max(0.9, 16 / scale);
    above.add(this.mark("target"), fromX, fromY, size, size, { tint });
  }

  /** Return an object's interpolated position between this tick and the next. */
  private place(object: ObjectView, next: ObjectView | undefined, view: BoardView): [number, number] {
    const { fraction } = view;
    if (!next || fraction <= 0) return [object.x, object.y];
    const [dx, dy] = [next.x - object.x, next.y - object.y];
    if (dx || dy) {
      const isStep = Math.abs(dx) <= 2 && Math.abs(dy) <= 2;
      return isStep ? [object.x + dx * fraction, object.y + dy * fraction] : [object.x, object.y];
    }
    const does = object.agent >= 0 ? view.next!.agents[object.agent] : undefined;
    const step = does && does.animation === 1 ? stepOf(this.scene.replay.parts.actionNames[does.action]) : null;
    if (!step) return [object.x, object.y];
    const push = BUMP * Math.sin(Math.PI * Math.min(1, fraction / 0.45));
    return [object.x + step[0] * push, object.y + step[1] * push];
  }

  private drawObject(object: ObjectView, x: number, y: number, scale: number, brush: Brush, alpha: number): void {
    const teams = this.scene.teams.of(object);
    const paint = this.plain(object.type);
    if (teams.length) {
      paint.main = teamColour(teams[0], this.scene.palette);
      paint.second = teams.length > 1 ? teamColour(teams[1], this.scene.palette) : paint.main;
    }
    if (scale < PIP_SCALE) return this.pip(object, teams.length > 0, paint, x, y, scale, brush, alpha);
    const isNeutral = object.type === "junction" && !teams.length;
    const name = isNeutral ? "junction-neutral" : hasDrawing(object.type) ? object.type : "box";
    const size = object.type === "hub" || object.type === "ship" ? 1.25 : 0.98;
    brush.add(this.atlas.texture(name, paint), x, y, size, size, { alpha });
  }

  private pip(
    object: ObjectView,
    isOwned: boolean,
    paint: Paint,
    x: number,
    y: number,
    scale: number,
    brush: Brush,
    alpha: number,
  ): void {
    const pixels = (most: number, cells: number) => Math.max(cells, most / scale);
    if (object.type === "hub" || object.type === "ship") {
      brush.add(this.atlas.texture("pip-hub", paint), x, y, pixels(13, 1.6), undefined, { alpha });
    } else if (this.scene.teams.holdingTypes.has(object.type)) {
      brush.add(this.atlas.texture("pip-junction", paint), x, y, pixels(isOwned ? 9 : 6.5, 1), undefined, {
        alpha: isOwned ? alpha : alpha * 0.7,
      });
    } else {
      const resource = object.type.replace(/_extractor$/, "");
      const main = resource !== object.type && hasSign(resource) ? resourceColour(resource) : paint.main;
      brush.add(this.atlas.texture("pip-object", { ...paint, main }), x, y, pixels(3.5, 0.8), undefined, {
        alpha: alpha * 0.75,
      });
    }
  }

  private agent(
    object: ObjectView,
    x: number,
    y: number,
    view: BoardView,
    camera: Camera,
    below: Brush,
    above: Brush,
    texts: Texts,
  ): void {
    const { scale } = camera;
    this.driven(object, x, y, view, scale, below, above);
    const team = this.scene.teams.of(object)[0];
    const paint = this.plain("agent");
    if (team) paint.main = paint.second = teamColour(team, this.scene.palette);
    if (scale < PIP_SCALE) {
      below.add(this.atlas.texture("pip-agent", paint), x, y, Math.max(1.2, 12 / scale));
    } else {
      const role = this.scene.teams.roleOf(object);
      const isDown = this.isDown(object);
      const name = isDown ? "cog-down" : role >= 0 ? `cog:${this.scene.replay.parts.resourceNames[role]}` : "cog";
      const size = Math.max(0.98, 20 / scale);
      below.add(this.atlas.texture(name, paint), x, y, size);
      this.face(object, x, y, size, view, below);
    }
    if (scale >= DETAIL_SCALE) this.details(object, x, y, view, scale, above);
    const [px, py] = camera.toView(x, y);
    if (view.layers.has("names") && scale >= DETAIL_SCALE + 4) {
      texts.name(object.number, view.nameOf(object), px, py + scale * 0.52);
    }
    const { talk, talkSteps } = view.frame.agents[object.agent] ?? { talk: "", talkSteps: 0 };
    if (talk && view.layers.has("talk")) {
      texts.bubble(object.number, talk, px, py - Math.max(8, scale * 0.7), Math.min(1, 0.4 + talkSteps / 8));
    }
  }

  /** Draw a small arrow in the direction of the agent's last move or push. */
  private face(object: ObjectView, x: number, y: number, size: number, view: BoardView, brush: Brush): void {
    const does = (view.fraction > 0 && view.next ? view.next : view.frame).agents[object.agent];
    const step = stepOf(this.scene.replay.parts.actionNames[does?.action ?? -1]);
    if (step) this.facing.set(object.number, step);
    const facing = this.facing.get(object.number);
    if (!facing) return;
    const rotation = Math.atan2(facing[1], facing[0]);
    brush.add(this.atlas.texture("facing", this.plain()), x, y, size, size, { rotation });
  }

  private details(object: ObjectView, x: number, y: number, view: BoardView, scale: number, brush: Brush): void {
    const white = this.mark("white");
    const bars = view.layers.has("bars") ? (view.bars.get(object.number) ?? []) : [];
    bars.forEach((part, i) => {
      const [width, height] = [0.8, Math.max(0.085, 2 / scale)];
      const top = y - 0.56 - (bars.length - 1 - i) * (height + 0.03);
      brush.add(white, x, top, width + 0.05, height + 0.05, { tint: 0x0b0e11, alpha: 0.85 });
      const full = Math.max(0, Math.min(1, part));
      const tint = tintOf(full < 0.25 && i === 0 ? "#e5533d" : view.barColours[i]);
      if (full > 0) brush.add(white, x - (width * (1 - full)) / 2, top, width * full, height, { tint });
    });
    if (view.layers.has("vibes") && object.vibe) {
      const vibe = this.scene.replay.parts.vibeNames[object.vibe] ?? String(object.vibe);
      const paint = { ...this.plain(vibe), main: this.scene.theme.paper };
      brush.add(this.atlas.texture("badge", paint), x + 0.4, y - 0.38, 0.42);
      brush.add(this.atlas.texture(vibeSprite(vibe), this.plain(vibe)), x + 0.4, y - 0.38, 0.36);
    }
    if (view.layers.has("carried")) this.carried(object, x, y, brush);
  }

  /** Draw a row of signs below the agent: the items it carries, without its role and the bars' resources. */
  private carried(object: ObjectView, x: number, y: number, brush: Brush): void {
    const { resourceNames } = this.scene.replay.parts;
    const hidden = new Set(["hp", "energy", "solar"]);
    const shown = object.inventory
      .filter(
        ([resource]) => !this.scene.teams.roleResources.includes(resource) && !hidden.has(resourceNames[resource]),
      )
      .slice(0, 5);
    shown.forEach(([resource], i) => {
      const name = resourceNames[resource] ?? String(resource);
      const paint = { ...this.plain(name), main: this.scene.theme.paper };
      const at = x + (i - (shown.length - 1) / 2) * 0.27;
      brush.add(this.atlas.texture("badge", paint), at, y + 0.42, 0.3);
      brush.add(this.atlas.texture(`sign:${name}`, this.plain(name)), at, y + 0.42, 0.27);
    });
  }

  private selection(x: number, y: number, scale: number, brush: Brush): void {
    const size = Math.max(1.3, 20 / scale);
    const dark = this.scene.theme.name === "dark";
    brush.add(this.mark("select"), x + 0.5, y + 0.5, size, size, { tint: dark ? 0xffffff : 0x101418 });
  }

  private target(view: BoardView, scale: number, brush: Brush): void {
    const { x, y } = view.target!;
    const size = Math.max(1, 18 / scale);
    brush.add(this.mark("target"), x + 0.5, y + 0.5, size, size, { tint: 0xf2c14e });
    const from = view.frame.objects.find((object) => object.number === view.selected);
    if (!from) return;
    const width = Math.max(0.05, 1.2 / scale);
    brush.line(this.mark("white"), from.x + 0.5, from.y + 0.5, x + 0.5, y + 0.5, width, 0xf2c14e, 0.5);
  }

  private isDown(object: ObjectView): boolean {
    const hp = this.scene.replay.parts.resourceNames.indexOf("hp");
    return hp >= 0 && !object.inventory.some(([resource]) => resource === hp);
  }

  private plain(label = ""): Paint {
    const { theme } = this.scene;
    const line = theme.name === "dark" ? "#0d1115" : mix(theme.ink, "#ffffff", 0.1);
    return { main: theme.neutral, second: theme.neutral, line, label };
  }
}

let lastList: readonly ObjectView[] = [];
let lastMap = new Map<number, ObjectView>();

function byNumber(objects: readonly ObjectView[]): Map<number, ObjectView> {
  if (objects !== lastList) {
    lastList = objects;
    lastMap = new Map(objects.map((object) => [object.number, object]));
  }
  return lastMap;
}

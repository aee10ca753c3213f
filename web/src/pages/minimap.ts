import type { Camera } from "../board/camera";
import { rgb, teamColour } from "../board/palette";
import type { BoardView } from "../board/view";
import type { Episode } from "../decode";
import { el } from "../ui/dom";
import type { App } from "./app";

const SIDE = 168;

/** The minimap: walls, owners of cells, teams' objects and agents, and the visible part of the board. */
export class Minimap {
  readonly canvas = el("canvas", { class: "minimap", attrs: { role: "img", "aria-label": "Minimap" } });
  private readonly picture = document.createElement("canvas");
  private readonly image: ImageData;
  private readonly isWall: Uint8Array;
  private readonly scale: number;
  private drawn = "";

  constructor(
    private readonly app: App,
    private readonly episode: Episode,
    private readonly camera: Camera,
    onMove: () => void,
  ) {
    const { width, height } = episode.replay.parts;
    this.picture.width = width;
    this.picture.height = height;
    this.image = new ImageData(width, height);
    this.isWall = new Uint8Array(width * height);
    for (const wall of episode.replay.walls) {
      const [x, y] = episode.replay.placeAt(wall, episode.replay.firstTick);
      this.isWall[y * width + x] = 1;
    }
    this.scale = SIDE / Math.max(width, height);
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * this.scale * ratio);
    this.canvas.height = Math.round(height * this.scale * ratio);
    this.canvas.style.width = `${Math.round(width * this.scale)}px`;
    this.canvas.style.height = `${Math.round(height * this.scale)}px`;
    const go = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      app.follow(false);
      this.camera.lookAt(
        ((event.clientX - box.left) / box.width) * width,
        ((event.clientY - box.top) / box.height) * height,
      );
      onMove();
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) go(event);
    });
  }

  draw(view: BoardView): void {
    this.cells(view);
    const pen = this.canvas.getContext("2d")!;
    const scale = this.canvas.width / this.picture.width;
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.picture, 0, 0, this.canvas.width, this.canvas.height);
    for (const object of view.frame.objects) {
      const team = this.episode.teams.of(object)[0];
      if (!team) continue;
      const size = object.agent >= 0 ? 4.5 : object.type === "hub" || object.type === "ship" ? 6 : 3.5;
      pen.fillStyle = teamColour(team, this.app.palette);
      const [x, y] = [(object.x + 0.5) * scale, (object.y + 0.5) * scale];
      if (object.agent >= 0) {
        pen.strokeStyle = object.number === view.selected ? "#ffffff" : "#0b0e11";
        pen.lineWidth = object.number === view.selected ? 2 : 1;
        pen.beginPath();
        pen.arc(x, y, size / 2 + 0.5, 0, Math.PI * 2);
        pen.fill();
        pen.stroke();
      } else pen.fillRect(x - size / 2, y - size / 2, size, size);
    }
    const [left, top, right, bottom] = this.camera.bounds();
    pen.strokeStyle = this.app.themeNow.ink;
    pen.lineWidth = 1.5;
    pen.strokeRect(left * scale, top * scale, (right - left) * scale, (bottom - top) * scale);
  }

  private cells(view: BoardView): void {
    const theme = this.app.themeNow;
    const version = `${view.ownersVersion}/${theme.name}/${this.app.palette}`;
    if (version === this.drawn) return;
    this.drawn = version;
    const [ground, wall] = [rgb(theme.ground), rgb(theme.wall)];
    const colours = new Map(
      this.episode.teams.list.map((team) => [team.tag, rgb(teamColour(team, this.app.palette))] as const),
    );
    const { data } = this.image;
    for (let cell = 0; cell < this.isWall.length; cell++) {
      const base = this.isWall[cell] ? wall : ground;
      const owner = view.owners ? colours.get(view.owners[cell]) : undefined;
      const part = owner ? 0.3 : 0;
      data[cell * 4] = base.r + ((owner?.r ?? 0) - base.r) * part;
      data[cell * 4 + 1] = base.g + ((owner?.g ?? 0) - base.g) * part;
      data[cell * 4 + 2] = base.b + ((owner?.b ?? 0) - base.b) * part;
      data[cell * 4 + 3] = 255;
    }
    this.picture.getContext("2d")!.putImageData(this.image, 0, 0);
  }
}

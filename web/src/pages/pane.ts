import { Board } from "../board/board";
import type { BoardView } from "../board/view";
import type { Episode } from "../decode";
import { el } from "../ui/dom";
import type { App } from "./app";
import { ViewMaker } from "./board-view";
import { Minimap } from "./minimap";

/** One board in the page, with its minimap and pointer handling. */
export class Pane {
  readonly element = el("section", { class: "pane", attrs: { "aria-label": "Board" } });
  private readonly canvas = el("canvas", { class: "board", attrs: { tabindex: 0, "aria-label": "Map" } });
  private readonly floor = el("canvas", { class: "floor", attrs: { "aria-hidden": "true" } });
  private readonly caption = el("div", { class: "pane-caption" });
  private readonly trouble = el("p", { class: "pane-trouble", attrs: { role: "alert" } });
  private board: Board | null = null;
  private maker: ViewMaker | null = null;
  private minimap: Minimap | null = null;
  private view: BoardView | null = null;
  private settings = 0;
  private minimapDue = 0;
  private isStale = true;
  private shape = 0;
  /** called when a cell is clicked; returns whether the click is handled */
  onCell: (x: number, y: number, event: PointerEvent) => boolean = () => false;
  /** called when the user moves the camera, so that a second board can follow */
  onCamera: () => void = () => undefined;

  private constructor(private readonly app: App) {
    this.element.append(this.floor, this.canvas, this.caption, this.trouble);
    this.trouble.hidden = true;
    this.caption.hidden = true;
    this.listen();
  }

  static async create(app: App): Promise<Pane> {
    const pane = new Pane(app);
    try {
      pane.board = await Board.create(pane.canvas, pane.floor);
    } catch {
      pane.trouble.hidden = false;
      pane.trouble.textContent = "This browser has no WebGL, so the map cannot be drawn; everything else works";
    }
    new ResizeObserver(() => pane.resize()).observe(pane.element);
    return pane;
  }

  get camera() {
    return this.board?.camera ?? null;
  }

  show(episode: Episode, caption: string): void {
    this.caption.textContent = caption;
    this.caption.hidden = !caption;
    if (this.maker?.episode === episode) return;
    const { camera } = this;
    const [before, view] = [
      this.maker?.episode.replay.parts,
      camera && { x: camera.x, y: camera.y, scale: camera.scale },
    ];
    this.maker = new ViewMaker(this.app, episode);
    this.view = null;
    this.setScene();
    this.minimap?.canvas.remove();
    this.minimap = null;
    if (this.board) {
      this.minimap = new Minimap(this.app, episode, this.board.camera, () => {
        this.touch();
        this.onCamera();
      });
      this.element.append(this.minimap.canvas);
    }
    this.resize();
    const { width, height } = episode.replay.parts;
    // Another line of the same game, or the same one after a reconnect: keep the view.
    if (this.app.live && view && before?.width === width && before.height === height)
      camera!.lookAt(view.x, view.y, view.scale, true);
    else camera?.fit(true);
    this.touch();
  }

  /** Apply changed colours or layers. */
  restyle(hasNewColours: boolean): void {
    this.settings++;
    if (hasNewColours) this.setScene();
    this.touch();
  }

  /** Force the next frame to be drawn. */
  touch(): void {
    this.isStale = true;
  }

  /** Draw if anything has changed; return whether it did. */
  draw(seconds: number): boolean {
    const { board, maker, app } = this;
    if (!board || !maker) return false;
    const object = app.isFollowing && this.view ? app.selectedObject(maker.episode, this.view.frame) : null;
    if (object) board.camera.lookAt(object.x + 0.5, object.y + 0.5);
    const moves = board.camera.advance(seconds);
    if (!moves && !this.isStale && !app.isPlaying) return false;
    this.isStale = false;
    if (maker.episode.replay.shape !== this.shape) this.setScene(); // a wall was removed or added
    const isFirst = !this.view;
    this.view = maker.make(this.settings);
    board.draw(this.view);
    if (isFirst) performance.mark("first-frame"); // for benchmarks
    this.minimapDue -= seconds;
    if (this.minimap && (this.minimapDue <= 0 || !app.isRunning)) {
      this.minimapDue = 0.12;
      this.minimap.canvas.hidden = !app.hasMinimap;
      if (app.hasMinimap) this.minimap.draw(this.view);
    }
    return true;
  }

  lookAt(x: number, y: number): void {
    const scale = this.board && this.board.camera.scale < 14 ? 28 : undefined;
    this.board?.camera.lookAt(x + 0.5, y + 0.5, scale);
    this.touch();
  }

  /** Return the board as a PNG. */
  async picture(): Promise<Blob | null> {
    const { board, view } = this;
    if (!board || !view) return null;
    board.draw(view);
    return new Promise((resolve) => board.picture().toBlob(resolve, "image/png"));
  }

  destroy(): void {
    this.board?.destroy();
    this.element.remove();
  }

  private setScene(): void {
    if (!this.maker || !this.board) return;
    const { replay, teams } = this.maker.episode;
    this.shape = replay.shape;
    this.board.setScene({ replay, teams, theme: this.app.themeNow, palette: this.app.palette });
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight) return;
    this.board?.resize(clientWidth, clientHeight);
    this.touch();
  }

  private listen(): void {
    const pointers = new Map<number, { x: number; y: number; time: number }>();
    let moved = 0;
    const { canvas, app } = this;
    const at = (event: PointerEvent | WheelEvent | MouseEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, time: event.timeStamp });
      moved = 0;
      this.camera?.hold();
    });
    canvas.addEventListener("pointermove", (event) => {
      this.hover(...at(event));
      const last = pointers.get(event.pointerId);
      if (!last || !this.camera) return;
      const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
      const seconds = (event.timeStamp - last.time) / 1000;
      if (pointers.size === 1) {
        this.camera.drag(dx, dy, seconds);
      } else {
        const [a, b] = [...pointers.values()];
        const before = Math.hypot(a.x - b.x, a.y - b.y);
        Object.assign(last, { x: event.clientX, y: event.clientY });
        const after = Math.hypot(a.x - b.x, a.y - b.y);
        const box = canvas.getBoundingClientRect();
        if (before > 0) this.camera.zoom(after / before, (a.x + b.x) / 2 - box.left, (a.y + b.y) / 2 - box.top);
      }
      Object.assign(last, { x: event.clientX, y: event.clientY, time: event.timeStamp });
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved > 6 && app.isFollowing) app.follow(false);
      this.touch();
      this.onCamera();
    });
    const up = (event: PointerEvent) => {
      if (!pointers.delete(event.pointerId)) return;
      this.camera?.release();
      if (event.type === "pointerup" && moved <= 6 && !pointers.size) this.click(...at(event), event);
      this.touch();
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => this.hover(-1, -1));
    canvas.addEventListener("dblclick", () => {
      if (!app.live || app.live.driven < 0) app.follow(!app.isFollowing);
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 30 : 1;
        this.camera?.zoom(Math.exp(-event.deltaY * lines * 0.0016), ...at(event));
        this.touch();
        this.onCamera();
      },
      { passive: false },
    );
  }

  private click(px: number, py: number, event: PointerEvent): void {
    if (!this.board || !this.view || !this.maker) return;
    const object = this.board.pick(this.view, px, py);
    const [x, y] = this.board.camera.toMap(px, py).map(Math.floor);
    const { width, height } = this.maker.episode.replay.parts;
    const isOn = x >= 0 && y >= 0 && x < width && y < height;
    if (isOn && (object?.agent ?? -1) < 0 && this.onCell(x, y, event)) return;
    this.app.select(object?.id ?? 0);
    if (object && (this.app.panel === "" || this.app.panel === "info")) this.app.openPanel("agent");
  }

  private hover(px: number, py: number): void {
    if (!this.camera || !this.maker) return;
    const [x, y] = this.camera.toMap(px, py).map(Math.floor);
    const { width, height } = this.maker.episode.replay.parts;
    const isOn = px >= 0 && x >= 0 && y >= 0 && x < width && y < height;
    const cell = isOn ? ([x, y] as const) : null;
    if (cell?.[0] === this.app.hovered?.[0] && cell?.[1] === this.app.hovered?.[1]) return;
    this.app.hovered = cell;
    this.app.changed("hover");
  }
}

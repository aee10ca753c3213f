import type { Episode } from "../../decode";
import { el } from "../../ui/dom";
import type { App } from "../app";
import { Pane } from "../pane";

/** The boards in the middle of the page: one, or two side by side whose cameras move together. */
export class Boards {
  readonly element = el("div", { class: "boards" });
  readonly panes: Pane[] = [];

  constructor(private readonly app: App) {}

  get first(): Pane {
    return this.panes[0];
  }

  /** Create the first board; it stays empty until a replay is shown. */
  async start(): Promise<void> {
    this.panes.push(await Pane.create(this.app));
    this.element.prepend(this.first.element);
  }

  /** Show one replay. */
  show(episode: Episode, address: string): void {
    this.removeSecond();
    this.app.show(episode, address);
    this.first.show(episode, "");
  }

  /** Show a second replay beside the open one. */
  async showBeside(episode: Episode, address: string): Promise<void> {
    this.removeSecond();
    const second = await Pane.create(this.app);
    this.addSecond(second);
    this.app.showBeside(episode, address);
    this.first.show(this.app.left!, this.app.left!.name);
    second.show(episode, episode.name);
    this.linkCameras();
  }

  closeBeside(): void {
    this.removeSecond();
    this.app.showBeside(null, "");
    this.first.show(this.app.left!, "");
  }

  /** Show one line of a live game, or two. Return false if other lines replaced them meanwhile. */
  async showLines(left: Episode, right: Episode | null): Promise<boolean> {
    this.app.showLines(left, right);
    if (right && !this.panes[1]) {
      const second = await Pane.create(this.app);
      if (this.app.right !== right) {
        second.destroy();
        return false;
      }
      this.addSecond(second);
    }
    if (!right) this.removeSecond();
    this.first.show(left, right ? left.name : "");
    if (right) this.panes[1].show(right, right.name);
    this.linkCameras();
    this.first.onCamera();
    return true;
  }

  /** Force all boards to be drawn in the next frame. */
  touch(): void {
    for (const pane of this.panes) pane.touch();
  }

  private addSecond(second: Pane): void {
    this.panes.push(second);
    this.first.element.after(second.element);
    this.element.classList.add("is-split");
  }

  private removeSecond(): void {
    for (const pane of this.panes.splice(1)) pane.destroy();
    this.element.classList.remove("is-split");
  }

  private linkCameras(): void {
    this.panes.forEach((pane, i) => {
      pane.onCamera = () => {
        const other = this.panes[1 - i];
        if (!other?.camera || !pane.camera) return;
        other.camera.lookAt(pane.camera.x, pane.camera.y, pane.camera.scale, true);
        other.touch();
      };
    });
  }
}

import { button, el } from "../ui/dom";
import { ICONS } from "../ui/icons";
import { showTheme } from "../ui/theme";
import { Bar } from "./parts/bar";
import { Connection, fetchDocument, type Status } from "./parts/connection";
import { EventList } from "./parts/event-list";
import { isControl } from "./parts/keyboard";
import { Notice } from "./parts/notice";
import { Painter } from "./parts/painter";
import { listenToPointers } from "./parts/pointer";
import { Transport } from "./parts/transport";
import "./style.css";
import { BadMessage, type GameInfo, replayState, SceneReader, type Story, socketAddress, textMessage } from "./wire";

const PAN = 60;
const ZOOM = 1.25;
const STORY_WAIT_MS = 150;

/** The page of spectators: the whole map, and in a replay its time line and events. */
class GlobalPage {
  private readonly bar: Bar;
  private readonly painter: Painter;
  private readonly notice: Notice;
  private readonly connection: Connection;
  private readonly transport: Transport | null;
  private readonly events: EventList | null;
  private scene = new SceneReader();
  private isDrawn = true;

  constructor(app: HTMLElement, game: GameInfo) {
    const canvas = el("canvas", {
      class: "map",
      attrs: { role: "img", "aria-label": "The map of the game", tabindex: 0, "data-testid": "map" },
    });
    this.painter = new Painter(canvas);
    if (game.is_replay) this.painter.isHidden = (sprite) => sprite.label.startsWith("replay ");
    const isReplayPage = document.body.dataset.page === "replay";
    this.connection = new Connection(socketAddress(location.href, isReplayPage ? "replay" : "global"), {
      onMessage: (data) => this.receive(data),
      onStatus: (status) => this.show(status),
    });
    this.notice = new Notice(() => this.connection.open());
    this.bar = new Bar(
      button("Zoom out", "M5 12h14", () => this.zoom(1 / ZOOM)),
      button("Zoom in", "M12 5v14M5 12h14", () => this.zoom(ZOOM)),
      button("Show the whole map", ICONS.fit, () => this.fit()),
    );
    this.bar.name(game.title, game.is_replay ? "Replay" : "Live");
    const press = (text: string) => this.connection.send(textMessage(text));
    this.transport = game.is_replay ? new Transport(press, game.ticks_per_second) : null;
    this.events = game.is_replay ? new EventList((position) => press(`@${position}`), game.ticks_per_second) : null;
    app.className = game.is_replay ? "global with-events" : "global";
    const stage = el("main", { class: "stage" }, canvas, this.notice.element);
    app.replaceChildren(this.bar.element, stage);
    if (this.events) app.append(this.events.element);
    if (this.transport) app.append(this.transport.element);
    listenToPointers(this.painter, {
      send: (message) => this.connection.send(message),
      changed: () => this.redraw(),
    });
    addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize(stage)).observe(stage);
    this.resize(stage);
    this.connection.open();
    if (game.is_replay) void this.readStory();
  }

  private receive(data: ArrayBuffer | string): void {
    try {
      if (typeof data === "string") throw new BadMessage("it is text");
      this.scene.feed(new Uint8Array(data));
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      this.connection.fail(`The game sent a damaged message: ${error.message}`);
      return;
    }
    const state = replayState(this.scene.sprites);
    if (state) {
      this.transport?.show(state);
      this.events?.show(state.position);
    }
    this.redraw();
  }

  private show(status: Status): void {
    if (status.state === "connecting") this.scene = new SceneReader(); // a new connection begins with an empty scene
    this.bar.show(status);
    this.notice.show(status);
  }

  /** Ask for the events until the server has read the whole replay. */
  private async readStory(): Promise<void> {
    for (;;) {
      const story = await fetchDocument<Story>("events.json");
      this.events?.list(story);
      this.transport?.mark(story);
      if (story.is_complete) return;
      await new Promise((done) => setTimeout(done, STORY_WAIT_MS));
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isControl(event)) return;
    const pans: Record<string, readonly [number, number]> = {
      ArrowLeft: [PAN, 0],
      ArrowRight: [-PAN, 0],
      ArrowUp: [0, PAN],
      ArrowDown: [0, -PAN],
    };
    const pan = pans[event.key];
    if (pan) {
      this.painter.camera.pan(...pan);
      this.redraw();
    } else if (event.key === "]") this.zoom(ZOOM);
    else if (event.key === "[") this.zoom(1 / ZOOM);
    else if (event.key === "0") this.fit();
    else if (event.key.length === 1) this.connection.send(textMessage(event.key));
    else return;
    event.preventDefault();
  }

  private zoom(factor: number): void {
    this.painter.camera.zoom(factor);
    this.redraw();
  }

  private fit(): void {
    this.painter.camera.fit();
    this.redraw();
  }

  private resize(stage: HTMLElement): void {
    const ratio = devicePixelRatio || 1;
    const { canvas } = this.painter;
    canvas.width = Math.max(Math.round(stage.clientWidth * ratio), 1);
    canvas.height = Math.max(Math.round(stage.clientHeight * ratio), 1);
    this.redraw();
  }

  private redraw(): void {
    if (!this.isDrawn) return;
    this.isDrawn = false;
    requestAnimationFrame(() => {
      this.isDrawn = true;
      this.painter.draw(this.scene);
    });
  }
}

async function main(): Promise<void> {
  showTheme();
  new GlobalPage(document.getElementById("app")!, await fetchDocument<GameInfo>("game.json"));
}

void main();

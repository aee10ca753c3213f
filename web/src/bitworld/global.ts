import { showTheme } from "../ui/theme";
import { Bar } from "./parts/bar";
import { Connection, fetchDocument, type Status } from "./parts/connection";
import { EventList } from "./parts/event-list";
import { isControl } from "./parts/keyboard";
import { MapView } from "./parts/map-view";
import { Notice } from "./parts/notice";
import { Transport } from "./parts/transport";
import "./style.css";
import { BadMessage, type GameInfo, replayState, SceneReader, type Story, socketAddress, textMessage } from "./wire";

const STORY_WAIT_MS = 150;

/** The page of spectators: the whole map, and in a replay its time line and events. */
class GlobalPage {
  private readonly bar: Bar;
  private readonly map: MapView;
  private readonly notice: Notice;
  private readonly connection: Connection;
  private readonly transport: Transport | null;
  private readonly events: EventList | null;
  private scene = new SceneReader();

  constructor(app: HTMLElement, game: GameInfo) {
    const isReplayPage = document.body.dataset.page === "replay";
    this.connection = new Connection(socketAddress(location.href, isReplayPage ? "replay" : "global"), {
      onMessage: (data) => this.receive(data),
      onStatus: (status) => this.show(status),
    });
    this.notice = new Notice(() => this.connection.open());
    this.map = new MapView(
      () => this.scene,
      (message) => this.connection.send(message),
      this.notice.element,
    );
    if (game.is_replay) this.map.painter.isHidden = (sprite) => sprite.label.startsWith("replay ");
    this.bar = new Bar(...this.map.buttons);
    this.bar.name(game.title, game.is_replay ? "Replay" : "Live");
    const press = (text: string) => this.connection.send(textMessage(text));
    this.transport = game.is_replay ? new Transport(press, game.ticks_per_second) : null;
    this.events = game.is_replay ? new EventList((position) => press(`@${position}`), game.ticks_per_second) : null;
    app.className = game.is_replay ? "global with-events" : "global";
    app.replaceChildren(this.bar.element, this.map.stage);
    if (this.events) app.append(this.events.element);
    if (this.transport) app.append(this.transport.element);
    addEventListener("keydown", (event) => this.key(event));
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
    this.map.redraw();
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
    if (!this.map.key(event)) {
      if (event.key.length !== 1) return;
      this.connection.send(textMessage(event.key));
    }
    event.preventDefault();
  }
}

async function main(): Promise<void> {
  showTheme();
  new GlobalPage(document.getElementById("app")!, await fetchDocument<GameInfo>("game.json"));
}

void main();

import { button, el, icon } from "../ui/dom";
import { ICONS } from "../ui/icons";
import { showTheme } from "../ui/theme";
import { Bar } from "./parts/bar";
import { ChatBox } from "./parts/chat";
import { Connection, fetchDocument, type Status } from "./parts/connection";
import { listenToGamepads } from "./parts/gamepad";
import { Held } from "./parts/held";
import { askName } from "./parts/join";
import { listenToKeys } from "./parts/keyboard";
import { Notice } from "./parts/notice";
import { Pad } from "./parts/pad";
import { Screen } from "./parts/screen";
import "./style.css";
import { buttonPacket, chatPacket, type GameInfo, isAtRoot, socketAddress } from "./wire";

/** The page of a player: the picture of the game, and the buttons. */
class PlayerPage {
  private readonly bar: Bar;
  private readonly screen: Screen;
  private readonly notice: Notice;
  private readonly connection: Connection;
  private readonly held: Held;
  private readonly pad: Pad;
  private answeredAt = 0;

  constructor(
    app: HTMLElement,
    private readonly game: GameInfo,
  ) {
    this.held = new Held((mask) => {
      this.connection.send(buttonPacket(mask));
      this.pad.show(mask);
    });
    this.pad = new Pad(this.held, game.buttons);
    this.screen = new Screen(game);
    this.connection = new Connection(socketAddress(location.href, "player"), {
      onMessage: (data) => this.receive(data),
      onStatus: (status) => this.show(status),
    });
    this.notice = new Notice(() => this.connection.open());
    const chat = game.has_chat && !game.is_replay ? new ChatBox((text) => this.say(text)) : null;
    this.bar = new Bar(
      game.is_replay
        ? el("a", { class: "button", attrs: { href: "replay" } }, icon(ICONS.previous), "Replay")
        : button("Touch controls", ICONS.drive, () => togglePad(app)),
    );
    const query = new URLSearchParams(location.search);
    const slot = query.get("slot");
    const name = query.get("name") ?? (slot ? `Slot ${slot}` : "Player");
    this.bar.name(game.title, game.is_replay ? `What ${name} saw` : name);
    app.className = "player";
    app.replaceChildren(
      this.bar.element,
      el("main", { class: "stage" }, this.screen.element, this.notice.element),
      el("footer", { class: "below" }, chat?.element, !game.is_replay && hints(game.has_chat)),
      this.pad.directions,
      this.pad.actions,
    );
    // A click on a button keeps the keyboard with the game.
    app.addEventListener("mousedown", (event) => {
      if (event.target instanceof Element && event.target.closest("button")) event.preventDefault();
    });
    listenToKeys(this.held, game.buttons);
    listenToGamepads(this.held, game.buttons);
    if (chat) chat.listen();
    if (matchMedia("(pointer: coarse)").matches && !game.is_replay) app.classList.add("with-pad");
    this.screen.fit();
    this.connection.open();
  }

  private receive(data: ArrayBuffer | string): void {
    if (typeof data === "string" || !this.screen.show(new Uint8Array(data))) {
      this.connection.fail("The game sent something that is not a picture");
      return;
    }
    this.held.tick();
    if (this.game.is_stepped) this.answer();
  }

  /** Answer a picture of a stepped game, but no faster than a game in real time asks. */
  private answer(): void {
    const due = this.answeredAt + 1000 / this.game.ticks_per_second;
    const now = performance.now();
    this.answeredAt = Math.max(now, due);
    setTimeout(() => this.connection.send(buttonPacket(this.held.mask)), Math.max(due - now, 0));
  }

  private say(text: string): void {
    this.connection.send(chatPacket(text));
  }

  private show(status: Status): void {
    this.bar.show(status);
    this.notice.show(status);
    this.screen.element.classList.toggle("dim", status.state !== "open");
    if (status.state === "open") this.held.resend();
  }
}

function togglePad(app: HTMLElement): void {
  app.classList.toggle("with-pad");
  dispatchEvent(new Event("resize"));
}

function hints(hasChat: boolean): HTMLElement {
  const keys = (...names: string[]) => names.map((name) => el("kbd", {}, name));
  const hint = (what: string, ...names: string[]) => el("span", {}, ...keys(...names), ` ${what}`);
  return el(
    "p",
    { class: "hints quiet" },
    hint("move", "Arrows", "WASD"),
    hint("A", "Z", "J", "Space"),
    hint("B", "X", "K"),
    hint("Select", "Enter", "Shift"),
    hasChat && hint("chat", "T"),
  );
}

async function main(): Promise<void> {
  showTheme();
  const app = document.getElementById("app")!;
  const game = await fetchDocument<GameInfo>("game.json");
  const query = new URLSearchParams(location.search);
  const isNamed = ["name", "slot", "token", "address"].some((name) => query.has(name));
  if (!isNamed && isAtRoot(location.href)) await askName(app, game); // behind a proxy, the address is the seat
  new PlayerPage(app, game);
}

void main();

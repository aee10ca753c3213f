import { inside } from "../../decode";
import { LiveSocket } from "../../live/socket";
import type { Door } from "./door";
import { messageOf, textOf } from "./messages";

const TAKEOVER = "takeover";
const MOST_TRIES = 8;

export interface DriverEvents {
  changed(): void;
  failed(sentence: string): void;
  /** called when driving ends, with the reason; "" for none */
  ended(sentence: string): void;
}

/** Drives one cog. After a lost connection it reconnects and takes over the cog again. */
export class Driver {
  /** whether this page drives the cog now */
  isInControl = false;
  private wasInControl = false;
  private tries = 0;
  private timer = 0;
  /** the server's name of this connection */
  private name = "";
  /** the last received step, and the step of the last sent action */
  private step = 0;
  private sentAt = -1;
  /** an action from before the first time in control */
  private early: string | null = null;
  private readonly socket: LiveSocket;

  constructor(
    readonly line: number,
    readonly slot: number,
    door: Door,
    private readonly events: DriverEvents,
    private readonly force = false,
  ) {
    this.socket = new LiveSocket(door.address("player", { slot, line }), {
      message: (data) => typeof data === "string" && this.take(data),
      lost: () => {
        this.isInControl = false;
        events.changed();
      },
      refused: (sentence) => events.ended(sentence),
      over: () => events.ended(""),
    });
  }

  /** Act in the next step. A key that is held down acts once per step. */
  act(name: string, isRepeated = false): void {
    if (!this.wasInControl) {
      this.early = name;
      return;
    }
    if (isRepeated && this.sentAt === this.step) return;
    this.sentAt = this.step;
    this.send({ type: "action", action_name: name, step: true }); // lets a host step a paused game
  }

  vibe(name: string): void {
    this.send({ type: "action", vibe: name });
  }

  talk(text: string): void {
    this.send({ type: "action", talk: text });
  }

  /** Walk to a cell, or next to its object and use it. */
  order(x: number, y: number, mode: "go" | "queue" | "repeat"): void {
    this.send({ type: "order", x, y, mode });
  }

  cancel(): void {
    this.send({ type: "cancel" });
  }

  release(): void {
    clearTimeout(this.timer);
    this.socket.send({ type: "release_takeover" });
    this.socket.close();
  }

  private send(message: object): void {
    if (!this.socket.send(message)) this.events.failed("Not sent: the connection to the game is lost");
  }

  private take(text: string): void {
    const message = messageOf(text);
    if (message?.type === "player_config") {
      this.name = textOf(message.connection_id);
      // In a Coworld a connection owns the seat; other games need a takeover request.
      if (textOf(inside(message.control_state, "human_controller_connection_id")) !== this.name) this.takeOver();
    } else if (message?.type === "observation") {
      this.step = typeof message.step === "number" ? message.step : this.step;
      this.control(textOf(inside(message.control_state, "human_controller_connection_id")));
    } else if (message?.type === "error") this.refused(textOf(message.message), message.request_id === TAKEOVER);
  }

  private control(driver: string): void {
    if ((driver === this.name) === this.isInControl) return;
    this.isInControl = driver === this.name;
    if (this.isInControl) {
      this.wasInControl = true;
      this.tries = 0;
      if (this.early !== null) this.act(this.early);
      this.early = null;
    } else if (driver) return this.events.ended(`Agent ${this.slot} was taken over by ${driver}`);
    this.events.changed();
  }

  private takeOver(): void {
    this.socket.send({ type: "takeover", request_id: TAKEOVER, ...(this.force ? { force: true } : {}) });
  }

  private refused(sentence: string, isTakeover: boolean): void {
    if (!isTakeover) return this.events.failed(sentence);
    // After a reconnect the server may not have noticed yet that the old connection is closed.
    if (this.wasInControl && this.tries++ < MOST_TRIES) this.timer = window.setTimeout(() => this.takeOver(), 500);
    else this.events.ended(sentence);
  }
}

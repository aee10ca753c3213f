import type { JsonObject } from "../../decode";
import type { Door } from "./door";
import { messageOf, textOf } from "./messages";
import { LiveSocket } from "./socket";

/** What only the host of a game may do: its clock, branches, invitations. */
export class Admin {
  private count = 0;
  private readonly asked = new Map<string, { done(answer: JsonObject): void; failed(error: Error): void }>();
  private readonly socket: LiveSocket;

  constructor(door: Door) {
    this.socket = new LiveSocket(door.address("admin"), {
      message: (data) => typeof data === "string" && this.take(data),
      lost: () => this.giveUp("The connection to the game was lost before it answered"),
      refused: (sentence) => this.giveUp(sentence),
      over: () => this.giveUp("The game is over"),
    });
  }

  /** The answer to a request; an error with a sentence when it is refused. */
  ask(message: JsonObject): Promise<JsonObject> {
    const id = String(++this.count);
    return new Promise((done, failed) => {
      this.asked.set(id, { done, failed });
      if (this.socket.send({ ...message, request_id: id })) return;
      this.asked.delete(id);
      failed(new Error("The connection to the game is lost at the moment; this was not sent"));
    });
  }

  close(): void {
    this.socket.close();
  }

  private take(text: string): void {
    const message = messageOf(text);
    const waiting = this.asked.get(String(message?.request_id ?? ""));
    if (!message || !waiting) return;
    this.asked.delete(String(message.request_id));
    if (message.type === "ok") waiting.done(message);
    else waiting.failed(new Error(textOf(message.message) || "The game refused it"));
  }

  private giveUp(sentence: string): void {
    for (const { failed } of this.asked.values()) failed(new Error(sentence));
    this.asked.clear();
  }
}

import type { JsonObject } from "../../decode";
import { LiveSocket } from "../../live/socket";
import type { Door } from "./door";
import { messageOf, textOf } from "./messages";

/** The host's requests: clock, branches, invitations. */
export class Admin {
  private count = 0;
  private readonly asked = new Map<string, { done(answer: JsonObject): void; failed(error: Error): void }>();
  private readonly socket: LiveSocket;

  constructor(door: Door) {
    this.socket = new LiveSocket(door.address("admin"), {
      message: (data) => typeof data === "string" && this.take(data),
      lost: () => this.giveUp("The connection to the game was lost before a response arrived"),
      refused: (sentence) => this.giveUp(sentence),
      over: () => this.giveUp("The game is over"),
    });
  }

  /** Send a request and return the response; throws an error with the server's message. */
  ask(message: JsonObject): Promise<JsonObject> {
    const id = String(++this.count);
    return new Promise((done, failed) => {
      this.asked.set(id, { done, failed });
      if (this.socket.send({ ...message, request_id: id })) return;
      this.asked.delete(id);
      failed(new Error("Not sent: the connection to the game is lost"));
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
    else waiting.failed(new Error(textOf(message.message) || "The game rejected the request"));
  }

  private giveUp(sentence: string): void {
    for (const { failed } of this.asked.values()) failed(new Error(sentence));
    this.asked.clear();
  }
}

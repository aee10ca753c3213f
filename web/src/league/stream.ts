/** The interface of a stream of server-sent events that `Live` needs. */
export interface EventStream {
  readonly readyState: number;
  onerror: (() => void) | null;
  addEventListener(type: string, listener: (event: { data: string }) => void): void;
  close(): void;
}

/** Parse complete messages into (event, data); return the rest of an incomplete message too. */
export function splitMessages(text: string): { messages: [string, string][]; rest: string } {
  const parts = text.replace(/\r\n?/g, "\n").split("\n\n");
  const rest = parts.pop() ?? "";
  const messages = parts.map((part): [string, string] => {
    const fields = part
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).replace(/^ /, "")]);
    const data = fields.filter(([name]) => name === "data").map(([, value]) => value);
    return [fields.find(([name]) => name === "event")?.[1] ?? "message", data.join("\n")];
  });
  return { messages: messages.filter(([, data]) => data !== ""), rest };
}

/**
 * Server-sent events with request headers, which `EventSource` cannot send: administrators need one. It connects once.
 */
export class HeaderEvents implements EventStream {
  readyState = 0;
  onerror: (() => void) | null = null;
  private readonly listeners: [string, (event: { data: string }) => void][] = [];
  private readonly aborted = new AbortController();

  constructor(address: string, headers: Record<string, string>) {
    void this.read(address, headers)
      .catch(() => undefined)
      .then(() => this.ended());
  }

  addEventListener(type: string, listener: (event: { data: string }) => void): void {
    this.listeners.push([type, listener]);
  }

  close(): void {
    this.onerror = null;
    this.readyState = 2;
    this.aborted.abort();
  }

  private async read(address: string, headers: Record<string, string>): Promise<void> {
    const response = await fetch(address, {
      headers,
      credentials: "same-origin",
      cache: "no-store",
      signal: this.aborted.signal,
    });
    if (!response.ok || !response.body) return;
    this.readyState = 1;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let waiting = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const { messages, rest } = splitMessages(waiting + value);
      waiting = rest;
      for (const [type, data] of messages) {
        for (const [name, listener] of this.listeners) if (name === type) listener({ data });
      }
    }
  }

  private ended(): void {
    if (this.readyState === 2) return;
    this.readyState = 2;
    this.onerror?.();
  }
}

import { describe, expect, it, vi } from "vitest";
import { HeaderEvents, splitMessages } from "../../src/league/stream";

describe("server-sent events with headers", () => {
  it("splits messages and keeps an incomplete one", () => {
    const { messages, rest } = splitMessages(
      'id: 1\nevent: hello\ndata: {"missed": false}\n\n: alive\n\ndata: a\r\ndata: b\r\n\r\nevent: ch',
    );
    expect(messages).toEqual([
      ["hello", '{"missed": false}'],
      ["message", "a\nb"],
    ]);
    expect(rest).toBe("event: ch");
  });

  it("sends the headers, delivers the messages and reports the end of the stream", async () => {
    const parts = ["event: hello\nda", 'ta: {"missed": false}\n\nevent: changes\n', "data: []\n\n"];
    const asked = vi.fn(async (_address: string, _settings: RequestInit) => new Response(new Blob(parts).stream()));
    vi.stubGlobal("fetch", asked);
    const events = new HeaderEvents("/observatory/api/events", { "X-Use-Elevated-Privileges": "true" });
    const heard: string[] = [];
    for (const type of ["hello", "changes"]) events.addEventListener(type, ({ data }) => heard.push(`${type} ${data}`));
    await new Promise<void>((resolve) => (events.onerror = resolve));
    vi.unstubAllGlobals();
    expect(heard).toEqual(['hello {"missed": false}', "changes []"]);
    expect(events.readyState).toBe(2);
    expect(asked.mock.calls[0]?.[1].headers).toEqual({ "X-Use-Elevated-Privileges": "true" });
  });
});

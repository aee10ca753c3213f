import { expect, test } from "vitest";
import { Held } from "../../src/bitworld/parts/held";

function recorded(): { held: Held; sent: number[] } {
  const sent: number[] = [];
  return { held: new Held((mask) => sent.push(mask)), sent };
}

test("changes are reported once, and sources are held together", () => {
  const { held, sent } = recorded();
  held.set("key a", 4);
  held.set("key a", 4);
  held.set("pointer 1", 0x20);
  held.set("pointer 2", 0x20);
  held.tick();
  held.tick();
  held.set("pointer 1", 0);
  held.set("key a", 0);
  held.set("pointer 2", 0);
  expect(sent).toEqual([4, 0x24, 0x20, 0]);
});

test("a short tap is held until two pictures have come", () => {
  const { held, sent } = recorded();
  held.set("key", 0x20);
  held.set("key", 0);
  expect(sent).toEqual([0x20]);
  held.tick();
  expect(sent).toEqual([0x20]);
  held.tick();
  expect(sent).toEqual([0x20, 0]);
});

test("a page that loses the keyboard releases everything at once", () => {
  const { held, sent } = recorded();
  held.set("key", 0x20);
  held.set("pointer", 1);
  held.release();
  expect(sent).toEqual([0x20, 0x21, 0]);
});

test("a new connection gets the held buttons again", () => {
  const { held, sent } = recorded();
  held.resend();
  held.set("key", 2);
  held.resend();
  expect(sent).toEqual([2, 2]);
});

import { expect, test } from "vitest";
import { BadMessage, Film, recordedMessages } from "../../src/bitworld/wire";

function bytes(...parts: (number | Uint8Array)[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...part])));
}

const u16 = (value: number) => bytes(value & 255, value >> 8);
const u32 = (value: number) => bytes(u16(value & 0xffff), u16(value >>> 16));
const opening = bytes(5, new TextEncoder().encode('{"title":"Tiny","ticks_per_second":24,"hides_secrets":true}'));
const layer = bytes(6, 0, 0, 0, 5, 0, u16(10), u16(10));

/** A frame in which the object 1 is at x = tick. */
function frame(tick: number, before = bytes()): Uint8Array {
  const scene = bytes(before, 2, u16(1), u16(tick), u16(0), u16(0), 0, u16(1));
  return bytes(u32(tick), u32(scene.length), scene);
}

function film(last: number): Film {
  const made = new Film();
  made.read(opening);
  made.read(bytes(6, frame(0, layer)));
  for (let tick = 2; tick <= last; tick += 2) made.read(bytes(6, frame(tick)));
  return made;
}

const place = (made: Film) => made.scene.items.get(1)?.x;

test("a film shows any tick that has arrived, forwards and backwards", () => {
  const made = film(2000);
  expect([made.lastTick, made.head?.title, made.head?.hidesSecrets]).toEqual([2000, "Tiny", true]);
  for (const [tick, shown] of [
    [0, 0],
    [7, 6],
    [2000, 2000],
    [1999, 1998],
    [481, 480],
    [3, 2],
    [1200, 1200],
    [9999, 2000],
  ] as const) {
    made.seek(tick);
    expect(place(made)).toBe(shown);
  }
});

test("an opening begins the film again", () => {
  const made = film(20);
  made.seek(20);
  made.read(opening);
  expect([made.isEmpty, made.lastTick, made.scene.items.size]).toEqual([true, 0, 0]);
  made.read(bytes(6, frame(0, layer)));
  made.seek(5);
  expect(place(made)).toBe(0);
});

test("damaged messages are refused", () => {
  const made = film(4);
  expect(() => made.read(bytes(9))).toThrow(BadMessage);
  expect(() => made.read(bytes(5, 123))).toThrow(BadMessage);
  expect(() => film(4).read(bytes(6, frame(4)))).toThrow(BadMessage);
  expect(() => film(4).read(bytes(6, u32(6), u32(50)))).toThrow(BadMessage);
  expect(() => recordedMessages(bytes(u32(9), 1))).toThrow(BadMessage);
  expect(recordedMessages(bytes(u32(2), 1, 2, u32(1), 3))).toEqual([bytes(1, 2), bytes(3)]);
});

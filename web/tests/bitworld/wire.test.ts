import { describe, expect, test } from "vitest";
import {
  BadMessage,
  buttonPacket,
  chatPacket,
  drawOrder,
  isAtRoot,
  mouseButtonMessage,
  mouseMessage,
  PictureReader,
  readRewards,
  replayState,
  SceneReader,
  socketAddress,
  textMessage,
} from "../../src/bitworld/wire";
import { decompress } from "../../src/bitworld/wire/snappy";

const u16 = (value: number) => [value & 255, (value >> 8) & 255];
const u32 = (value: number) => [...u16(value & 0xffff), ...u16(value >>> 16)];
const bytes = (...parts: (number | number[])[]) => Uint8Array.from(parts.flat());

/** A Snappy block that holds the data as literals of at most 60 bytes. */
function literals(data: number[]): number[] {
  const out = varint(data.length);
  for (let i = 0; i < data.length; i += 60) {
    const part = data.slice(i, i + 60);
    out.push((part.length - 1) << 2, ...part);
  }
  return out;
}

function sprite(id: number, width: number, height: number, label = "", pixels?: number[]): number[] {
  const packed = literals(pixels ?? new Array(width * height * 4).fill(7));
  const text = [...new TextEncoder().encode(label)];
  return [1, ...u16(id), ...u16(width), ...u16(height), ...u32(packed.length), ...packed, ...u16(text.length), ...text];
}

const layer = (number: number, type: number, flags = 0) => [6, number, type, flags];
const viewport = (number: number, width: number, height: number) => [5, number, ...u16(width), ...u16(height)];
const object = (id: number, x: number, y: number, z: number, on: number, image: number) => [
  2,
  ...u16(id),
  ...u16(x),
  ...u16(y),
  ...u16(z),
  on,
  ...u16(image),
];

const WHOLE = bytes(
  layer(0, 0, 1),
  viewport(0, 300, 200),
  layer(3, 2, 2),
  viewport(3, 128, 128),
  sprite(9, 2, 1, "déjà vu"),
  object(1000, -5, 7, -32768, 0, 9),
  object(2, 1, 2, 3, 3, 9),
);

describe("scenes", () => {
  test("a scene has the layers, sprites and objects of its messages", () => {
    const reader = new SceneReader();
    reader.feed(WHOLE);
    expect([...reader.layers]).toEqual([
      [0, { type: "map", isZoomable: true, isUi: false, width: 300, height: 200 }],
      [3, { type: "top-right", isZoomable: false, isUi: true, width: 128, height: 128 }],
    ]);
    expect(reader.sprites.get(9)).toEqual({ width: 2, height: 1, rgba: new Uint8Array(8).fill(7), label: "déjà vu" });
    expect(reader.items.get(1000)).toEqual({ id: 1000, x: -5, y: 7, z: -32768, layer: 0, sprite: 9 });
    reader.feed(bytes([3, ...u16(1000)], [3, ...u16(1000)])); // the second delete changes nothing
    expect([...reader.items.keys()]).toEqual([2]);
    reader.feed(bytes(4));
    expect(reader.items.size).toBe(0);
    expect(reader.sprites.size).toBe(1);
  });

  test("messages cut at any byte are rejected or a shorter scene, and never another error", () => {
    let accepted = 0;
    for (let end = 0; end < WHOLE.length; end++) {
      const reader = new SceneReader();
      try {
        reader.feed(WHOLE.subarray(0, end));
        accepted++;
      } catch (error) {
        expect(error).toBeInstanceOf(BadMessage);
      }
    }
    expect(accepted).toBe(7); // the ends of seven messages, the empty one included
  });

  test.each([
    ["an unknown type", bytes(7)],
    ["an unknown type of layer", bytes(layer(0, 9))],
    ["an empty viewport", bytes(viewport(0, 0, 5))],
    ["an object on an unknown layer", bytes(object(1, 0, 0, 0, 5, 1))],
    ["a label that is not UTF-8", bytes(sprite(1, 1, 1).slice(0, -2), u16(1), 0xff)],
    ["more pixels than the size", bytes(sprite(1, 1, 1, "", new Array(8).fill(0)))],
    ["fewer pixels than the size", bytes(sprite(1, 2, 2, "", new Array(8).fill(0)))],
    ["a huge sprite", bytes(1, u16(1), u16(65535), u16(65535), u32(0), u16(0))],
  ])("%s is rejected", (_, data) => {
    expect(() => new SceneReader().feed(data)).toThrow(BadMessage);
  });

  test("all sprites together have a limit", () => {
    const reader = new SceneReader(32);
    reader.feed(bytes(sprite(1, 2, 2), sprite(2, 2, 2)));
    reader.feed(bytes(sprite(2, 1, 4))); // replaces one
    expect(() => reader.feed(bytes(sprite(3, 1, 1)))).toThrow("too large");
  });

  test("objects are drawn by z, then y, then number", () => {
    const item = (id: number, y: number, z: number) => ({ id, x: 0, y, z, layer: 0, sprite: 0 });
    const items = [item(3, 5, 0), item(1, 9, -1), item(2, 5, 0), item(4, 1, 0)];
    expect(items.sort(drawOrder).map(({ id }) => id)).toEqual([1, 4, 2, 3]);
  });
});

function varint(value: number): number[] {
  const out: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) out.push((value & 127) | 128);
  return [...out, value];
}

describe("snappy", () => {
  test("literals and copies of all kinds are decompressed, overlapping ones too", () => {
    const block = bytes(
      varint(4 + 8 + 5 + 4),
      (4 - 1) << 2,
      [1, 2, 3, 4],
      ((8 - 4) << 2) | 1,
      2, // 8 bytes from 2 back
      ((5 - 1) << 2) | 2,
      u16(12),
      ((4 - 1) << 2) | 3,
      u32(1),
    );
    expect([...decompress(block, 21)]).toEqual([1, 2, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 1, 2, 3, 4, 3, 3, 3, 3, 3]);
  });

  test("long literals have a length of their own", () => {
    const data = Array.from({ length: 300 }, (_, i) => i & 255);
    expect([...decompress(bytes(varint(300), 61 << 2, u16(299), data), 300)]).toEqual(data);
  });

  test.each([
    ["no bytes", bytes()],
    ["an endless length", bytes(255, 255, 255, 255, 255, 1)],
    ["another length", bytes(3, 0, 1)],
    ["a missing literal", bytes(4, 3 << 2, 1)],
    ["a literal beyond the end", bytes(4, 4 << 2, 1, 2, 3, 4, 5)],
    ["a copy from before the beginning", bytes(4, 0, 1, 1, 2)],
    ["a copy from nowhere", bytes(4, 0, 1, 1, 0)],
    ["a copy beyond the end", bytes(4, 0, 1, (7 << 2) | 2, 1, 0)],
    ["too few bytes", bytes(4, 0, 1)],
  ])("%s is rejected", (_, data) => {
    expect(() => decompress(data, 4)).toThrow(BadMessage);
  });
});

describe("what clients send", () => {
  test("packets have the bytes of the protocols", () => {
    expect([...buttonPacket(0x29)]).toEqual([0, 0x29]);
    expect([...chatPacket("a~é")]).toEqual([1, 97, 126, 63]);
    expect([...textMessage("@12")]).toEqual([0x81, 3, 0, 64, 49, 50]);
    expect([...mouseMessage(-1.5, 99_999, 8)]).toEqual([0x82, 0xfe, 0xff, 0xff, 0x7f, 8]);
    expect([...mouseButtonMessage(2, true)]).toEqual([0x83, 2, 1]);
  });
});

test("a picture is unpacked with the low half first", () => {
  const palette = Array.from({ length: 16 }, (_, i) => `#0000${(i * 16).toString(16).padStart(2, "0")}`);
  const reader = new PictureReader(2, palette);
  expect(reader.read(Uint8Array.of(0x21, 0xf0))).toBe(true);
  const blues = new Uint8Array(reader.pixels.buffer).filter((_, i) => i % 4 === 2);
  expect([...blues]).toEqual([16, 32, 0, 240]);
  expect(reader.read(Uint8Array.of(1))).toBe(false);
});

test("rewards are lines of name, player and number; others are ignored", () => {
  const accounts = readRewards("reward ann 5\nkills ann 2\nreward 127.0.0.1:9 -3\n\nnonsense\nreward ann 6\n");
  expect(accounts.map(({ player, numbers }) => [player, ...numbers])).toEqual([
    ["ann", ["reward", 6], ["kills", 2]],
    ["127.0.0.1:9", ["reward", -3]],
  ]);
});

test("the state of a replay is in the labels of its sprites", () => {
  const labels = (tick: string, place: string, state: string) =>
    new Map([tick, state, place].map((label, i) => [4002 + i, { label }]));
  expect(replayState(labels("replay tick 7", "replay scrubber 30/90", "replay controls paused x4 loop"))).toEqual({
    position: 30,
    length: 90,
    tick: 7,
    isPlaying: false,
    speed: 4,
    isLooping: true,
    error: "",
  });
  const broken = replayState(labels("replay tick 7", "replay scrubber 30/90", "replay controls The state differs"));
  expect(broken?.error).toBe("The state differs");
  expect(replayState(new Map())).toBeNull();
});

test.each([
  ["http://h:1/client/player.html?name=a%20b#x", "ws://h:1/player?name=a%20b"],
  ["https://h/clients/player?slot=1&token=t", "wss://h/player?slot=1&token=t"],
  ["https://h/observatory/games/abc/client/player", "wss://h/observatory/games/abc/player"],
  ["http://h/client/player?address=https://other/x%3Fa=1%23y", "wss://other/x?a=1"],
])("the socket of %s is %s", (page, socket) => {
  expect(socketAddress(page, "player")).toBe(socket);
});

test("a page behind a prefix is not at the root", () => {
  expect(isAtRoot("http://h/client/player.html")).toBe(true);
  expect(isAtRoot("http://h/observatory/games/abc/client/player")).toBe(false);
});

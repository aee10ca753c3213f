import { expect, test } from "vitest";
import { Field, FrameReader, floatBits, monologueAt, openReplay, ReplayError, Territory, talkAt } from "../src/decode";
import { compactFile, header, joined, MAGIC, type MadeRow, randomNumbers } from "./made";

const OBJECTS = [
  { id: 1, kind: 0, agent: -1 },
  { id: 2, kind: 1, agent: 0 },
];
const row = (tick: number, field: number, object: number, key: number, value: number): MadeRow => ({
  tick,
  field,
  object,
  key,
  value,
});
const ROWS = [
  row(0, Field.alive, 0, 0, 1),
  row(0, Field.alive, 1, 0, 1),
  row(0, Field.location, 1, 0, (2 << 16) | 3),
  row(0, Field.tag, 1, 0, 1),
  row(0, Field.owner, 8, 0, 0),
  row(3, Field.location, 1, 0, (2 << 16) | 4),
  row(3, Field.reward, 1, 0, floatBits(0.5)),
  row(5, Field.amount, 1, 1, 2),
  row(6, Field.reward, 1, 0, floatBits(0)),
  row(6, Field.owner, 8, 0, -1),
  row(7, Field.stat, 0, 0, floatBits(4)),
];

test("a file of our own is read chunk by chunk", async () => {
  const notes = [
    [2, 0, "infos", { policy_name: "me" }],
    [4, 0, "talk", ["hi", 3]],
    [5, 0, "monologue", ["so ", false]],
    [8, 0, "monologue", ["then", false]],
    [8, 0, "song", "of a later release"],
  ];
  const replay = await openReplay(compactFile(header(), OBJECTS, ROWS, { notes }));
  expect([replay.firstTick, replay.lastTick, replay.parts.seed, replay.walls.length]).toEqual([0, 9, 7, 1]);
  const reader = new FrameReader(replay);
  expect(reader.at(2).objects[0]).toMatchObject({ id: 2, x: 3, y: 2, tags: [0], inventory: [] });
  expect(reader.at(5).objects[0]).toMatchObject({ x: 4, inventory: [[1, 2]] });
  expect([2, 3, 5, 6, 9].map((tick) => reader.at(tick).agents[0].total)).toEqual([0, 0.5, 1.5, 1.5, 1.5]);
  expect(talkAt(replay, 0, 6)).toEqual(["hi", 1]);
  expect(monologueAt(replay, 0, 9)).toBe("so then");
  reader.at(8);
  expect(reader.stats()).toEqual([["x", 4]]);
});

test("rewards before the start of the recording do not count", async () => {
  const rows = [...ROWS, row(0, Field.reward, 1, 0, floatBits(8))];
  const reader = new FrameReader(await openReplay(compactFile(header(), OBJECTS, rows)));
  expect([0, 1, 2, 3].map((tick) => reader.at(tick).agents[0].total)).toEqual([0, 8, 16, 16.5]);
});

test("owners of cells come from the recording", async () => {
  const reader = new FrameReader(await openReplay(compactFile(header(), OBJECTS, ROWS)));
  const territory = new Territory(reader);
  expect(territory.source).toBe("recorded");
  for (const [tick, owner] of [
    [0, 0],
    [5, 0],
    [6, -1],
    [2, 0],
  ]) {
    territory.seek(reader.at(tick));
    expect(territory.owners[8]).toBe(owner);
  }
});

const file = () => compactFile(header(), OBJECTS, ROWS);

test.each([
  ["truncated", () => file().slice(0, 60), "truncated"],
  ["without an end", () => file().slice(0, -10), "truncated"],
  ["of another version", () => Object.assign(file(), { 8: 9 }), "version 9"],
  [
    "with an index that points nowhere",
    () => Object.assign(file(), { [file().length - 20]: 255 }),
    "offset is out of range",
  ],
  [
    "about an unknown object",
    () => compactFile(header(), OBJECTS, [...ROWS, row(4, Field.alive, 7, 0, 1)]),
    "unknown object or key",
  ],
  [
    "with a cell outside the map",
    () => compactFile(header(), OBJECTS, [row(1, Field.owner, 99, 0, 0)]),
    "unknown object or key",
  ],
  [
    "with a place outside the map",
    () => compactFile(header(), OBJECTS, [row(1, Field.location, 1, 0, 50)]),
    "unknown object or key",
  ],
  ["with an unknown kind", () => compactFile(header(), [{ id: 1, kind: 9, agent: -1 }], []), "unknown kind"],
  ["that claims a million agents", () => compactFile(header({ num_agents: 1e6 }), OBJECTS, ROWS), "num_agents"],
])("a file %s is rejected with a sentence", async (name, make, words) => {
  const error = await openReplay(make()).catch((reason: unknown) => reason);
  expect(error, name).toBeInstanceOf(ReplayError);
  expect((error as Error).message).toContain(words);
});

test("mutated bytes give a replay or an error with a sentence", async () => {
  const next = randomNumbers(11);
  const whole = compactFile(header(), OBJECTS, ROWS, { notes: [[4, 0, "talk", ["hi", 3]]] });
  for (let i = 0; i < 400; i++) {
    let bytes: Uint8Array = whole.slice();
    for (let n = 0; n <= i % 4; n++) bytes[Math.floor(next() * bytes.length)] = Math.floor(next() * 256);
    if (i % 7 === 0) bytes = bytes.slice(0, Math.floor(next() * bytes.length));
    if (i % 11 === 0) bytes = joined(bytes, MAGIC);
    const result = await openReplay(bytes).catch((reason: unknown) => reason);
    if (result instanceof Error) expect(result, String(result.stack)).toBeInstanceOf(ReplayError);
  }
});

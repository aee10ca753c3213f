import { expect, test } from "vitest";
import { Cursor, Field, Rows, Timeline } from "../src/decode";
import { randomNumbers } from "./made";

/** Many random changes, and the state at every tick computed naively. */
function random(seed: number, ticks: number, changes: number) {
  const next = randomNumbers(seed);
  const whole = (below: number) => Math.floor(next() * below);
  const rows = new Rows();
  const said: [number, number, number, number, number][] = [];
  for (let i = 0; i < changes; i++) {
    const field = [Field.alive, Field.amount, Field.tag, Field.stat, Field.owner][whole(5)];
    const object = field === Field.stat ? 0 : whole(20);
    said.push([field, object, whole(4), whole(ticks + 1), whole(5) - 1]);
  }
  said.sort((a, b) => a[3] - b[3]);
  for (const row of said) rows.push(...row);
  const timeline = new Timeline(rows, 0, ticks);
  const expected = (tick: number) => {
    const state = new Map<string, number>();
    for (const [field, object, key, at, value] of said) if (at <= tick) state.set(`${field}/${object}/${key}`, value);
    return state;
  };
  return { timeline, expected, whole };
}

function stateOf(timeline: Timeline, cursor: Cursor): Map<string, number> {
  const state = new Map<string, number>();
  for (let slot = 0; slot < timeline.slots; slot++) {
    const place = `${timeline.slotField[slot]}/${timeline.slotObject[slot]}/${timeline.slotKey[slot]}`;
    state.set(place, cursor.state[slot]);
  }
  return state;
}

test("the state at a tick is the sum of all earlier changes, in any order of visits", () => {
  const { timeline, expected, whole } = random(1, 200, 9000);
  const cursor = new Cursor(timeline);
  for (let i = 0; i < 120; i++) {
    const tick = i < 60 ? whole(201) : (i * 7) % 201;
    cursor.seek(tick);
    const state = stateOf(timeline, cursor);
    expect([...expected(tick)].filter(([place, value]) => state.get(place) !== value)).toEqual([]);
  }
});

test("a value without a row is 0, and a cell has no owner", () => {
  const rows = new Rows();
  rows.push(Field.amount, 0, 1, 5, 7);
  rows.push(Field.owner, 3, 0, 5, 2);
  const timeline = new Timeline(rows, 0, 9);
  const cursor = new Cursor(timeline);
  cursor.seek(4);
  expect([...cursor.state]).toEqual([0, -1]);
  cursor.seek(5);
  expect([...cursor.state]).toEqual([7, 2]);
});

test("single values, histories and changes of a tick agree with the whole state", () => {
  const { timeline } = random(3, 60, 3000);
  const cursor = new Cursor(timeline);
  for (let tick = 0; tick <= 60; tick++) {
    cursor.seek(tick);
    expect(Array.from(cursor.state, (_, slot) => timeline.valueAt(slot, tick))).toEqual([...cursor.state]);
  }
  let changes = 0;
  for (let tick = 1; tick <= 60; tick++) timeline.eachAt(tick, () => changes++);
  expect(changes).toBe(timeline.changeCount);
  let total = 0;
  for (let slot = 0; slot < timeline.slots; slot++) total += timeline.eachChange(slot, () => undefined);
  expect(total).toBe(changes);
});

test("slots are found by field and key", () => {
  const { timeline } = random(5, 20, 500);
  const { slotField, slotObject, slotKey } = timeline;
  const slots = Array.from({ length: timeline.slots }, (_, slot) => slot);
  expect(slots.map((slot) => timeline.slot(slotField[slot], slotObject[slot], slotKey[slot]))).toEqual(slots);
  expect(timeline.slot(Field.vibe, 3)).toBe(-1);
  const place = (slot: number) => slotField[slot] * 65536 + slotKey[slot];
  for (let object = 0; object < 20; object++) {
    const own = timeline.slotsOf(object);
    expect(own.every((slot) => slotObject[slot] === object)).toBe(true);
    expect(own.map(place)).toEqual(own.map(place).sort((a, b) => a - b));
  }
});

test("key frames take no more memory than the changes", () => {
  const { timeline } = random(7, 2000, 40_000);
  const states = (timeline as unknown as { keyStates: Int32Array[] }).keyStates;
  expect(states.length).toBeGreaterThan(2);
  expect((states.length - 1) * timeline.slots).toBeLessThanOrEqual(Math.max(40_000, timeline.slots));
});

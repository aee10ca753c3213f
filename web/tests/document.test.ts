import { deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FrameReader, infosAt, monologueAt, openReplay, policyName, ReplayError, talkAt } from "../src/decode";
import { agent, document, encode, opened, TAG } from "./made";

const at = async (tick: number, ...objects: Parameters<typeof document>[1][]) => {
  const replay = await opened(document({}, ...objects));
  return { replay, frame: new FrameReader(replay).at(tick) };
};

test("index 0 is the state after the first step, which is tick 1", async () => {
  const replay = await opened(document({ max_steps: 25 }));
  expect([replay.firstTick, replay.lastTick, replay.steps]).toEqual([1, 25, 25]);
});

test("the value of a field decides whether it is a constant or a list of changes", async () => {
  const junction = {
    id: 3,
    type_name: "junction",
    location: [
      [0, [3, 3]],
      [4, [4, 3]],
    ],
    inventory: [[0, 200]], // 200 of item 0, and not a change
    tag_ids: [
      [0, [TAG["type:junction"]]],
      [2, [TAG["type:junction"], TAG["team:cogs"]]],
    ],
  };
  const { replay } = await at(1, junction);
  const reader = new FrameReader(replay);
  const find = (tick: number) => reader.at(tick).objects.find(({ id }) => id === 3)!;
  expect(find(1)).toMatchObject({ x: 3, y: 3, inventory: [[0, 200]], tags: [TAG["type:junction"]] });
  expect(find(3).tags).toEqual([TAG["team:cogs"], TAG["type:junction"]]);
  expect(find(4)).toMatchObject({ x: 3 });
  expect(find(5)).toMatchObject({ x: 4, y: 3 });
});

test("inventories change as a whole: missing items are removed", async () => {
  const { replay } = await at(
    1,
    agent(5, 0, {
      inventory: [
        [
          0,
          [
            [0, 4],
            [1, 2],
          ],
        ],
        [3, [[1, 3]]],
        [6, []],
      ],
    }),
  );
  const reader = new FrameReader(replay);
  const held = (tick: number) => reader.at(tick).objects.find(({ id }) => id === 5)!.inventory;
  expect([held(1), held(3), held(4), held(7)]).toEqual([
    [
      [0, 4],
      [1, 2],
    ],
    [
      [0, 4],
      [1, 2],
    ],
    [[1, 3]],
    [],
  ]);
});

test("objects appear and disappear", async () => {
  const late = {
    id: 9,
    type_name: "junction",
    alive: [
      [0, false],
      [3, true],
      [6, false],
    ],
    location: [5, 2],
  };
  const { replay } = await at(1, late);
  const reader = new FrameReader(replay);
  const isThere = (tick: number) => reader.at(tick).objects.some(({ id }) => id === 9);
  expect([1, 3, 4, 6, 7, 10].map(isThere)).toEqual([false, false, true, true, false, false]);
});

test("rewards, actions and infos of agents are read", async () => {
  const fields = {
    action_id: [
      [0, 0],
      [2, 3],
    ],
    action_success: [
      [0, false],
      [2, true],
    ],
    current_reward: [
      [0, 0],
      [1, 0.5],
      [2, 0.25],
    ],
    total_reward: [
      [0, 0],
      [1, 0.5],
      [2, 0.75],
      [3, 1],
    ],
    policy_infos: [
      [0, { policy_name: "starter" }],
      [4, { policy_name: "starter", mood: "calm" }],
    ],
  };
  const { replay } = await at(1, agent(5, 0, fields));
  const reader = new FrameReader(replay);
  expect(reader.at(3).agents[0]).toMatchObject({ action: 3, success: true, reward: 0.25, total: 0.75 });
  expect(reader.at(10).agents[0].total).toBe(1);
  expect(infosAt(replay, 0, 5)).toEqual({ policy_name: "starter", mood: "calm" });
  expect(policyName(replay, 0)).toBe("starter");
});

test("talk disappears after the recorded number of steps", async () => {
  const fields = {
    talk_text: [
      [0, ""],
      [2, "hello"],
      [5, ""],
    ],
    talk_remaining_steps: [
      [0, 0],
      [2, 3],
      [3, 2],
      [4, 1],
      [5, 0],
    ],
  };
  const { replay } = await at(1, agent(5, 0, fields));
  expect([2, 3, 4, 5, 6].map((tick) => talkAt(replay, 0, tick))).toEqual([
    ["", 0],
    ["hello", 3],
    ["hello", 2],
    ["hello", 1],
    ["", 0],
  ]);
});

test("a monologue is the text added since its last reset", async () => {
  const fields = {
    monologue_append: [
      [0, "a"],
      [2, "b"],
      [5, "c"],
    ],
    monologue_reset: [
      [0, false],
      [5, true],
    ],
  };
  const { replay } = await at(1, agent(5, 0, fields));
  expect([1, 3, 6].map((tick) => monologueAt(replay, 0, tick))).toEqual(["a", "ab", "c"]);
});

test("compressed and plain files decode equally", async () => {
  const plain = encode(document({}, agent(5, 0)));
  for (const bytes of [plain, deflateSync(plain), gzipSync(plain)]) {
    expect((await openReplay(new Uint8Array(bytes))).parts.label).toBe("made");
  }
});

test("NaN and Infinity are accepted as Python writes them", async () => {
  const text = JSON.stringify(document()).replace("1.5", "NaN");
  expect((await openReplay(new TextEncoder().encode(text))).parts.meanStats).toEqual({});
});

test("version 3 and 2 are converted: repeated ids are amounts, types are named", async () => {
  const old = {
    id: 7,
    type_id: 2,
    location: [1, 3],
    inventory: [
      [0, [0, 0, 1]],
      [4, [1]],
    ],
  };
  const replay = await opened(document({ version: 2, objects: [old] }));
  const reader = new FrameReader(replay);
  expect(reader.at(1).objects[0]).toMatchObject({
    type: "junction",
    inventory: [
      [0, 2],
      [1, 1],
    ],
  });
  expect(reader.at(5).objects[0].inventory).toEqual([[1, 1]]);
});

test("version 1 is converted: places, items and actions become separate fields", async () => {
  const replay = await opened({
    version: 1,
    action_names: ["noop", "move"],
    inventory_items: ["ore", "heart"],
    object_types: ["agent", "wall"],
    map_size: [5, 5],
    num_agents: 1,
    max_steps: 6,
    grid_objects: [
      {
        id: 1,
        type: 0,
        agent_id: 0,
        r: [
          [0, 1],
          [2, 2],
        ],
        c: 3,
        "agent:inv:heart": [
          [0, 0],
          [3, 2],
        ],
        action: [
          [0, [0, 0]],
          [1, [1, 2]],
        ],
      },
      { id: 2, type: 1, r: 0, c: 0, layer: 0 },
    ],
  });
  const reader = new FrameReader(replay);
  expect(reader.at(1).objects[0]).toMatchObject({ type: "agent", x: 3, y: 1, agent: 0 });
  expect(reader.at(4).objects[0]).toMatchObject({ y: 2, inventory: [[1, 2]] });
  expect(reader.at(2).agents[0].action).toBe(1);
});

test.each([
  ["a version of the future", { version: 5 }, "version 5"],
  ["no version", { version: null }, "`version` is missing"],
  ["a place outside the map", { objects: [{ id: 1, type_name: "hub", location: [99, 0] }] }, "outside the map"],
  ["a field of the wrong kind", { objects: [{ id: 1, type_name: "hub", inventory: "much" }] }, "invalid `inventory`"],
  ["a step before the beginning", { objects: [{ id: 1, location: [[-1, [0, 0]]] }] }, "invalid `location`"],
  ["objects that are none", { objects: [1, 2] }, "list of objects"],
  ["a map of a trillion cells", { map_size: [60000, 60000] }, "too large"],
  ["an agent too many", { num_agents: 0, objects: [agent(1, 4)] }, "0 agents and an agent 4"],
  ["a tag without a number", { tags: { "team:cogs": "x" } }, "`tags`"],
])("%s is rejected with a sentence", async (_, fields, words) => {
  const error = await opened(document(fields)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ReplayError);
  expect((error as Error).message).toContain(words);
});

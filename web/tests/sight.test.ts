import { expect, test } from "vitest";
import { Episode, visibleOffsets } from "../src/decode";
import { agent, document, opened, TAG } from "./made";

test.each([
  [2, 2, 21],
  [4, 4, 57],
  [5, 5, 89],
  [6, 6, 121],
  [0, 3, 7],
])("a window of %i rows and %i columns to each side shows %i cells", (rows, columns, cells) => {
  expect(visibleOffsets(rows, columns)).toHaveLength(cells);
});

test("cells come in the order of observations: nearest first, west before east", () => {
  expect(visibleOffsets(2, 2).slice(0, 6)).toEqual([
    [0, 0],
    [0, -1],
    [-1, 0],
    [1, 0],
    [0, 1],
    [0, -2],
  ]);
});

const FEATURES = [
  "agent:group",
  "tag",
  "vibe",
  "agent_id",
  "inv:carbon",
  "inv:carbon:p1",
  "last_action",
  "episode_completion_pct",
];
const config = {
  policy_env_interface: { egocentric_shape: [5, 5], obs_features: FEATURES.map((name, id) => ({ id, name })) },
  mg_config: {
    game: {
      max_steps: 10,
      obs: {
        width: 5,
        height: 5,
        num_tokens: 50,
        token_value_base: 256,
        global_obs: { last_action: true, episode_completion_pct: true, local_position: true },
      },
      objects: { wall: { name: "wall", blocks_vision: true } },
    },
  },
};

test("tokens describe the agent's surroundings, and unrecorded features are named", async () => {
  const replay = await opened(document(config, agent(5, 0, { location: [2, 2], inventory: [[0, 300]], action_id: 3 })));
  const episode = new Episode(replay, "", 0);
  const { tokens, missing } = episode.observer.observe(0, episode.at(5));
  const shown = tokens.map(({ location, feature, value, meaning }) => [location, feature, value, meaning]);
  expect(shown).toContainEqual([0xfe, "episode_completion_pct", 128, ""]);
  expect(shown).toContainEqual([0xfe, "last_action", 3, "move_west"]);
  expect(shown).toContainEqual([0x22, "tag", TAG["team:cogs"], "team:cogs"]);
  expect(shown).toContainEqual([0x22, "inv:carbon", 300 % 256, "300"]);
  expect(shown).toContainEqual([0x22, "inv:carbon:p1", 1, ""]);
  expect(shown).toContainEqual([0x11, "tag", TAG["type:hub"], "type:hub"]);
  expect(missing).toEqual(["lp:*"]);
  expect(tokens.find(({ feature }) => feature === "vibe")).toBeUndefined();
});

test("objects behind a blocking object are hidden", async () => {
  const screen = { id: 7, type_name: "wall", location: [3, 2], tag_ids: [TAG["type:wall"]] };
  const hidden = { id: 8, type_name: "junction", location: [4, 2], tag_ids: [TAG["type:junction"]] };
  const replay = await opened(document(config, agent(5, 0, { location: [2, 2] }), screen, hidden));
  const episode = new Episode(replay, "", 0);
  const frame = episode.at(1);
  const seen = new Set(episode.vision.cellsFrom(2, 2, frame));
  const sees = (x: number, y: number) => seen.has(y * 7 + x);
  expect([sees(3, 2), sees(4, 2), sees(2, 1)]).toEqual([true, false, true]);
  expect(sees(3, 1)).toBe(false); // the line to it only touches a corner of the wall, which blocks it
  const features = episode.observer.observe(0, frame).tokens.map(({ meaning }) => meaning);
  expect(features).not.toContain("type:junction");
});

test("the first tick at which a cell was seen is stored", async () => {
  const walker = agent(5, 0, {
    location: [
      [0, [1, 2]],
      [6, [4, 2]],
    ],
  });
  const episode = new Episode(await opened(document(config, walker)), "", 0);
  const first = episode.firstSeen(0);
  expect([first[2 * 7 + 1], first[2 * 7 + 5]]).toEqual([1, 7]);
  expect(first[6]).toBeGreaterThan(10);
});

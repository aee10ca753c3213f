import { expect, test } from "vitest";
import {
  agentSeries,
  Comparer,
  csv,
  Episode,
  eventRows,
  FrameReader,
  findObjects,
  historyRows,
  type JsonObject,
  networkLinks,
  Teams,
  Territory,
} from "../src/decode";
import { agent, document, opened, TAG } from "./made";

const JUNCTION = TAG["type:junction"];
const COGS = TAG["team:cogs"];
const CLIPS = TAG["team:clips"];

/** A junction that cogs take at tick 4 and clips, without an agent, at tick 7; an agent that bumps into it and dies. */
const contested = (id = 3): JsonObject => ({
  id,
  type_name: "junction",
  location: [4, 2],
  tag_ids: [
    [0, [JUNCTION]],
    [3, [JUNCTION, COGS, TAG["net:cogs"]]],
    [6, [JUNCTION, CLIPS]],
  ],
});
const bumper = (): JsonObject =>
  agent(5, 0, {
    location: [3, 2],
    action_id: [
      [0, 0],
      [3, 4],
      [4, 0],
    ],
    action_success: [[0, true]],
    inventory: [
      [
        0,
        [
          [1, 1],
          [2, 50],
        ],
      ],
      [
        3,
        [
          [2, 10],
          [3, 1],
        ],
      ],
      [8, [[0, 4]]],
    ],
    total_reward: [
      [0, 0],
      [4, 0.5],
    ],
  });

async function episode(...objects: JsonObject[]): Promise<Episode> {
  return new Episode(await opened(document({}, ...objects)), "made.json", 0);
}

test("teams come from tags, and those with agents come first", async () => {
  const { teams } = await episode(contested(), bumper());
  expect(teams.list.map(({ name, agents }) => [name, agents])).toEqual([
    ["cogs", [0]],
    ["clips", []],
  ]);
  expect([...teams.holdingTypes]).toEqual(["junction"]);
});

test("without tags, groups of agents are the teams", async () => {
  const groups = { group_names: ["red", "blue"], tags: {} };
  const replay = await opened(
    document(groups, { ...agent(5, 0), tag_ids: [] }, { ...agent(6, 1), tag_ids: [], group_id: 1 }),
  );
  expect(new Teams(replay).list.map(({ name, agents }) => [name, agents])).toEqual([
    ["red", [0]],
    ["blue", [1]],
  ]);
});

test("captures, losses, waves, deaths and roles are found with their agents", async () => {
  const { events } = await episode(contested(), bumper());
  expect(events.map(({ tick, kind, team, agent }) => [tick, kind, team?.name, agent])).toEqual([
    [4, "capture", "cogs", 0],
    [4, "role", "cogs", 0],
    [7, "capture", "clips", -1],
    [7, "loss", "cogs", -1],
    [7, "wave", "clips", -1],
    [9, "death", "cogs", 0],
  ]);
});

test("held objects, stores, carried items and rewards are summed per team at every tick", async () => {
  const { history, replay } = await episode(contested(), bumper());
  const [cogs, clips] = history.teams;
  expect([...history.ticks]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect([...cogs.held]).toEqual([0, 0, 0, 1, 1, 1, 0, 0, 0, 0]);
  expect([...clips.held]).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
  expect([...cogs.stored[0]]).toEqual(Array(10).fill(24));
  expect([...cogs.carried[2]]).toEqual([50, 50, 50, 10, 10, 10, 10, 10, 0, 0]);
  expect([cogs.reward[3], cogs.reward[4], clips.reward.length]).toEqual([0, 0.5, 0]);
  expect(historyRows(history, replay)[4].slice(0, 4)).toEqual([2, "clips", 0, ""]);
});

test("an agent's values over time", async () => {
  const { replay, history } = await episode(bumper());
  const heart = agentSeries(replay, 0, history.ticks).find(({ name }) => name === "heart")!;
  expect([...heart.values]).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
});

test("heat maps count events up to a tick, forward and backward", async () => {
  const walker = agent(5, 0, {
    location: [
      [0, [1, 2]],
      [2, [2, 2]],
      [4, [1, 2]],
    ],
    inventory: [
      [0, [[2, 5]]],
      [5, []],
    ],
  });
  const made = await episode(walker, contested());
  const visits = (tick: number) => {
    const map = made.heat("visits", null, "all", tick);
    return [map.at(1, 2), map.at(2, 2), map.most];
  };
  expect([visits(1), visits(3), visits(10), visits(2)]).toEqual([
    [1, 0, 1],
    [1, 1, 1],
    [2, 1, 2],
    [1, 0, 1],
  ]);
  expect(made.heat("deaths", null, "all", 10).at(1, 2)).toBe(1);
  expect(made.heat("captures", null, "all", 10).at(4, 2)).toBe(2);
  expect(made.heat("visits", new Set([3]), "agent 3", 10).total).toBe(0);
});

test("the first difference of two replays has a tick and a value", async () => {
  const same = await opened(document({}, contested(), bumper()));
  const other = await opened(
    document(
      {},
      contested(),
      agent(5, 0, {
        ...bumper(),
        location: [
          [0, [3, 2]],
          [5, [3, 3]],
        ],
      }),
    ),
  );
  const comparison = new Comparer(same, other).compare();
  expect(comparison.firstTick).toBe(6);
  expect(comparison.first).toMatchObject([{ tick: 6, agent: 0, what: "Agent 0: place", left: "3, 2", right: "3, 3" }]);
  expect(new Comparer(same, same).compare()).toMatchObject({ firstTick: null, outset: [] });
});

test("replays of different games differ in the setup", async () => {
  const left = await opened(document({}, bumper()));
  const right = await opened(document({ map_size: [9, 5], mg_config: { label: "other" } }, bumper()));
  expect(new Comparer(left, right).compare().outset.map(({ what }) => what)).toEqual(["mission", "map"]);
});

test("objects are found by words, ids, places and amounts", async () => {
  const made = await episode(contested(), bumper());
  const find = (query: string, tick: number) =>
    findObjects(query, made.at(tick), made.replay, made.teams).map(({ id }) => id);
  expect(find("junction", 1)).toEqual([3]);
  expect(find("junction team:cogs", 5)).toEqual([3]);
  expect(find("junction team:cogs", 8)).toEqual([]);
  expect(find("cogs -hub", 5)).toEqual([3, 5]);
  expect([find("@0", 1), find("#2", 1), find("4,2", 1)]).toEqual([[5], [2], [3]]);
  expect([find("hp>=50", 1), find("hp<50 agent", 5), find("carbon=24", 1), find("unheard>0", 1)]).toEqual([
    [5],
    [5],
    [2],
    [],
  ]);
  expect(find("  ", 1)).toEqual([]);
});

test("territory is derived from the config if the file does not record it", async () => {
  const config = {
    game: {
      territories: { land: { tag_prefix: "team:" } },
      objects: {
        hub: { name: "hub", territory_controls: [{ territory: "land", strength: 3, decay: 1 }] },
        junction: { name: "junction", territory_controls: [{ territory: "land", strength: 2, decay: 1 }] },
      },
    },
  };
  const replay = await opened(document({ mg_config: config }, contested()));
  const reader = new FrameReader(replay);
  const territory = new Territory(reader);
  const owner = (tick: number, x: number, y: number) => {
    territory.seek(reader.at(tick));
    return territory.owners[y * 7 + x];
  };
  expect(territory.source).toBe("derived");
  expect([owner(1, 1, 1), owner(1, 3, 1), owner(1, 4, 1), owner(1, 5, 2)]).toEqual([COGS, COGS, -1, -1]);
  expect([owner(5, 5, 2), owner(8, 5, 2), owner(5, 5, 2)]).toEqual([COGS, CLIPS, COGS]);
});

test("a network joins the objects with its tag within its reach", async () => {
  const far = { id: 8, type_name: "junction", location: [6, 4], tag_ids: [JUNCTION, COGS, TAG["net:cogs"]] };
  const made = await episode(contested(), far);
  const cogs = made.teams.list.find(({ name }) => name === "cogs")!;
  expect(networkLinks(made.at(5), cogs)).toHaveLength(2);
  expect(networkLinks(made.at(5), cogs, 3.2)).toHaveLength(2);
  expect(networkLinks(made.at(5), cogs, 3)).toHaveLength(1);
  expect(networkLinks(made.at(1), cogs)).toHaveLength(1);
});

test("CSV tables quote cells and escape formulas", async () => {
  expect(
    csv([
      ["a,b", 'say "hi"', 1.5],
      ["=1+1", "-x", NaN],
    ]),
  ).toBe('"a,b","say ""hi""",1.5\r\n\'=1+1,\'-x,\r\n');
  const { events } = await episode(contested(), bumper());
  expect(eventRows(events)[1].slice(0, 6)).toEqual([4, "capture", "cogs", 0, 4, 2]);
});

test("a policy's target is relative to its agent", async () => {
  const made = await episode(
    agent(5, 0, {
      location: [
        [0, [3, 2]],
        [4, [3, 3]], // the move that the policy decided with the target below
      ],
      policy_infos: [
        [0, { target: [-1, 2] }],
        [4, { target: "1,0" }],
        [6, { target: "x" }],
      ],
    }),
  );
  const target = (tick: number) => made.targetOf(made.at(tick).objects.find(({ agent }) => agent === 0)!, tick);
  expect([target(1), target(5), target(7)]).toEqual([{ x: 5, y: 1 }, { x: 3, y: 3 }, null]);
});

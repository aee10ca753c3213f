/** The observation panel shows exactly the engine's tokens. These games are handmade; compat plays real ones. */
import { expect, test } from "vitest";
import { Alive, Episode, Field, type JsonObject, openReplay } from "../src/decode";
import { agent, compactFile, document, header, type MadeRow, opened } from "./made";

const [CELL, AGENT] = [0, 1];
const [OWN, OTHER, LENT] = [0, 2, 3];
const FEATURES = [
  "tag",
  "inv:carbon",
  "territory:here",
  "territory:north",
  "territory:south",
  "territory:east",
  "territory:west",
  "wealth",
];

/** An agent with the tags OWN and LENT at (2, 2) of a map of 7 by 5, and a box; `rows` add more. */
async function observed(
  rows: MadeRow[],
  { obs = {}, fields = {}, tick = 5 }: { obs?: JsonObject; fields?: JsonObject; tick?: number } = {},
) {
  const head = header({
    observed_values: ["wealth"],
    tag_names: ["team:cogs", "type:agent", "team:clips", "team:lent"],
    policy_env_interface: { egocentric_shape: [5, 5], obs_features: FEATURES.map((name, id) => ({ id, name })) },
    kinds: [
      { type_name: "box", cell: "box", is_agent: false, group_id: 0, group_name: "", limits: [] },
      { type_name: "agent", cell: "agent", is_agent: true, group_id: 0, group_name: "red", limits: [] },
    ],
    ...fields,
  });
  const config = {
    game: {
      obs: { width: 5, height: 5, num_tokens: 99, global_obs: {}, ...obs },
      territories: { land: { tag_prefix: "team:" } },
    },
  };
  const rowsOfGame = [
    row(0, Field.alive, AGENT, 0, Alive.present),
    row(0, Field.location, AGENT, 0, (2 << 16) | 2),
    row(0, Field.tag, AGENT, OWN, 1),
    row(0, Field.tag, AGENT, LENT, 1),
    ...rows,
  ];
  const objects = [
    { id: 1, kind: CELL, agent: -1 },
    { id: 2, kind: AGENT, agent: 0 },
  ];
  const episode = new Episode(await openReplay(compactFile(head, objects, rowsOfGame, { config })), "", 0);
  const { tokens, missing } = episode.observer.observe(0, episode.at(tick));
  return { shown: tokens.map(({ location, feature, value }) => [location, feature, value]), missing };
}

function row(tick: number, field: number, object: number, key: number, value: number): MadeRow {
  return { tick, field, object, key, value };
}

const box = (tick: number, alive: number) => [
  row(tick, Field.alive, 0, 0, alive),
  row(tick, Field.location, 0, 0, (1 << 16) | 2),
  row(tick, Field.amount, 0, 0, 7),
  row(tick, Field.tag, 0, OTHER, 1),
];
const SEEN_BOX = [[0x12, "tag", OTHER]];
const ITS_CARBON = [[0x12, "inv:carbon", 7]];

test("the inventory of a spawned object has no tokens", async () => {
  expect((await observed(box(0, Alive.present))).shown).toEqual(expect.arrayContaining([...SEEN_BOX, ...ITS_CARBON]));
  const { shown } = await observed(box(3, Alive.withoutInventory));
  expect(shown).toEqual(expect.arrayContaining(SEEN_BOX));
  expect(shown).not.toEqual(expect.arrayContaining(ITS_CARBON));
});

test("with the correction, the inventory of spawned objects is shown", async () => {
  expect((await observed(box(3, Alive.present))).shown).toEqual(expect.arrayContaining(ITS_CARBON));
});

test("an older file does not mark spawned objects, so objects that appear later show no inventory", async () => {
  const fields = { observed_values: null };
  expect((await observed(box(0, Alive.present), { fields })).shown).toEqual(expect.arrayContaining(ITS_CARBON));
  expect((await observed(box(3, Alive.present), { fields })).shown).not.toEqual(expect.arrayContaining(ITS_CARBON));
});

const owners = (territory: number, left: number, right: number) =>
  Array.from({ length: 35 }, (_, cell) => row(0, Field.owner, cell, territory, cell % 7 < 2 ? left : right));
const borders = (shown: (string | number)[][]) =>
  shown.filter(([, feature]) => /^territory:[nsew]/.test(String(feature)));

test.each([
  ["an own and a foreign owner", OWN, OTHER, [5, 7]],
  ["an own owner and none", OWN, -1, [3, 1]],
  ["two owners that are both the observer's", OWN, LENT, []],
])("a border between %s has the engine's tokens", async (_, left, right, values) => {
  const { shown } = await observed(owners(0, left, right), { obs: { territory: true } });
  const found = new Set(borders(shown).map(([, , value]) => value));
  expect([...found].sort()).toEqual([...values].sort());
});

test("of several territories the first one with an owner decides", async () => {
  const fields = { territory_names: ["land", "air"] };
  const rows = [...owners(0, -1, -1), ...owners(1, OTHER, OTHER)];
  expect((await observed(rows, { obs: { territory: true }, fields })).shown).toContainEqual([
    0xfe,
    "territory:here",
    2,
  ]);
  const both = [...owners(0, OWN, OWN), ...owners(1, OTHER, OTHER)];
  expect((await observed(both, { obs: { territory: true }, fields })).shown).toContainEqual([
    0xfe,
    "territory:here",
    1,
  ]);
});

test("values that cannot be derived are shown as recorded", async () => {
  const obs = { global_obs: { obs: { wealth: { name: "wealth", scope: "agent" } } } };
  const { shown, missing } = await observed([row(4, Field.observed, AGENT, 0, 12)], { obs });
  expect(shown).toContainEqual([0xfe, "wealth", 12]);
  expect(missing).toEqual([]);
  expect((await observed([], { obs, fields: { observed_values: null } })).missing).toEqual(["wealth"]);
});

test("cells beyond the recorded observation radius are not shown", async () => {
  const obs = { observation_radius_value: { item: "carbon" } };
  const rows = (radius: number) => [...box(0, Alive.present), row(2, Field.radius, AGENT, 0, radius)];
  expect((await observed(rows(1), { obs })).shown).toEqual(expect.arrayContaining(SEEN_BOX));
  expect((await observed(rows(0), { obs })).shown).not.toEqual(expect.arrayContaining(SEEN_BOX));
});

test("without a recorded observation radius, only the agent's own cell is shown", async () => {
  const game = {
    obs: { width: 5, height: 5, num_tokens: 99, global_obs: {}, observation_radius_value: { item: "carbon" } },
  };
  const replay = await opened(document({ mg_config: { game } }, agent(5, 0, { location: [2, 2] })));
  const episode = new Episode(replay, "", 0);
  const { tokens, missing } = episode.observer.observe(0, episode.at(5));
  expect(new Set(tokens.map(({ location }) => location))).toEqual(new Set([0x22]));
  expect(missing).toEqual(["all cells except its own"]);
});

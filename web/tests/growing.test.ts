import { expect, test } from "vitest";
import {
  agentSeries,
  appendChunk,
  appendObjects,
  Comparer,
  Episode,
  Field,
  findObjects,
  floatBits,
  openReplay,
  ReplayError,
} from "../src/decode";
import { chunk, compactFile, header, lateObjects, type MadeRow, randomNumbers } from "./made";

const LAST = 120;
const AGENTS = 3;
const TEAMS = ["team:cogs", "team:clips"];
const kind = (name: string, isAgent = false) => ({
  type_name: name,
  cell: name,
  is_agent: isAgent,
  group_id: 0,
  group_name: "",
  limits: [{ key: 0, name: "cargo", resources: [0, 1] }],
});
const HEAD = (last: number) =>
  header({
    num_agents: AGENTS,
    last_tick: last,
    action_names: ["noop", "move_north", "move_south", "move_west", "move_east"],
    resource_names: ["carbon", "heart", "hp", "miner"],
    tag_names: [...TEAMS, "type:agent", "net:cogs"],
    kinds: [kind("wall"), kind("agent", true), kind("junction"), kind("crate")],
    policy_env_interface: {
      egocentric_shape: [5, 5],
      obs_features: [
        { id: 1, name: "tag" },
        { id: 2, name: "agent_id" },
      ],
    },
  });
const OBJECTS = [
  ...[0, 1, 2].map((agent) => ({ id: 10 + agent, kind: 1, agent })),
  ...[20, 21, 22].map((id) => ({ id, kind: 2, agent: -1 })),
  { id: 30, kind: 0, agent: -1 },
  { id: 31, kind: 0, agent: -1 },
  { id: 40, kind: 3, agent: -1 },
  { id: 41, kind: 3, agent: -1 },
];
const LATE = { id: 50, kind: 3, agent: -1 };
const LATE_TICK = 50;

/** A game with changes of every kind: places, teams, items, owners, rewards, talk, a removed wall. */
function game(seed: number) {
  const next = randomNumbers(seed);
  const whole = (below: number) => Math.floor(next() * below);
  const rows: MadeRow[] = [];
  const row = (tick: number, field: number, object: number, key: number, value: number) =>
    rows.push({ tick, field, object, key, value });
  OBJECTS.forEach((_, number) => {
    row(0, Field.alive, number, 0, 1);
    row(0, Field.location, number, 0, (whole(5) << 16) | whole(7));
  });
  for (const agent of [0, 1, 2]) {
    row(0, Field.tag, agent, agent % 2, 1);
    row(0, Field.amount, agent, 2, 50);
  }
  const notes: unknown[][] = [];
  for (let tick = 1; tick <= LAST; tick++) {
    for (const agent of [0, 1, 2]) {
      row(tick, Field.action, agent, 0, whole(5));
      row(tick, Field.success, agent, 0, whole(2));
      if (whole(3)) row(tick, Field.location, agent, 0, (whole(5) << 16) | whole(7));
      if (!whole(6)) row(tick, Field.reward, agent, 0, floatBits(next()));
      if (!whole(8)) row(tick, Field.amount, agent, whole(4), whole(3) * 20);
      if (!whole(20)) notes.push([tick, agent, "talk", [`hello ${tick}`, 1 + whole(5)]]);
      if (!whole(15)) notes.push([tick, agent, "infos", { policy_name: `p${whole(3)}`, tick }]);
      if (!whole(15)) notes.push([tick, agent, "monologue", [`so ${tick} `, !whole(4)]]);
    }
    if (!whole(4)) row(tick, Field.tag, 3 + whole(3), whole(2), whole(2));
    if (!whole(3)) row(tick, Field.owner, whole(35), 0, whole(3) - 1);
    if (!whole(5)) row(tick, Field.stat, 0, 0, floatBits(tick));
  }
  row(60, Field.alive, 7, 0, 0); // the second wall
  row(80, Field.alive, 8, 0, 0);
  row(90, Field.tag, 9, 0, 1); // crates change owners from now on
  row(LATE_TICK, Field.alive, OBJECTS.length, 0, 1);
  row(LATE_TICK, Field.location, OBJECTS.length, 0, (4 << 16) | 6);
  return { rows, notes };
}

type Game = ReturnType<typeof game>;

async function wholeOf({ rows, notes }: Game): Promise<Episode> {
  return new Episode(
    await openReplay(compactFile(HEAD(LAST), [...OBJECTS, LATE], rows, { notes, size: 16 })),
    "whole",
    0,
  );
}

async function begun({ rows, notes }: Game, last: number): Promise<Episode> {
  const known = rows.filter(({ tick }) => tick <= last);
  return new Episode(
    await openReplay(
      compactFile(HEAD(last), OBJECTS, known, { notes: notes.filter(([tick]) => (tick as number) <= last) }),
    ),
    "grown",
    0,
  );
}

/** Append chunks of up to `most` ticks; call back after each. */
function feed(
  episode: Episode,
  { rows, notes }: Game,
  most: number,
  after: (tick: number) => void = () => undefined,
): void {
  const next = randomNumbers(most);
  while (episode.replay.lastTick < LAST) {
    const from = episode.replay.lastTick + 1;
    const to = Math.min(LAST, from + Math.floor(next() * most));
    if (from <= LATE_TICK && to >= LATE_TICK) appendObjects(episode.replay, lateObjects([LATE]));
    appendChunk(episode.replay, chunk(from, to, AGENTS, rows, notes));
    after(to);
  }
}

/** Return all data that the page shows at a tick. */
function shownAt(episode: Episode, tick: number) {
  const frame = episode.at(tick);
  const { replay, reader } = episode;
  return {
    frame,
    owners: [...episode.territory.owners],
    source: episode.territory.source,
    stats: reader.stats().filter(([, value]) => value),
    limits: frame.objects.map(({ number }) => reader.limits(number)),
    observations: frame.agents.map((_, agent) => episode.observer.observe(agent, frame)),
    found: findObjects("team heart>0", frame, replay, episode.teams).map(({ id }) => id),
    links: episode.networks(frame),
    bars: frame.objects.map((object) => episode.barsOf(object)),
    heat: (["visits", "captures", "deaths"] as const).map((heat) => [...episode.heat(heat, null, "all", tick).counts]),
  };
}

const overall = (episode: Episode) => ({
  events: episode.events,
  history: episode.history,
  held: [...episode.teams.holdingTypes],
  series: [0, 1, 2].map((agent) => agentSeries(episode.replay, agent, episode.history.ticks)),
  seen: [0, 1, 2].map((agent) => [...episode.firstSeen(agent)]),
  walls: [...episode.replay.walls],
  nonWalls: [...episode.replay.nonWalls],
  notes: episode.replay.parts.notes,
});

test.each([1, 3, 17, 200])(
  "a replay appended in chunks of up to %i ticks equals the same replay opened as a whole, at every tick",
  async (most) => {
    const made = game(most);
    const whole = await wholeOf(made);
    const grown = await begun(made, 0);
    feed(grown, made, most);
    expect(overall(grown)).toEqual(overall(whole));
    for (let tick = 0; tick <= LAST; tick++) expect(shownAt(grown, tick), `tick ${tick}`).toEqual(shownAt(whole, tick));
  },
);

test("ticks of a growing replay equal those of the finished one", async () => {
  const made = game(5);
  const whole = await wholeOf(made);
  const grown = await begun(made, 10);
  const next = randomNumbers(9);
  const place = (episode: Episode, tick: number) => {
    const { frame, owners, stats } = shownAt(episode, tick);
    return { objects: frame.objects.filter(({ type }) => type !== "wall"), agents: frame.agents, owners, stats };
  };
  feed(grown, made, 4, (tick) => {
    for (const at of [tick, Math.floor(next() * tick), tick]) expect(place(grown, at)).toEqual(place(whole, at));
    expect(grown.events).toEqual(whole.events.filter((event) => event.tick <= tick));
    expect(grown.history.ticks.length).toBe(tick + 1);
    expect([...grown.heat("visits", null, "all", tick).counts]).toEqual([
      ...whole.heat("visits", null, "all", tick).counts,
    ]);
  });
});

test("an invalid chunk (gap, truncated, unknown objects) leaves the replay unchanged", async () => {
  const made = game(7);
  const grown = await begun(made, 20);
  const before = overall(grown);
  const good = chunk(21, 24, AGENTS, made.rows, made.notes);
  const wrong: [Uint8Array, string][] = [
    [chunk(22, 24, AGENTS, made.rows), "expected tick 21"],
    [chunk(20, 24, AGENTS, made.rows), "expected tick 21"],
    [good.slice(0, 40), "ends too early"],
    [chunk(21, 24, AGENTS + 1, made.rows), "wrong number of agents"],
    [chunk(21, 24, AGENTS, [{ tick: 22, field: Field.alive, object: 99, key: 0, value: 1 }]), "unknown object or key"],
    [chunk(21, 24, AGENTS, [], [[22, 0, "talk", "no list"]]), "malformed"],
  ];
  for (const [bytes, words] of wrong) {
    expect(() => appendChunk(grown.replay, bytes)).toThrowError(ReplayError);
    expect(() => appendChunk(grown.replay, bytes)).toThrowError(words);
  }
  expect(() => appendObjects(grown.replay, lateObjects([{ id: 60, kind: 9, agent: -1 }]))).toThrowError("unknown kind");
  expect(grown.replay.lastTick).toBe(20);
  expect(overall(grown)).toEqual(before);
  appendChunk(grown.replay, good);
  expect(grown.replay.lastTick).toBe(24);
});

test("growing replays have the same first difference as finished ones", async () => {
  const made = game(11);
  const other = { ...made, rows: [...made.rows, { tick: 70, field: Field.vibe, object: 1, key: 0, value: 3 }] };
  const [left, right] = [await begun(made, 30), await begun(other, 0)];
  const comparer = new Comparer(left.replay, right.replay);
  expect(comparer.compare().firstTick).toBeNull();
  feed(right, other, 5, () => expect(comparer.compare().firstTick).toBeNull()); // the left one has only 30 ticks
  feed(left, made, 5, (tick) => expect(comparer.compare().firstTick).toBe(tick >= 70 ? 70 : null));
  const found = comparer.compare();
  expect(found).toEqual(new Comparer((await wholeOf(made)).replay, (await wholeOf(other)).replay).compare());
  expect(found.first.map(({ what, left, right }) => [what, left, right])).toEqual([["Agent 1: vibe", "default", "3"]]);
});

test("appending to a long game costs only the new ticks", async () => {
  const made = game(13);
  const grown = await begun(made, 40);
  const timeline = grown.replay.timeline as unknown as { keyStates: Int32Array[] };
  for (let tick = 41; tick <= 12_000; tick++) {
    appendChunk(
      grown.replay,
      chunk(tick, tick, AGENTS, [{ tick, field: Field.location, object: tick % 3, key: 0, value: tick % 7 }]),
    );
  }
  expect(grown.at(12_000).objects[0].x).toBe(12_000 % 7);
  expect(grown.at(500).tick).toBe(500);
  expect(grown.history.ticks.length).toBe(12_001);
  const kept = timeline.keyStates.reduce((sum, state) => sum + state.length, 0);
  expect(kept).toBeLessThanOrEqual(2 * Math.max(12_000 * 2, 2048));
});

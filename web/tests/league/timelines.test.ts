import { describe, expect, it } from "vitest";
import type { Explanation, PolicyVersionLine } from "../../src/league/api-types";
import { groupedMarks } from "../../src/league/parts/timeline-chart";
import { trendOf } from "../../src/league/parts/versions";
import { comparedCounts, countsOf, differencesTitle, highest, paired, timelinesOf } from "../../src/league/timelines";

function policy(name: string, agents: number[], more: object = {}): Explanation["policies"][number] {
  const counts = { steps: 100 * agents.length, idle: 10, blocked: 5, failed: 0, missed: 0, cells: 30 };
  const series = { reward: [0, 1], taken: [0, 2], hearts: [0, 0], deaths: null };
  return { name, agents, status: "ok", failed_step: null, ...series, counts, ...more };
}

function explained(more: Partial<Explanation> = {}): Explanation {
  return {
    version: 1,
    steps: 100,
    max_steps: 100,
    ticks: [50, 100],
    held_name: "junctions",
    teams: [
      { name: "cogs", agents: [0, 1, 2], held: [1, 3] },
      { name: "clips", agents: [], held: [0, 2] },
      { name: "nobody", agents: [], held: [0, 0] },
    ],
    policies: [policy("a", [0, 1]), policy("b", [2], { taken: [0, 0], reward: [0, 2] })],
    shared_reward: false,
    summary: [],
    moments: [],
    differences: [],
    ...more,
  };
}

describe("timelines of a match", () => {
  it("has teams that hold something, policies per agent, and no chart in which nothing happens", () => {
    const found = timelinesOf(explained());
    expect(found.map((timeline) => timeline.title)).toEqual([
      "Junctions held",
      "Junctions taken per agent",
      "Reward so far",
    ]);
    expect(found[0].lines.map((line) => line.name)).toEqual(["cogs", "clips"]);
    expect(found[1].lines.map((line) => line.values[1])).toEqual([1, 0]);
  });

  it("draws a shared reward once, and a game without junctions without them", () => {
    const [rewards] = timelinesOf(explained({ shared_reward: true, held_name: null }));
    expect(rewards.lines.map((line) => line.name)).toEqual(["all agents"]);
    expect(countsOf(explained({ held_name: null }))[0].taken).toBeNull();
  });

  it("names the better policy only where scores differ", () => {
    expect(differencesTitle(explained())).toContain("b (reward 2.00)");
    expect(differencesTitle(explained({ shared_reward: true }))).toBe("What the policies did differently");
  });
});

describe("two matches", () => {
  it("pairs their charts by title on one axis", () => {
    const [left, right] = [timelinesOf(explained()), timelinesOf(explained({ held_name: null }))];
    const rows = paired(left, right);
    expect(rows.map(([, other]) => other === null)).toEqual([true, true, false]);
    expect(highest(...rows[0])).toBe(3);
  });

  it("marks only large differences", () => {
    const [own] = countsOf(explained());
    const rows = comparedCounts(own, { ...own, idle: 0.5, cells: (own.cells ?? 0) + 1, missed: null });
    expect(rows.filter((row) => row.isLarge).map((row) => row.title)).toEqual(["Idle steps"]);
    expect(rows.find((row) => row.title === "Missed deadlines")).toMatchObject({ left: "0.00", right: "–" });
    expect(rows.some((row) => row.title === "Deaths per agent")).toBe(false);
  });
});

describe("versions over time", () => {
  const line = (version: number, low: number | null, high: number | null) =>
    ({ version, score: 1, low, high }) as PolicyVersionLine;

  it("says better or worse only where intervals are apart", () => {
    expect(trendOf([line(2, 3, 4), line(1, 1, 2)])).toContain("v2 is better than v1");
    expect(trendOf([line(2, 0, 0.5), line(1, 1, 2)])).toContain("v2 is worse than v1");
    expect(trendOf([line(2, 1.5, 4), line(1, 1, 2)])).toContain("do not differ clearly");
    expect(trendOf([line(2, null, null), line(1, 1, 2)])).toBe("");
  });
});

describe("turning points on a chart", () => {
  it("share a number where they would overlap", () => {
    const marks = [1, 2, 50, 51, 52].map((tick, i) => ({ number: i + 1, tick }));
    const shown = groupedMarks(marks, (tick) => 10 * tick).map(({ numbers }) => numbers);
    expect(shown).toEqual(["1–2", "3–4", "5"]);
  });
});

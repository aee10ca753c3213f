import { describe, expect, it } from "vitest";
import { pauseBefore, readChanges, readHello } from "../../src/league/live";
import { merged, Since } from "../../src/league/moves";
import { ends } from "../../src/league/parts/chart";
import { intervalScale, scaleFrom, ticks } from "../../src/league/scale";

describe("the scale of a table", () => {
  it("is shared by all rows and contains their intervals", () => {
    const scale = intervalScale([
      { score: 1, low: 0.5, high: 1.5 },
      { score: 2, low: 1.8, high: 2.2 },
    ]);
    expect(scale.low).toBeLessThan(0.5);
    expect(scale.high).toBeGreaterThan(2.2);
    expect(scale.at(1)).toBeLessThan(scale.at(2));
  });

  it("is not stretched by a single wide interval", () => {
    const rows = [1, 2, 3].map((score) => ({ score, low: score - 0.2, high: score + 0.2 }));
    const scale = intervalScale([...rows, { score: 2, low: -500, high: 500 }]);
    expect(scale.low).toBeGreaterThan(0);
    expect(scale.high).toBeLessThan(4);
    expect([scale.at(-500), scale.at(500)]).toEqual([0, 1]);
  });

  it("exists for no rows, equal rows, and rows without intervals", () => {
    expect(intervalScale([]).at(0.5)).toBe(0.5);
    expect(intervalScale([{ score: 3 }, { score: 3 }]).at(3)).toBeCloseTo(0.5);
    expect(intervalScale([{ score: null }]).at(0)).toBe(0);
    expect(scaleFrom(1, 1).at(1)).toBe(0.5);
  });

  it("has ticks at round numbers", () => {
    expect(ticks(0, 1, 4)).toEqual([0, 0.5, 1]);
    expect(ticks(-0.3, 0.3, 4)).toEqual([-0.2, 0, 0.2]);
    expect(ticks(5, 5)).toEqual([5]);
  });

  it("of a history is not stretched by its first intervals", () => {
    const points = Array.from({ length: 20 }, (_, i) => ({
      score: 1,
      match_score: 1 + (i % 3),
      low: i < 2 ? -90 : 0.5,
      high: i < 2 ? 90 : 1.5,
      at: "",
    }));
    const [low, high] = ends(points);
    expect(low).toBeGreaterThan(-5);
    expect(high).toBeLessThan(9);
  });
});

describe("changes of rows", () => {
  it("are relative to the table when the page was opened", () => {
    const since = new Since();
    const row = (id: string, rank: number, score: number | null) => ({ id, rank, score });
    const key = (found: { id: string }) => found.id;
    const first = since.see([row("a", 1, 5), row("b", 2, 4)], key);
    expect(first.get("a")).toEqual({ places: 0, gain: 0, isNew: false });
    since.see([row("b", 1, 4.5), row("a", 2, 4.4)], key);
    const last = since.see([row("b", 1, 6), row("c", 2, 5), row("a", 3, 4)], key);
    expect(last.get("b")).toEqual({ places: 1, gain: 2, isNew: false });
    expect(last.get("a")).toEqual({ places: -2, gain: -1, isNew: false });
    expect(last.get("c")?.isNew).toBe(true);
  });

  it("in an infinite list replace known rows and lose none", () => {
    const rows = (...texts: string[]) => texts.map((text) => ({ id: text[0], text }));
    const all = merged(rows("b1", "a1"), rows("c1", "b2"), (row) => row.id);
    expect(all.map((row) => row.text)).toEqual(["c1", "b2", "a1"]);
  });
});

describe("the stream of changes", () => {
  it("is parsed as the server writes it, and invalid messages count as a gap", () => {
    expect(readChanges('[{"kind":"match","season":"x","ids":["1"]},{"no":1},null]')).toEqual([
      { kind: "match", season: "x", ids: ["1"] },
    ]);
    expect([readChanges("{}"), readChanges("nonsense")]).toEqual([null, null]);
    expect([readHello('{"missed":false}'), readHello('{"missed":true}'), readHello("null"), readHello("?")]).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it("reconnects with exponential backoff and jitter", () => {
    expect([0, 1, 2, 10].map((attempt) => pauseBefore(attempt, 0.5))).toEqual([500, 1000, 2000, 15_000]);
    expect(pauseBefore(10, 0)).toBeLessThan(pauseBefore(10, 1));
  });
});

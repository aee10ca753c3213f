import { describe, expect, it } from "vitest";
import { resultTables } from "../../src/league/results";

const SCHEMA = {
  properties: {
    scores: { title: "Points", description: "what counts" },
    ticks: { type: "integer" },
    players: { items: { properties: { moves: { title: "Moves made" } } } },
  },
};

describe("results of a game", () => {
  it("become a column for each list with a value for each seat", () => {
    const { columns, facts, others } = resultTables({ scores: [3, 5], painted_tiles: [1, 2], ticks: 12 }, SCHEMA, 2);
    expect(columns.map(({ title, about, values }) => [title, about, values])).toEqual([
      ["Points", "what counts", [3, 5]],
      ["Painted tiles", "", [1, 2]],
    ]);
    expect(facts).toEqual([{ title: "Ticks", about: "", value: 12 }]);
    expect(others).toEqual([]);
  });

  it("become columns for the fields of objects with one for each seat", () => {
    const players = [
      { moves: 4, path: [1] },
      { moves: 6, path: [], alive: true },
    ];
    const { columns, others } = resultTables({ players }, SCHEMA, 2);
    expect(columns.map(({ title, values }) => [title, values])).toEqual([
      ["Moves made", [4, 6]],
      ["Players: alive", [null, true]],
    ]);
    expect(others).toEqual(["Players: path"]);
  });

  it("of another shape are named and left to the JSON", () => {
    const { columns, facts, others } = resultTables(
      { scores: [1], board: [[0, 1]], end: { winner: "a", by: { x: 1 } }, meta: { map: "m", size: 4 } },
      {},
      2,
    );
    expect(columns).toEqual([]);
    expect(facts.map(({ title, value }) => [title, value])).toEqual([
      ["Meta: map", "m"],
      ["Meta: size", 4],
    ]);
    expect(others).toEqual(["Scores", "Board", "End"]);
  });

  it("and schemas that are nonsense give empty tables", () => {
    for (const nonsense of [null, 3, "x", [1, 2], undefined])
      expect(resultTables(nonsense, nonsense, 2)).toEqual({ columns: [], facts: [], others: [] });
    expect(resultTables({ a: 1 }, { properties: { a: 7 } }, 0).facts).toHaveLength(1);
  });
});

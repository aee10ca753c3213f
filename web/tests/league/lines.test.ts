import { describe, expect, it } from "vitest";
import type { DivisionLines, DivisionRow } from "../../src/league/api-types";
import { formBars, formWords, isLine, meetingText, square, withLines } from "../../src/league/lines";
import { stretches } from "../../src/league/parts/rating-chart";

const row = (rank: number, score: number | null) => ({ rank, score, subject_id: `p${rank}` }) as DivisionRow;
const division = (name: string) => ({ id: `div_${name}`, name, level: 1, type: "competition", hidden: false });
const NONE: DivisionLines = {
  promote_above: null,
  promote_to: null,
  relegate_below: null,
  relegate_to: null,
  disqualify_after: null,
  gate: null,
  gate_to: null,
  sentences: [],
};

const drawn = (rows: DivisionRow[], lines: Partial<DivisionLines>) =>
  withLines(rows, { ...NONE, ...lines }).map((entry) => (isLine(entry) ? entry.line : entry.score));

describe("the lines of a table", () => {
  const up = { promote_above: 1600, promote_to: division("Gold") };
  const down = { relegate_below: 1400, relegate_to: division("Bronze") };

  it("stand where the score crosses them", () => {
    const rows = [row(1, 1650), row(2, 1600), row(3, 1400), row(4, 1390)];
    expect(drawn(rows, { ...up, ...down })).toEqual([1650, "promotion", 1600, 1400, "relegation", 1390]);
  });

  it("stand at the ends when all players are between them", () => {
    expect(drawn([row(1, 1500)], { ...up, ...down })).toEqual(["promotion", 1500, "relegation"]);
  });

  it("are left out without a division to move to, and in an empty table", () => {
    expect(drawn([row(1, 1500)], { promote_above: 1600 })).toEqual([1500]);
    expect(drawn([], up)).toEqual([]);
  });

  it("come after rows without a score last", () => {
    expect(drawn([row(1, 1500), row(2, null)], down)).toEqual([1500, "relegation", null]);
  });
});

describe("the form of a player", () => {
  const point = (rank: number, of: number) => ({ rank, of, number: 1, round_id: "round_x", score: 0, rating: null });

  it("is a full bar for the first rank and a low one for the last", () => {
    expect(formBars([point(1, 5), point(3, 5), point(5, 5)])).toEqual([1, 0.5, 0.12]);
    expect(formBars([point(1, 1)])).toEqual([1]);
  });

  it("is described in words", () => {
    expect(formWords([point(2, 8), point(1, 8)])).toBe("ranks in the last rounds: 2 of 8, 1 of 8");
    expect(formWords([])).toBe("no rounds yet");
  });
});

describe("the meetings of a round", () => {
  it("are seen from both sides", () => {
    const rows = square(3, [{ first: 0, second: 2, won: 2, drawn: 1, lost: 0, episode_id: "ereq_x" }]);
    expect(rows[0][2]).toEqual({ won: 2, drawn: 1, lost: 0, episode: "ereq_x" });
    expect(rows[2][0]).toEqual({ won: 0, drawn: 1, lost: 2, episode: "ereq_x" });
    expect(rows[0][1]).toBeNull();
    expect(meetingText(rows[0][2]!)).toBe("2–0 =1");
  });
});

describe("the stays of a player in divisions", () => {
  it("begin with every move", () => {
    const names = ["Silver", "Silver", "Gold", "Silver"];
    const points = names.map((name) => ({ division: division(name) })) as Parameters<typeof stretches>[0];
    expect(stretches(points)).toEqual([
      { division: "Silver", first: 0, last: 1 },
      { division: "Gold", first: 2, last: 2 },
      { division: "Silver", first: 3, last: 3 },
    ]);
  });
});

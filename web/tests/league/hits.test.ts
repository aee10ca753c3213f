import { describe, expect, it } from "vitest";
import type { SearchHit } from "../../src/league/api-types";
import { hitGroups, nextPlace } from "../../src/league/hits";

const hit = (kind: SearchHit["kind"], title: string): SearchHit => ({ kind, title, about: "", url: `/${title}` });

describe("results of the search", () => {
  it("are grouped by kind, the kind of the best one first", () => {
    const groups = hitGroups([hit("policy", "a"), hit("season", "b"), hit("policy", "c")]);
    expect(groups.map((group) => [group.title, group.hits.map(({ title }) => title)])).toEqual([
      ["Policies", ["a", "c"]],
      ["Seasons", ["b"]],
    ]);
    expect(hitGroups([])).toEqual([]);
  });

  it("are chosen with arrow keys, around the field", () => {
    expect([0, 1, 2].map((place) => nextPlace(place, "ArrowDown", 3))).toEqual([1, 2, -1]);
    expect(nextPlace(-1, "ArrowDown", 3)).toBe(0);
    expect([-1, 0, 2].map((place) => nextPlace(place, "ArrowUp", 3))).toEqual([2, -1, 1]);
    expect(nextPlace(-1, "ArrowUp", 0)).toBe(-1);
    expect(nextPlace(1, "x", 3)).toBe(1);
  });
});

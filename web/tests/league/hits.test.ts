import { describe, expect, it } from "vitest";
import type { SearchHit } from "../../src/league/api-types";
import { kindsOf, kindWord, nextPlace } from "../../src/league/hits";

const hit = (kind: SearchHit["kind"], title: string): SearchHit => ({ kind, title, about: "", url: `/${title}` });

describe("results of the search", () => {
  it("counts kinds in the order of their best hits", () => {
    expect(kindsOf([hit("policy", "a"), hit("season", "b"), hit("policy", "c")])).toEqual([
      ["policy", 2],
      ["season", 1],
    ]);
    expect(kindsOf([])).toEqual([]);
    expect(kindWord("coworld")).toBe("Game");
  });

  it("moves the selection with the arrow keys, through the field", () => {
    expect([0, 1, 2].map((place) => nextPlace(place, "ArrowDown", 3))).toEqual([1, 2, -1]);
    expect(nextPlace(-1, "ArrowDown", 3)).toBe(0);
    expect([-1, 0, 2].map((place) => nextPlace(place, "ArrowUp", 3))).toEqual([2, -1, 1]);
    expect(nextPlace(-1, "ArrowUp", 0)).toBe(-1);
    expect(nextPlace(1, "x", 3)).toBe(1);
  });
});

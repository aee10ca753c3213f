import { describe, expect, it } from "vitest";
import type { SettingsField } from "../../src/league/api-types";
import { edited, isShown, parseField, valueAt, withValue } from "../../src/league/settings";

const field = (path: string[], more: Partial<SettingsField> = {}): SettingsField => ({
  path,
  group: "",
  title: path[path.length - 1],
  about: "",
  kind: "integer",
  default: null,
  required: false,
  ...more,
});
const STRATEGY = field(["ladder", "scheduler", "strategy"], {
  kind: "choice",
  default: "swiss",
  choices: ["swiss", "teams"],
});
const WINDOW = field(["ladder", "scheduler", "window"], { only_with: { strategy: "swiss" } });
const LAYOUT = field(["ladder", "scheduler", "layout"], {
  kind: "choice",
  choices: ["a", "b"],
  only_with: { strategy: "teams" },
});
const INTERVAL = field(["round_interval_minutes"], { minimum: 1, maximum: 60 });
const LINE = field(["ladder", "divisions[div_1]", "maximum_rating"], { kind: "number" });
const FIELDS = [STRATEGY, WINDOW, LAYOUT, INTERVAL, LINE];

describe("the settings of a league", () => {
  it("are read and written along paths, also in the entry of a division", () => {
    const stored = { ladder: { divisions: [{ division_id: "div_1", minimum_rating: 3 }] } };
    expect(valueAt(stored, ["ladder", "divisions[div_1]", "minimum_rating"])).toBe(3);
    expect(valueAt(stored, ["ladder", "divisions[div_2]", "minimum_rating"])).toBeUndefined();
    const changed = withValue(stored, LINE.path, 1600);
    expect(changed).toEqual({
      ladder: { divisions: [{ division_id: "div_1", minimum_rating: 3, maximum_rating: 1600 }] },
    });
    expect(stored.ladder.divisions[0]).toEqual({ division_id: "div_1", minimum_rating: 3 });
  });

  it("go back to the default when a field is emptied", () => {
    expect(withValue({ round_interval_minutes: 5 }, ["round_interval_minutes"], undefined)).toEqual({});
    const one = { ladder: { divisions: [{ division_id: "div_1", maximum_rating: 3 }] } };
    expect(withValue(one, LINE.path, undefined)).toEqual({ ladder: { divisions: [] } });
    expect(withValue({}, ["ladder", "continuous", "enabled"], undefined)).toEqual({});
  });

  it("show only what the chosen strategy has", () => {
    expect(isShown(FIELDS, {}, WINDOW)).toBe(true);
    expect(isShown(FIELDS, {}, LAYOUT)).toBe(false);
    expect(isShown(FIELDS, { ladder: { scheduler: { strategy: "teams" } } }, LAYOUT)).toBe(true);
  });

  it("lose those of a strategy that is not chosen any more, and keep everything else", () => {
    const stored = { ladder: { enabled: true, scheduler: { strategy: "swiss", window: 2 } }, other: [1] };
    const result = edited(FIELDS, stored, [
      [LAYOUT, "b"],
      [STRATEGY, "teams"],
    ]);
    expect(result).toEqual({ ladder: { enabled: true, scheduler: { strategy: "teams", layout: "b" } }, other: [1] });
  });

  it("refuse what is not allowed, with a sentence", () => {
    expect(parseField(INTERVAL, " 10 ")).toBe(10);
    expect(parseField(INTERVAL, "")).toBeUndefined();
    expect(() => parseField(INTERVAL, "61")).toThrow("61 is not between 1 and 60");
    expect(() => parseField(INTERVAL, "1.5")).toThrow("not a whole number");
    expect(() => parseField(field(["x"], { kind: "json" }), "{")).toThrow("not JSON");
    expect(parseField(field(["x"], { kind: "json" }), '{"a":1}')).toEqual({ a: 1 });
  });
});

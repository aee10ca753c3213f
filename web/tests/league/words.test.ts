import { describe, expect, it } from "vitest";
import { address, sentence } from "../../src/league/api";
import {
  ago,
  bytes,
  count,
  counted,
  difference,
  digitsFor,
  duration,
  labelled,
  nameFromFile,
  plainName,
  ranks,
  score,
  whyNoReplay,
} from "../../src/league/format";

describe("formatted numbers", () => {
  it("under a label of percentages are percentages", () => {
    expect([labelled(0.75, "Win %"), labelled(0.75, "Score"), labelled(1516, "Elo")]).toEqual([
      "75 %",
      "0.750",
      "1516",
    ]);
    expect(labelled(null, "Win %")).toBe("–");
  });

  it("have three significant digits and a real minus", () => {
    expect([12.3456, 0.98765, 1234.5, -0.5, 0, null, Number.NaN].map((value) => score(value))).toEqual([
      "12.3",
      "0.988",
      "1235",
      "−0.500",
      "0.00",
      "–",
      "–",
    ]);
    expect(score(-0.0001, 2)).toBe("0.00");
    expect([0.25, -0.25, 0].map((value) => difference(value, 2))).toEqual(["+0.25", "−0.25", "0.00"]);
  });

  it("share their number of digits in a table, by their spread", () => {
    expect([1000, 120, 12, 1.2, 0.12, 0.0012, 0].map(digitsFor)).toEqual([0, 0, 1, 2, 3, 4, 2]);
  });

  it("count objects, with a non-breaking space", () => {
    expect(count(1234567)).toBe("1\u202F234\u202F567");
    expect([counted(1, "match", "matches"), counted(2, "match", "matches"), counted(0, "map")]).toEqual([
      "1 match",
      "2 matches",
      "0 maps",
    ]);
    expect([ranks(2, 5), ranks(3, 3), ranks(null, 3)]).toEqual(["2–5", "3", "–"]);
  });

  it("format times and sizes", () => {
    const now = Date.parse("2026-03-01T12:00:00Z");
    expect([0, 45, 90, 7200, 86_400, 200_000].map((seconds) => ago(now - seconds * 1000, now))).toEqual([
      "just now",
      "45 s ago",
      "1 min ago",
      "2 h ago",
      "1 day ago",
      "2 days ago",
    ]);
    expect(ago(now + 120_000, now)).toBe("in 2 min");
    expect([0.0005, 0.25, 1.234, 61, 3725].map(duration)).toEqual([
      "500 µs",
      "250 ms",
      "1.23 s",
      "1 min 1 s",
      "1 h 2 min",
    ]);
    expect([512, 2048, 5 * 1024 ** 2].map(bytes)).toEqual(["512 B", "2 KB", "5 MB"]);
  });
});

describe("user-chosen names", () => {
  it("show every character except invisible and direction-changing ones", () => {
    expect(plainName("\u202Egpj.exe\u2066a\u200Bb\n")).toBe("\uFFFDgpj.exe\uFFFDa\uFFFDb\uFFFD");
    expect(plainName("שלום <b>")).toBe("שלום <b>");
    expect(plainName("team 👩\u200D💻")).toBe("team 👩\u200D💻");
    expect(plainName("a\u200Db")).toBe("a\uFFFDb");
  });

  it("are suggested from file names, within the server's rules", () => {
    expect(nameFromFile("my policy.zip")).toBe("my policy");
    expect(nameFromFile("a:b.ZIP")).toBe("a-b");
    expect([...nameFromFile(`${"幅".repeat(80)}.zip`)].length).toBe(64);
  });
});

describe("calls", () => {
  it("put parameters and queries into addresses", () => {
    expect(address("/a/{season}/b", { season: "x/y z:v2" }, { cursor: null, pool: "a&b", policy: "", n: 0 })).toBe(
      "/a/x%2Fy%20z%3Av2/b?pool=a%26b&n=0",
    );
  });

  it("show the server's message as a sentence", () => {
    expect(sentence({ detail: "Not yours" }, 403)).toBe("Not yours");
    expect(sentence({ detail: [{ loc: ["body", "name"], msg: "too long" }] }, 422)).toBe("name: too long");
    expect(sentence(null, 502)).toMatch(/try again/);
    expect(sentence({ detail: 7 }, 400)).toMatch(/rejected/);
  });
});

describe("a match without a replay", () => {
  const replay = { "results.json": "aa", "replay.json.z": "bb" };
  it.each([
    ["running", {}, "The replay is available after the match."],
    ["waiting", {}, "The match has not started yet."],
    ["failed", {}, "The match failed before a replay was recorded."],
    ["failed", replay, "The replay has expired."],
    ["completed", replay, "The replay has expired."],
  ])("that is %s says why", (status, digests, text) => {
    expect(whyNoReplay({ status, digests })).toBe(text);
  });
});

import { describe, expect, it } from "vitest";
import { type Route, readRoute, to } from "../../src/league/router";

const ID = "01a1e0c7-bb07-7950-a19c-a7f7e71b4c37";

describe("addresses", () => {
  it("round-trip through the router", () => {
    const routes: [string, Route][] = [
      [to.home(), { page: "home" }],
      [to.season("beta-cvc"), { page: "season", season: "beta-cvc", tab: "table" }],
      [to.season("odd / name:v3", "matches"), { page: "season", season: "odd / name:v3", tab: "matches" }],
      [to.leagues(), { page: "leagues" }],
      [to.league(`league_${ID}`), { page: "league", league: `league_${ID}`, tab: "divisions" }],
      [to.league(`league_${ID}`, "rules"), { page: "league", league: `league_${ID}`, tab: "rules" }],
      [to.division(`div_${ID}`, "members"), { page: "division", division: `div_${ID}`, tab: "members" }],
      [to.round(`round_${ID}`), { page: "round", round: `round_${ID}` }],
      [to.player("ply_7ae5do4f"), { page: "player", player: "ply_7ae5do4f" }],
      [to.match(ID), { page: "match", match: ID }],
      [to.compare(ID), { page: "compare", match: ID, other: "" }],
      [to.compare(ID, ID), { page: "compare", match: ID, other: ID }],
      [to.policy(ID), { page: "policy", policy: ID }],
      [to.episode(`ereq_${ID}`), { page: "episode", episode: `ereq_${ID}` }],
      [to.coworlds(), { page: "coworlds" }],
      [to.coworld("Paint arena"), { page: "coworld", coworld: "Paint arena", tab: "about", doc: "" }],
      [to.coworld("a", "docs", "rules.md"), { page: "coworld", coworld: "a", tab: "docs", doc: "rules.md" }],
      [to.play(`ps_${ID}`), { page: "play", session: `ps_${ID}` }],
      [to.lobby(`lby_${ID}`), { page: "lobby", lobby: `lby_${ID}` }],
      [to.queue(), { page: "queue" }],
      [to.me(), { page: "me" }],
      [to.manage(), { page: "manage", section: "seasons", item: "" }],
      [to.manage("seasons", "new"), { page: "manage", section: "seasons", item: "new" }],
      [to.manage("jobs"), { page: "manage", section: "jobs", item: "" }],
    ];
    for (const [path, route] of routes) expect(readRoute(path)).toEqual(route);
    const upload = new URL(to.upload("a b"), "http://x");
    expect(readRoute(upload.pathname, upload.search)).toEqual({ page: "upload", season: "a b" });
    const search = new URL(to.search("a b"), "http://x");
    expect(readRoute(search.pathname, search.search)).toEqual({ page: "search", query: "a b" });
    expect(readRoute("/observatory/")).toEqual({ page: "home" });
  });

  it("that do not exist are reported", () => {
    for (const path of [
      "nothing",
      "seasons/a/b",
      "seasons/a/table/x",
      "matches/12",
      "leagues/main",
      `leagues/league_${ID}/else`,
      `divisions/league_${ID}`,
      `rounds/${ID}`,
      "players/ada",
      "policies/",
      "queue/x",
      "episodes/12",
      "coworlds/a/about",
      "coworlds/a/versions/x",
      "play/12",
      "lobbies/",
      "manage/else",
      "seasons/%E0%A4%A",
    ]) {
      expect(readRoute(`/observatory/${path}`)).toEqual({ page: "missing" });
    }
  });

  it("of other pages and files are left to the browser", () => {
    for (const path of [
      "/sign-in",
      "/docs",
      "/observatory/home",
      "/observatory/viewer/",
      "/observatory/api/me",
      "/observatory/assets/x.js",
    ]) {
      expect(readRoute(path)).toBeNull();
    }
  });
});

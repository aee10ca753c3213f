/** The pages and their addresses. */
export type Route =
  | { page: "home" }
  | { page: "season"; season: string; tab: SeasonTab }
  | { page: "leagues" }
  | { page: "league"; league: string; tab: LeagueTab }
  | { page: "division"; division: string; tab: DivisionTab }
  | { page: "round"; round: string }
  | { page: "player"; player: string }
  | { page: "match"; match: string }
  | { page: "compare"; match: string; other: string }
  | { page: "policy"; policy: string }
  | { page: "upload"; season: string }
  | { page: "episode"; episode: string }
  | { page: "coworlds" }
  | { page: "coworld"; coworld: string; tab: CoworldTab; doc: string }
  | { page: "search"; query: string }
  | { page: "queue" }
  | { page: "me" }
  | { page: "notices" }
  | { page: "person"; person: string }
  | { page: "friendly"; friendly: string }
  | { page: "manage"; section: ManageSection; item: string }
  | { page: "play"; session: string }
  | { page: "lobby"; lobby: string }
  | { page: "missing" };

export const SEASON_TABS = ["table", "stages", "teams", "matches", "about"] as const;
export type SeasonTab = (typeof SEASON_TABS)[number];

export const COWORLD_TABS = ["about", "docs", "versions", "episodes"] as const;
export type CoworldTab = (typeof COWORLD_TABS)[number];

export const LEAGUE_TABS = ["divisions", "rounds", "events", "rules", "manage"] as const;
export type LeagueTab = (typeof LEAGUE_TABS)[number];

export const DIVISION_TABS = ["table", "rounds", "members", "rules"] as const;
export type DivisionTab = (typeof DIVISION_TABS)[number];

export const MANAGE_SECTIONS = ["seasons", "users", "invitations", "workers", "jobs", "failures", "audit"] as const;
export type ManageSection = (typeof MANAGE_SECTIONS)[number];

const BASE = "/observatory";
const EPISODE = /^ereq_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The id of a row with the prefix of its kind, such as `league_...`. */
const isId = (prefix: string, text: string) =>
  text.startsWith(`${prefix}_`) && UUID.test(text.slice(prefix.length + 1));

const PUBLIC_ID = /^[a-z]+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Parse an address of this site; null for other addresses, such as files and server-rendered pages. */
export function readRoute(pathname: string, search = ""): Route | null {
  const path = pathname.replace(/\/+$/, "");
  if (path === BASE || path === "") return { page: "home" };
  if (!path.startsWith(`${BASE}/`)) return null;
  const words = path
    .slice(BASE.length + 1)
    .split("/")
    .map(decoded);
  if (words.some((word) => word === null)) return { page: "missing" };
  const [first, second = "", third = "", fourth = ""] = words as string[];
  const missing: Route = { page: "missing" };
  if (words.length > (third === "docs" || third === "compare" ? 4 : 3)) return missing;
  switch (first) {
    case "home":
    case "api":
    case "assets":
    case "viewer":
    case "frames":
    case "games":
    case "embed":
    case "feeds":
    case "oembed":
      return null;
    case "seasons": {
      if (!second) return words.length === 1 ? { page: "home" } : missing;
      const tab = SEASON_TABS.find((name) => name === (third || "table"));
      return tab ? { page: "season", season: second, tab } : missing;
    }
    case "leagues": {
      if (!second) return words.length === 1 ? { page: "leagues" } : missing;
      const tab = LEAGUE_TABS.find((name) => name === (third || "divisions"));
      return tab && isId("league", second) ? { page: "league", league: second, tab } : missing;
    }
    case "divisions": {
      const tab = DIVISION_TABS.find((name) => name === (third || "table"));
      return tab && isId("div", second) ? { page: "division", division: second, tab } : missing;
    }
    case "rounds":
      return isId("round", second) && !third ? { page: "round", round: second } : missing;
    case "players":
      return second.startsWith("ply_") && !third ? { page: "player", player: second } : missing;
    case "matches":
      if (UUID.test(second) && third === "compare" && (!fourth || UUID.test(fourth)))
        return { page: "compare", match: second, other: fourth };
      return UUID.test(second) && !third ? { page: "match", match: second } : missing;
    case "friendlies":
      return UUID.test(second) && !third ? { page: "friendly", friendly: second } : missing;
    case "people":
      return second && !third ? { page: "person", person: second } : missing;
    case "policies":
      return UUID.test(second) && !third ? { page: "policy", policy: second } : missing;
    case "episodes":
      return EPISODE.test(second) && !third ? { page: "episode", episode: second } : missing;
    case "coworlds": {
      if (!second) return words.length === 1 ? { page: "coworlds" } : missing;
      const tab = COWORLD_TABS.find((name) => name === (third || "about"));
      return tab && (tab !== "about" || !third) ? { page: "coworld", coworld: second, tab, doc: fourth } : missing;
    }
    case "search":
      return words.length === 1 ? { page: "search", query: new URLSearchParams(search).get("q") ?? "" } : missing;
    case "upload":
      return words.length === 1 ? { page: "upload", season: new URLSearchParams(search).get("season") ?? "" } : missing;
    case "play":
      return PUBLIC_ID.test(second) && !third ? { page: "play", session: second } : missing;
    case "lobbies":
      return PUBLIC_ID.test(second) && !third ? { page: "lobby", lobby: second } : missing;
    case "queue":
      return words.length === 1 ? { page: first } : missing;
    case "me":
      return words.length === 1 ? { page: "me" } : second === "notices" && !third ? { page: "notices" } : missing;
    case "manage": {
      const section = MANAGE_SECTIONS.find((name) => name === (second || "seasons"));
      return section ? { page: "manage", section, item: third } : missing;
    }
    default:
      return missing;
  }
}

function decoded(word: string): string | null {
  try {
    return decodeURIComponent(word);
  } catch {
    return null;
  }
}

const part = (word: string) => `/${encodeURIComponent(word)}`;

/** Addresses of pages. */
export const to = {
  home: () => BASE,
  season: (season: string, tab: SeasonTab = "table") =>
    `${BASE}/seasons${part(season)}${tab === "table" ? "" : part(tab)}`,
  leagues: () => `${BASE}/leagues`,
  league: (league: string, tab: LeagueTab = "divisions") =>
    `${BASE}/leagues${part(league)}${tab === "divisions" ? "" : part(tab)}`,
  division: (division: string, tab: DivisionTab = "table") =>
    `${BASE}/divisions${part(division)}${tab === "table" ? "" : part(tab)}`,
  round: (id: string) => `${BASE}/rounds${part(id)}`,
  player: (id: string) => `${BASE}/players${part(id)}`,
  match: (id: string) => `${BASE}/matches${part(id)}`,
  friendly: (id: string) => `${BASE}/friendlies${part(id)}`,
  person: (key: string) => `${BASE}/people${part(key)}`,
  compare: (id: string, other = "") => `${BASE}/matches${part(id)}/compare${other ? part(other) : ""}`,
  policy: (id: string) => `${BASE}/policies${part(id)}`,
  episode: (id: string) => `${BASE}/episodes${part(id)}`,
  coworlds: () => `${BASE}/coworlds`,
  coworld: (reference: string, tab: CoworldTab = "about", doc = "") =>
    `${BASE}/coworlds${part(reference)}${tab === "about" ? "" : part(tab)}${doc ? part(doc) : ""}`,
  search: (query = "") => `${BASE}/search${query ? `?q=${encodeURIComponent(query)}` : ""}`,
  upload: (season = "") => `${BASE}/upload${season ? `?season=${encodeURIComponent(season)}` : ""}`,
  play: (session: string) => `${BASE}/play${part(session)}`,
  lobby: (lobby: string) => `${BASE}/lobbies${part(lobby)}`,
  queue: () => `${BASE}/queue`,
  me: () => `${BASE}/me`,
  notices: () => `${BASE}/me/notices`,
  feed: (topic: "seasons" | "leagues" | "policies" | "people", key: string, form: "atom" | "rss" | "json") =>
    `${BASE}/feeds/${topic}${part(key)}.${form}`,
  manage: (section: ManageSection = "seasons", item = "") =>
    `${BASE}/manage${section === "seasons" && !item ? "" : part(section)}${item ? part(item) : ""}`,
  signIn: (next: string) => `/sign-in?next=${encodeURIComponent(next)}`,
};

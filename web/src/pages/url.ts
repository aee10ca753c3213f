import type { App, PanelName } from "./app";

/** What an address says: which replay, where in it, and what is looked at. */
export interface Place {
  /** whether the page belongs to a game that is still played, and what lets it in */
  live: boolean;
  token: string;
  replay: string;
  beside: string;
  tick: number | null;
  speed: number | null;
  select: number | null;
  follow: boolean;
  play: boolean;
  panel: PanelName | null;
}

const PANELS = "agent sight events charts heat search score stats talk info compare".split(" ");

/** From the part behind `?` (links that others make) and the part behind `#` (which the page itself keeps). */
export function readPlace(search: string, hash: string): Place {
  const said = new URLSearchParams(search);
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) said.set(key, value);
  const number = (key: string) => {
    const value = said.get(key);
    return value !== null && value !== "" && Number.isFinite(Number(value)) ? Number(value) : null;
  };
  const panel = said.get("panel");
  return {
    live: said.get("live") === "1",
    token: said.get("token") ?? "",
    replay: said.get("replay") ?? "",
    beside: said.get("beside") ?? "",
    tick: number("tick") ?? number("step"),
    speed: number("speed"),
    select: number("select"),
    follow: said.get("follow") === "1",
    play: said.get("play") === "1",
    panel: panel !== null && PANELS.includes(panel) ? (panel as PanelName) : null,
  };
}

/** The part behind `#` for what is shown now. */
export function hashOf(app: App): string {
  const said = new URLSearchParams();
  if (app.address) said.set("replay", app.address);
  if (app.right && app.rightAddress) said.set("beside", app.rightAddress);
  if (app.token) said.set("token", app.token);
  if (!app.live || !app.isAtEdge) said.set("tick", String(app.tick));
  if (!app.live) said.set("speed", String(app.speed));
  if (app.selectedId) said.set("select", String(app.selectedId));
  if (app.isFollowing) said.set("follow", "1");
  if (app.panel) said.set("panel", app.panel);
  return `#${said.toString().replaceAll("%2F", "/").replaceAll("%3A", ":")}`;
}

import type { App, PanelName } from "./app";

/** The state in an address: replay, tick, selection and panel. */
export interface Place {
  /** whether the page belongs to a live game, and its token */
  live: boolean;
  token: string;
  /** the address of the socket of a running match */
  watch: string;
  replay: string;
  beside: string;
  /** path of the page about this replay, on the same server */
  page: string;
  tick: number | null;
  speed: number | null;
  select: number | null;
  follow: boolean;
  play: boolean;
  /** a small viewer inside another page */
  mini: boolean;
  panel: PanelName | null;
}

const PANELS = "agent sight events charts heat search score stats talk info compare".split(" ");

/**
 * Parse the query (external links) and the fragment (written by the page itself). A page that the server made for one
 * replay names it in `own`: its address chooses the moment, but no other replay.
 */
export function readPlace(search: string, hash: string, own: string | null = null): Place {
  const query = new URLSearchParams(own ?? search);
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) query.set(key, value);
  const fixed = new URLSearchParams(own ?? "");
  for (const key of own === null ? [] : ["replay", "beside", "page", "live", "token", "watch"])
    query.set(key, fixed.get(key) ?? "");
  const number = (key: string) => {
    const value = query.get(key);
    return value !== null && value !== "" && Number.isFinite(Number(value)) ? Number(value) : null;
  };
  const panel = query.get("panel");
  return {
    live: query.get("live") === "1",
    token: query.get("token") ?? "",
    watch: query.get("watch") ?? "",
    replay: query.get("replay") ?? "",
    beside: query.get("beside") ?? "",
    page: /^\/observatory\/[\w/-]+$/.test(query.get("page") ?? "") ? query.get("page")! : "",
    tick: number("tick") ?? number("step"),
    speed: number("speed"),
    select: number("select"),
    follow: query.get("follow") === "1",
    play: query.get("play") === "1",
    mini: query.get("mini") === "1",
    panel: panel !== null && PANELS.includes(panel) ? (panel as PanelName) : null,
  };
}

/** Return the place that the server wrote into the page; null if it wrote none. */
export function ownPlace(): string | null {
  return document.querySelector<HTMLMetaElement>('meta[name="mettascope-place"]')?.content ?? null;
}

/** Return the fragment for the current view. */
export function hashOf(app: App): string {
  const query = new URLSearchParams();
  if (app.address) query.set("replay", app.address);
  if (app.right && app.rightAddress) query.set("beside", app.rightAddress);
  if (app.token) query.set("token", app.token);
  if (!app.live || !app.isAtEdge) query.set("tick", String(app.tick));
  if (!app.live) query.set("speed", String(app.speed));
  if (app.selectedId) query.set("select", String(app.selectedId));
  if (app.isFollowing) query.set("follow", "1");
  if (app.panel) query.set("panel", app.panel);
  return `#${query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":")}`;
}

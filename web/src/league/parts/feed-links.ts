import { el } from "../../ui/dom";
import { to } from "../router";
import type { Site } from "../view";
import { shareButton } from "./share-menu";

/** Links to the feeds of a page, for readers of news and for programs. */
export function feedLinks(topic: "seasons" | "leagues" | "policies" | "people", key: string): HTMLElement {
  const feed = (form: "atom" | "rss" | "json", text: string) =>
    el("a", { attrs: { href: to.feed(topic, key, form), type: `application/${form}` } }, text);
  return el(
    "p",
    { class: "small quiet" },
    "Follow: ",
    feed("atom", "Atom"),
    " · ",
    feed("rss", "RSS"),
    " · ",
    feed("json", "JSON"),
  );
}

/** A row with the share menu of a page and its feeds. */
export function followRow(
  site: Site,
  topic: "seasons" | "leagues",
  key: string,
  path: string,
  title: string,
): HTMLElement {
  const share = shareButton(site, { path, title, embeds: false, tick: () => null });
  return el("div", { class: "actions follow" }, share, feedLinks(topic, key));
}

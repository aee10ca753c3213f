import { el } from "../../ui/dom";

/** A link to the page on which a running match or episode can be watched. */
export function watchLink(href: string): HTMLAnchorElement {
  return el("a", { class: "watch-link", attrs: { href } }, "Watch live");
}

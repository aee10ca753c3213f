import { el } from "../../ui/dom";
import { to } from "../router";

/** The pages of the signed-in user. */
export function meTabs(current: "me" | "notices", userId: string): HTMLElement {
  const tab = (href: string, text: string, isCurrent = false) =>
    el("a", { attrs: { href, "aria-current": isCurrent && "page" } }, text);
  return el(
    "nav",
    { class: "tabs", attrs: { "aria-label": "Your pages" } },
    tab(to.me(), "Profile", current === "me"),
    tab(to.notices(), "Notices and challenges", current === "notices"),
    userId ? tab(to.person(userId), "Public page") : null,
  );
}

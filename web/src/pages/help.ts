import { el } from "../ui/dom";
import type { App } from "./app";
import { KEYS } from "./keys";
import { LIVE_HINT, LIVE_KEYS } from "./live/keys";

const SHOWN: Readonly<Record<string, string>> = {
  " ": "space",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
};

/** The help page for keys, generated from the table that handles them. */
export function helpDialog(app: App, isLive: boolean): HTMLDialogElement {
  const all: readonly { group: string; keys: readonly string[]; what: string }[] = isLive
    ? [...LIVE_KEYS, ...KEYS]
    : KEYS;
  const groups = [...new Set(all.map(({ group }) => group))].map((group) => {
    const rows = all
      .filter((key) => key.group === group)
      .map(({ keys, what }) =>
        el(
          "div",
          { class: "key-row" },
          el("span", { class: "keys" }, ...keys.map((key) => el("kbd", {}, keyLabel(key)))),
          what,
        ),
      );
    return el("section", {}, el("h3", {}, group), ...rows);
  });
  const close = el("button", { class: "button", attrs: { type: "button" } }, "Close");
  const pointer =
    "Drag to move the map, scroll to zoom; on touch screens use two fingers. Click to select the nearest object, double-click to follow it. Drop files anywhere.";
  const box = el("input", { attrs: { type: "checkbox", checked: app.hasSingleKeys, "data-testid": "single-keys" } });
  box.addEventListener("change", () => app.set("hasSingleKeys", box.checked));
  const dialog = el(
    "dialog",
    { class: "help", attrs: { "aria-label": "Help" } },
    el("header", {}, el("h2", {}, "Keys"), close),
    el("label", { class: "single-keys" }, box, "Letters, digits and signs are shortcuts"),
    el("div", { class: "help-groups" }, ...groups),
    el("p", { class: "quiet" }, pointer),
    isLive ? el("p", { class: "quiet" }, LIVE_HINT) : null,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

function keyLabel(key: string): string {
  return key
    .split("+")
    .map((part, i, all) =>
      part === "" && i === all.length - 1 ? "+" : (SHOWN[part] ?? (part.length === 1 ? part.toUpperCase() : part)),
    )
    .filter((part, i, all) => !(part === "+" && all.length > 1 && i === 0))
    .join(" ");
}

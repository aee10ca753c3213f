import { el, icon, onClick } from "../../ui/dom";
import { count } from "../format";
import { embedCode, pageAt } from "../moments";
import type { Site } from "../view";
import { act, ICONS } from "./bits";

export interface Shared {
  /** path of the page */
  path: string;
  title: string;
  /** whether other sites can show it in a frame */
  embeds: boolean;
  /** the tick that the page shows now */
  tick: () => number | null;
}

/** What the viewers of both engines offer the page around them. */
interface ViewerWindow {
  readonly mettascope?: { readonly app?: { readonly left?: unknown; readonly tick?: number } };
  readonly matchPage?: { readonly tick: number | null };
}

/** Return the tick that a viewer in a frame of this page shows; null while it loads. */
export function tickIn(frame: HTMLIFrameElement | null): number | null {
  try {
    const { mettascope, matchPage } = (frame?.contentWindow ?? {}) as ViewerWindow;
    const tick = mettascope?.app?.left ? mettascope.app.tick : matchPage?.tick;
    return typeof tick === "number" && Number.isFinite(tick) ? tick : null;
  } catch {
    return null; // the frame shows a page of another site
  }
}

/** A button that opens the share menu: a link to the page, to this moment, and the code for other sites. */
export function shareButton(site: Site, shared: Shared): HTMLElement {
  const button = el("button", {
    class: "button bordered",
    attrs: { type: "button", "data-act": `share ${shared.path}` },
  });
  button.append(icon(ICONS.share), "Share");
  onClick(button, () => openMenu(site, shared));
  return button;
}

function openMenu(site: Site, shared: Shared): void {
  const tick = shared.tick();
  const moment = el("input", { id: "share-moment", attrs: { type: "checkbox" } });
  moment.checked = tick !== null;
  const address = el("input", { class: "field", id: "share-link", attrs: { type: "text", readonly: true } });
  const code = el("textarea", { class: "field code", id: "share-embed", attrs: { readonly: true, rows: 3 } });
  const show = () => {
    const at = moment.checked ? tick : null;
    address.value = location.origin + pageAt(shared.path, at);
    code.value = embedCode(location.origin, shared.path, at, shared.title);
  };
  show();
  moment.addEventListener("change", show);
  const dialog = el(
    "dialog",
    { class: "panel confirm share-dialog", attrs: { "aria-labelledby": "share-title" } },
    el("h2", { id: "share-title" }, "Share"),
    tick === null
      ? null
      : el(
          "label",
          { class: "check", attrs: { for: "share-moment" } },
          moment,
          `Start at this moment (tick ${count(tick)})`,
        ),
    el("label", { attrs: { for: "share-link" } }, "Link"),
    el("div", { class: "row" }, address, copyButton(site, address, "link")),
    shared.embeds ? el("label", { attrs: { for: "share-embed" } }, "Show it on another site") : null,
    shared.embeds ? el("div", { class: "row" }, code, copyButton(site, code, "code")) : null,
    el(
      "p",
      { class: "actions" },
      "share" in navigator
        ? act("Send …", () => void navigator.share({ title: shared.title, url: address.value }).catch(() => undefined))
        : null,
      act("Close", () => dialog.close()),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  address.select();
}

function copyButton(site: Site, source: HTMLInputElement | HTMLTextAreaElement, what: string): HTMLElement {
  const button = act("Copy", () => {
    const done = () => site.say(`The ${what} is in the clipboard`);
    const select = () => {
      source.select();
      site.say("Copy the selected text");
    };
    if (navigator.clipboard) navigator.clipboard.writeText(source.value).then(done, select);
    else select();
  });
  button.setAttribute("aria-label", `Copy the ${what}`);
  return button;
}

import { el, replace } from "../../ui/dom";

const SECONDS = 3.5;
/** A link stays long enough to copy it by hand. */
const SECONDS_WITH_LINK = 20;

/** A short message above the timeline that disappears by itself. */
export class Notice {
  readonly element = el("div", { class: "notice", attrs: { role: "status" } });
  private timer = 0;

  constructor() {
    this.element.hidden = true;
  }

  /** Show a sentence, and a link to copy. */
  say(text: string, link = ""): void {
    const field = el("input", { class: "field", attrs: { readonly: true, value: link, "aria-label": "Link" } });
    replace(this.element, text, link ? field : null);
    this.element.hidden = false;
    if (link) field.select();
    clearTimeout(this.timer);
    const seconds = link ? SECONDS_WITH_LINK : SECONDS;
    this.timer = window.setTimeout(() => (this.element.hidden = true), seconds * 1000);
  }
}

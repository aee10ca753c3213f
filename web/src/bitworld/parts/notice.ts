import { button, el, setText } from "../../ui/dom";
import type { Status } from "./connection";

/** A card over the picture while there is no connection. */
export class Notice {
  readonly element: HTMLElement;
  private readonly text = el("p", { attrs: { "data-testid": "notice" } });
  private readonly again: HTMLButtonElement;

  constructor(retry: () => void) {
    this.again = button("Connect again", "", retry, "Connect again");
    this.again.classList.add("strong");
    this.element = el("div", { class: "notice" }, this.text, this.again);
    this.element.hidden = true;
  }

  show(status: Status): void {
    this.element.hidden = status.state === "open";
    this.again.hidden = status.state === "connecting";
    setText(this.text, status.text);
  }
}

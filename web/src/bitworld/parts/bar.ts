import { button, el, setText } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import { nextTheme } from "../../ui/theme";
import type { Status } from "./connection";

/** The bar above every page: game, detail, state of the connection, theme. */
export class Bar {
  readonly element: HTMLElement;
  private readonly title = el("h1", {}, "BitWorld");
  private readonly detail = el("span", { class: "quiet bar-detail" });
  private readonly status = el("span", { class: "status", attrs: { role: "status", "data-testid": "status" } });

  constructor(...controls: HTMLElement[]) {
    this.element = el(
      "header",
      { class: "bar" },
      this.title,
      this.detail,
      el("span", { class: "grow" }),
      this.status,
      ...controls,
      button("Change the theme", ICONS.theme, nextTheme),
    );
  }

  name(title: string, detail: string): void {
    setText(this.title, title);
    setText(this.detail, detail);
    document.title = detail ? `${detail} · ${title}` : title;
  }

  show(status: Status): void {
    this.status.dataset.state = status.state;
    setText(this.status, status.text);
  }
}

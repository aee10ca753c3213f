import { el, renew } from "../../pages/dom";
import { link } from "../parts/bits";
import { to } from "../router";
import { View } from "../view";

/** An address that leads nowhere. */
export class MissingView extends View {
  override title = "Not found";

  draw(): void {
    this.content.hidden = false;
    renew(
      this.content,
      el("h1", {}, "There is nothing here"),
      el("p", {}, "The address leads to no page of this league."),
      el("p", { class: "actions" }, link(to.home(), "All seasons"), link(to.queue(), "What is running")),
    );
  }
}

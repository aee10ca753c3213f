import { el, renew } from "../../ui/dom";
import { link } from "../parts/bits";
import { to } from "../router";
import { View } from "../view";

/** The page for unknown addresses. */
export class MissingView extends View {
  override title = "Not found";

  draw(): void {
    this.content.hidden = false;
    renew(
      this.content,
      el("h1", {}, "Page not found"),
      el("p", {}, "This address does not exist in this league."),
      el("p", { class: "actions" }, link(to.home(), "Front page"), link(to.queue(), "Queue")),
    );
  }
}

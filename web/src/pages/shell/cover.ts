import { button, el, replace } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App } from "../app";
import { spriteIcon } from "../sprite-icon";

interface OpenActions {
  openFile(): void;
  openAddress(address: string): void;
}

/** The card over the boards: welcome, progress of loading, errors. */
export class Cover {
  readonly element = el("div", { class: "cover" });

  constructor(
    private readonly app: App,
    private readonly actions: OpenActions,
  ) {}

  hide(): void {
    this.element.hidden = true;
  }

  showWelcome(): void {
    const cog = spriteIcon("cog:scout", { main: "#3fa9c9" });
    cog.width = cog.height = 72;
    const hint = "Drop a replay here, choose a file, or enter an address. Files stay on your machine.";
    this.show(
      el("div", { class: "card" }, cog, el("h2", {}, "MettaScope"), el("p", { class: "quiet" }, hint), this.openers()),
    );
  }

  /** Show progress; `part` is between 0 and 1, or null if unknown. */
  showProgress(sentence: string, part: number | null = null): void {
    const bar = el("progress", { attrs: part === null ? {} : { value: part, max: 1 } });
    this.show(el("div", { class: "card", attrs: { role: "status" } }, el("p", {}, sentence), bar));
  }

  /** Show an error in one sentence. An open replay stays. */
  showError(message: string): void {
    const card = el(
      "div",
      { class: "card" },
      el("p", { class: "error", attrs: { role: "alert", "data-testid": "error" } }, message),
    );
    if (this.app.left) {
      const back = el("button", { class: "button", attrs: { type: "button" } }, "Back to the replay");
      back.addEventListener("click", () => this.hide());
      card.append(back);
    }
    if (!this.app.live) card.append(this.openers());
    this.show(card);
  }

  private show(card: HTMLElement): void {
    this.element.hidden = false;
    replace(this.element, card);
  }

  private openers(): HTMLElement {
    const field = el("input", {
      class: "field",
      attrs: { type: "url", placeholder: "https://…/episode.json.z", "aria-label": "Address of a replay" },
    });
    const form = el(
      "form",
      { class: "fields" },
      field,
      el("button", { class: "button", attrs: { type: "submit" } }, "Load"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value) this.actions.openAddress(field.value);
    });
    return el(
      "div",
      { class: "openers" },
      button("Open a file (Shift O)", ICONS.open, () => this.actions.openFile(), "Open a file"),
      form,
    );
  }
}

import { vibeSprite } from "../../board/vibes";
import { button, el, onClick, setText } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App } from "../app";
import { spriteIcon } from "../sprite-icon";
import type { LiveGame } from "./game";

/** A chooser for the vibe of the driven cog. */
export class VibePicker {
  readonly element: HTMLElement;
  private readonly grid = el("div", { class: "vibe-grid", attrs: { role: "menu", "aria-label": "Vibes" } });
  /** of the vibe under the pointer */
  private readonly name = el("p", { class: "vibe-name quiet" });
  private shownNames = "none";

  constructor(
    private readonly app: App,
    private readonly game: LiveGame,
  ) {
    const open = button("Change the vibe (E)", ICONS.vibe, () => this.toggle(), "Vibe");
    open.dataset.testid = "vibe";
    this.grid.hidden = true;
    this.grid.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.close();
    });
    this.element = el("div", { class: "vibe-picker" }, open, this.grid);
  }

  toggle(): void {
    if (!this.grid.hidden) return this.close();
    this.fill();
    this.grid.hidden = false;
    this.grid.querySelector("button")?.focus();
  }

  close(): void {
    // A hidden field must not receive the next key.
    if (this.grid.contains(document.activeElement)) (document.activeElement as HTMLElement).blur();
    this.grid.hidden = true;
  }

  private fill(): void {
    const { parts } = this.app.left!.replay;
    const names = parts.vibeNames.filter((name) => parts.actionNames.includes(`change_vibe_${name}`));
    if (this.shownNames === names.join()) return;
    this.shownNames = names.join();
    const choices = names.map((name) => {
      const choice = el(
        "button",
        { class: "vibe", title: name, attrs: { type: "button", role: "menuitem", "data-vibe": name } },
        spriteIcon(vibeSprite(name), {}, name),
      );
      const showName = () => setText(this.name, name.replaceAll("_", " "));
      choice.addEventListener("focus", showName);
      choice.addEventListener("pointerenter", showName);
      onClick(choice, () => {
        this.game.driver?.vibe(`change_vibe_${name}`);
        this.close();
      });
      return choice;
    });
    setText(this.name, choices.length ? "" : "This game has no vibes to choose from");
    this.grid.replaceChildren(...choices, this.name);
  }
}

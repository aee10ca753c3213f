import { button, el } from "../../ui/dom";
import type { GameInfo } from "../wire";

const MAX_NAME = 64;

/** Ask for the name of the player, and put it into the address of the page. */
export function askName(app: HTMLElement, game: GameInfo): Promise<void> {
  return new Promise((done) => {
    const field = el("input", { class: "field", attrs: { maxlength: MAX_NAME, autocomplete: "nickname", id: "name" } });
    const join = () => {
      const name = field.value.trim();
      if (!name) return field.focus();
      const address = new URL(location.href);
      address.searchParams.set("name", name);
      history.replaceState(null, "", address);
      done();
    };
    const play = button("Play", "", join, "Play");
    play.classList.add("strong");
    // A form would not submit: pages in a sandboxed frame may not.
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") join();
    });
    app.className = "join";
    app.replaceChildren(
      el(
        "main",
        { class: "card" },
        el("h1", {}, game.title),
        el("p", { class: "quiet" }, game.summary),
        el("label", { attrs: { for: "name" } }, "Your name"),
        el("div", { class: "row" }, field, play),
      ),
    );
    document.title = game.title;
    field.focus();
  });
}

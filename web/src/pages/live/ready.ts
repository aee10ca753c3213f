import { el, onClick, setText } from "../../ui/dom";
import type { App } from "../app";
import type { LiveGame } from "./game";

const SECONDS = 3;

/** A ready button before the game begins, a countdown after it, and the goal of the game until the first step. */
export class ReadyCard {
  readonly element = el("section", { class: "ready", attrs: { "aria-label": "Ready", "data-testid": "ready" } });
  private readonly title = el("h2");
  private readonly goal = el("p", { class: "lesson-text" });
  private readonly hint = el("p", { class: "quiet" });
  private readonly button = el(
    "button",
    { class: "button framed ready-button", attrs: { type: "button", "data-testid": "ready-button" } },
    "Ready",
  );
  private readonly count = el("span", { class: "ready-count", attrs: { role: "timer", "aria-label": "Countdown" } });
  private left = 0;
  private timer = 0;
  private hasFocused = false;

  constructor(
    private readonly app: App,
    private readonly game: LiveGame,
  ) {
    onClick(this.button, () => this.begin());
    this.count.hidden = true;
    this.element.hidden = true;
    this.element.append(this.title, this.goal, this.hint, el("div", { class: "ready-row" }, this.button, this.count));
  }

  update(): void {
    const { game } = this;
    const isShown = game.awaitsReady && this.app.left !== null;
    if (!isShown) clearInterval(this.timer);
    if (this.element.hidden === !isShown) return;
    this.element.hidden = !isShown;
    if (!isShown) return;
    setText(this.title, game.title || "The game");
    setText(this.goal, game.goal?.text ?? "");
    setText(this.hint, game.goal?.hint ?? "");
    this.goal.hidden = !game.goal?.text;
    this.hint.hidden = !game.goal?.hint;
    if (!this.hasFocused && document.activeElement === document.body) this.button.focus({ preventScroll: true });
    this.hasFocused = true;
  }

  private begin(): void {
    if (this.left) return;
    this.left = SECONDS;
    this.button.disabled = true;
    this.count.hidden = false;
    setText(this.count, String(this.left));
    this.timer = window.setInterval(() => this.tick(), 1000);
  }

  private tick(): void {
    setText(this.count, String(--this.left));
    if (this.left) return;
    clearInterval(this.timer);
    this.button.disabled = false;
    this.count.hidden = true;
    this.game.becomeReady();
  }
}

/** The goal of the game and a hint, beside the board while the user plays. */
export class GoalCard {
  readonly element = el("details", { class: "goal", attrs: { "data-testid": "game-goal" } });
  private readonly text = el("p", { class: "lesson-text" });
  private readonly hint = el("p", { class: "quiet" });

  constructor(private readonly game: LiveGame) {
    this.element.hidden = true;
    this.element.open = !globalThis.matchMedia?.("(max-width: 760px)").matches;
    this.element.append(el("summary", {}, "Goal"), this.text, this.hint);
  }

  update(): void {
    const { game } = this;
    this.element.hidden = !game.goal || game.lesson !== null || game.driven < 0;
    if (this.element.hidden) return;
    setText(this.text, game.goal!.text);
    setText(this.hint, game.goal!.hint);
  }
}

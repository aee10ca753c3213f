import { el, setText } from "../../ui/dom";
import { act } from "./bits";

const SECONDS = 3;

/** A ready button, and a countdown after it. The game waits: its page is loaded when the countdown ends. */
export class Ready {
  readonly element = el("div", { class: "ready", attrs: { "data-testid": "ready" } });
  isReady = false;
  private left = 0;
  private timer = 0;
  private readonly button = act("Ready", () => this.begin(), "solid");
  private readonly count = el("p", { class: "ready-count", attrs: { role: "timer", "aria-label": "Countdown" } });

  constructor(private readonly begins: () => void) {
    this.element.append(
      el("p", {}, "The game waits for you. It begins three seconds after you press Ready."),
      this.button,
      this.count,
    );
    this.count.hidden = true;
  }

  close(): void {
    clearInterval(this.timer);
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
    this.close();
    this.isReady = true;
    this.button.blur(); // the game's frame takes the keyboard when it has loaded
    this.begins();
  }
}

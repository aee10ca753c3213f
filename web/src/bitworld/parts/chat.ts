import { button, el } from "../../ui/dom";
import { ICONS } from "../../ui/icons";

const MAX_CHAT = 320;

/** A line for chat. T focuses it, Enter sends and returns to the game, Escape returns without sending. */
export class ChatBox {
  readonly element: HTMLElement;
  private readonly field: HTMLInputElement;

  constructor(private readonly say: (text: string) => void) {
    this.field = el("input", {
      class: "field",
      attrs: {
        maxlength: MAX_CHAT,
        placeholder: "Say something",
        "aria-label": "Chat message",
        autocomplete: "off",
        enterkeyhint: "send",
        "data-testid": "chat",
      },
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) this.send();
      else if (event.key === "Escape") this.field.blur();
    });
    this.element = el(
      "div",
      { class: "chat" },
      this.field,
      button("Send", ICONS.talk, () => this.send()),
    );
  }

  listen(): void {
    addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof HTMLInputElement;
      if (event.code !== "KeyT" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.field.focus();
    });
  }

  private send(): void {
    const text = this.field.value.trim();
    if (text) this.say(text);
    this.field.value = "";
    this.field.blur();
  }
}

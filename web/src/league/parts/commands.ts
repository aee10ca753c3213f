/** Commands for a terminal, with a button that copies them. */
import { el } from "../../ui/dom";

/** A command and a button that copies it. */
export function command(text: string): HTMLElement {
  const copy = el("button", { class: "button bordered", attrs: { type: "button" } }, "Copy");
  // The text is an attribute of the element, so that the handler stays right when the element is reused.
  const line = el("p", { class: "command", attrs: { "data-command": text } }, el("code", {}, text), copy);
  copy.addEventListener("click", () => {
    void navigator.clipboard?.writeText(line.dataset.command ?? "").then(() => {
      copy.textContent = "Copied";
      setTimeout(() => {
        copy.textContent = "Copy";
      }, 1500);
    });
  });
  return line;
}

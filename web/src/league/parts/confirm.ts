import { el } from "../../ui/dom";
import { act } from "./bits";

/** What a dialog asks before an action that cannot be undone. */
export interface Question {
  title: string;
  text: string;
  /** the consequences, a sentence each */
  list?: readonly string[];
  /** the words on the button that acts */
  action: string;
  /** ask for a reason, which the action gets */
  reason?: string;
}

/** Ask before an action; return the reason (may be empty), or null if the user keeps things as they are. */
export function confirmed(question: Question): Promise<string | null> {
  return new Promise((resolve) => {
    let answer: string | null = null;
    const reason = el("input", {
      class: "field",
      id: "confirm-reason",
      attrs: { type: "text", maxlength: 1000, autocomplete: "off" },
    });
    const dialog = el(
      "dialog",
      { class: "panel confirm", attrs: { "aria-labelledby": "confirm-title" } },
      el("h2", { id: "confirm-title" }, question.title),
      el("p", {}, question.text),
      question.list?.length ? el("ul", {}, ...question.list.map((line) => el("li", {}, line))) : null,
      question.reason && el("label", { attrs: { for: "confirm-reason" } }, question.reason),
      question.reason && reason,
    );
    const accept = el("button", { class: "button is-danger", attrs: { type: "button" } }, question.action);
    accept.addEventListener("click", () => {
      answer = reason.value.trim();
      dialog.close();
    });
    dialog.append(
      el(
        "p",
        { class: "actions" },
        accept,
        act("Keep", () => dialog.close()),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

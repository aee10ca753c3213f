import { el } from "../../ui/dom";
import { act } from "./bits";

const MOST = 10;

/** Environment variables for the policy's process; optional, and never shown again. */
export class SecretFields {
  readonly element = el("details", { class: "secrets" });
  private readonly rows = el("div", { class: "column" });

  constructor() {
    const more = act("Add a variable", () => this.add());
    this.element.append(
      el("summary", {}, "Secrets"),
      el(
        "p",
        { class: "quiet small" },
        `Up to ${MOST} environment variables, visible only to this policy's process. The server stores them encrypted and never shows them again.`,
      ),
      this.rows,
      more,
    );
  }

  private add(): void {
    if (this.rows.children.length >= MOST) return;
    const key = el("input", {
      class: "field",
      attrs: {
        type: "text",
        placeholder: "API_KEY",
        "aria-label": "Variable name",
        pattern: "[A-Z_][A-Z0-9_]*",
        maxlength: 100,
        autocomplete: "off",
      },
    });
    const value = el("input", {
      class: "field",
      attrs: { type: "password", "aria-label": "Variable value", maxlength: 2000, autocomplete: "off" },
    });
    const row = el("p", { class: "fields" }, key, value);
    row.append(act("Remove", () => row.remove()));
    this.rows.append(row);
    key.focus();
  }

  read(): Record<string, string> | null {
    const secrets: Record<string, string> = {};
    for (const row of this.rows.children) {
      const [key, value] = row.querySelectorAll("input");
      if (key.value.trim()) secrets[key.value.trim()] = value.value;
    }
    return Object.keys(secrets).length ? secrets : null;
  }

  clear(): void {
    this.rows.replaceChildren();
    this.element.open = false;
  }
}

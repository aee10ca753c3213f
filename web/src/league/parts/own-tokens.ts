import { el, renew } from "../../ui/dom";
import type { OwnToken } from "../api-types";
import { count } from "../format";
import type { Site } from "../view";
import { act, chip, empty, name, Part, problem, time } from "./bits";
import { confirmed } from "./confirm";
import { LiveTable } from "./table";

const PATH = "/observatory/api/tokens";

/** The user's own tokens: create one, see when each was last used, revoke one. */
export class OwnTokens {
  readonly element: HTMLElement;
  private readonly part = new Part("Your tokens");
  private readonly answer = el("div", { attrs: { role: "status" } });
  private readonly title = el("input", {
    class: "field",
    id: "token-name",
    attrs: { type: "text", maxlength: 255, autocomplete: "off", required: true },
  });
  private readonly days = el("input", {
    class: "field",
    id: "token-days",
    attrs: { type: "number", min: 1, value: 90 },
  });
  private readonly scope = el(
    "select",
    { class: "field", id: "token-scope" },
    el("option", { attrs: { value: "write" } }, "read and write"),
    el("option", { attrs: { value: "" } }, "only read"),
  );
  private readonly table = new LiveTable<OwnToken>(
    "Your tokens",
    [
      {
        title: "Token",
        kind: "name",
        cell: (row) => [
          name(row.name),
          el("code", { class: "small" }, ` ${row.preview}`),
          row.is_expired ? chip("out", "expired") : null,
          row.scopes.includes("write") ? null : chip("plain", "only read"),
        ],
      },
      { title: "Last used", cell: (row) => (row.last_used_at ? time(row.last_used_at) : "not known") },
      { title: "Expires", from: "tablet", cell: (row) => (row.expires_at ? time(row.expires_at) : "never") },
      {
        title: "",
        cell: (row) => {
          const button = act("Revoke …", () => void this.revoke(row), "", `revoke ${row.id}`);
          button.setAttribute("aria-label", `Revoke ${row.name}`);
          return button;
        },
      },
    ],
    (row) => row.id,
  );

  constructor(private readonly site: Site) {
    this.element = this.part.element;
    const form = el(
      "form",
      { class: "column" },
      line("token-name", "Name of a new token", this.title),
      line("token-scope", "May", this.scope),
      line("token-days", "Days until it expires", this.days),
      el(
        "p",
        { class: "actions" },
        el("button", { class: "button bordered", attrs: { type: "submit" } }, "Create token"),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.create();
    });
    this.part.heading.after(form, this.answer);
    this.part.body.append(this.table.element);
    if (site.api.me?.signed_in) void this.load();
  }

  private async load(): Promise<void> {
    try {
      const rows = await this.site.api.get(PATH, {});
      this.table.update(rows);
      this.part.show(`Your tokens (${count(rows.length)})`, rows.length > 0, empty("You have no tokens."));
    } catch (error) {
      this.part.show("Your tokens", false, problem(error as Error));
    }
  }

  private async create(): Promise<void> {
    try {
      const made = await this.site.api.post(
        PATH,
        {},
        {
          name: this.title.value.trim(),
          scopes: this.scope.value ? [this.scope.value] : [],
          expires_in_days: Math.max(1, Math.round(Number(this.days.value) || 90)),
        },
      );
      this.title.value = "";
      this.answer.replaceChildren(
        el("label", { attrs: { for: "token-text" } }, "Copy the token. It is shown only now."),
        el("input", {
          class: "field mono",
          id: "token-text",
          attrs: { type: "text", readonly: true, value: made.token },
        }),
      );
      await this.load();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }

  private async revoke(row: OwnToken): Promise<void> {
    const answer = await confirmed({
      title: `Revoke ${row.name}?`,
      text: "Programs that use this token are refused at once. It cannot be undone; a new token can be created.",
      action: "Revoke",
    });
    if (answer === null) return;
    try {
      await this.site.api.post(`${PATH}/{token_id}/revoke`, { token_id: row.id });
      this.site.say(`Revoked ${row.name}`);
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
    await this.load();
  }
}

function line(id: string, title: string, control: HTMLElement): HTMLElement {
  return el("p", { class: "setting" }, el("label", { attrs: { for: id } }, title), control);
}

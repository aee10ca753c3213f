import { el, renew } from "../../ui/dom";
import type { InvitationRow } from "../api-types";
import { count } from "../format";
import type { Site } from "../view";
import { act, chip, empty, name, Part, problem, time } from "./bits";
import { confirmed } from "./confirm";
import { LiveTable } from "./table";

const PATH = "/observatory/api/admin/invitations";
const TONES: Record<InvitationRow["state"], string> = {
  open: "open",
  used: "complete",
  expired: "out",
  revoked: "out",
};

/** Invitations: create a link, see which were used, revoke one. */
export class Invitations {
  readonly element: HTMLElement;
  private readonly part = new Part("Invitations");
  private readonly answer = el("div", { attrs: { role: "status" } });
  private readonly note = input("invite-note", "text", "");
  private readonly days = input("invite-days", "number", "3");
  private readonly uses = input("invite-uses", "number", "1");
  private readonly role = el(
    "select",
    { class: "field", id: "invite-role" },
    el("option", { attrs: { value: "" } }, "user"),
    el("option", { attrs: { value: "admin" } }, "administrator"),
  );
  private readonly table = new LiveTable<InvitationRow>(
    "Invitations",
    [
      {
        title: "For",
        kind: "name",
        cell: (row) => [
          row.account ? ["a new password of ", row.account].join("") : name(row.note || "anyone with the link"),
          " ",
          row.is_admin ? chip("active", "administrator") : null,
        ],
      },
      { title: "State", cell: (row) => chip(TONES[row.state], row.state) },
      { title: "Used", kind: "number", cell: (row) => `${count(row.uses)} of ${count(row.max_uses)}` },
      { title: "Expires", from: "tablet", cell: (row) => time(row.expires_at) },
      { title: "By", from: "desktop", cell: (row) => row.created_by ?? "–" },
      {
        title: "",
        cell: (row) => {
          if (row.state !== "open") return "";
          const button = act("Revoke …", () => void this.revoke(row), "", `revoke ${row.id}`);
          button.setAttribute("aria-label", `Revoke the invitation for ${row.account ?? (row.note || "anyone")}`);
          return button;
        },
      },
    ],
    (row) => row.id,
  );

  constructor(private readonly site: Site) {
    this.element = el("div", { class: "column" });
    const create = el(
      "form",
      { class: "panel", attrs: { "aria-labelledby": "invite-title" } },
      el("h2", { id: "invite-title" }, "Invite"),
      line("invite-note", "For", this.note, "a note for administrators"),
      line("invite-days", "Days until it expires", this.days, ""),
      line("invite-uses", "Accounts it may create", this.uses, ""),
      line("invite-role", "Role", this.role, "of the new accounts"),
      el("p", { class: "actions" }, el("button", { class: "button solid", attrs: { type: "submit" } }, "Create link")),
      this.answer,
    );
    create.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.create();
    });
    this.part.body.append(this.table.element);
    this.element.append(create, this.part.element);
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      const rows = await this.site.api.get(PATH, {});
      this.table.update(rows);
      this.part.show(`Invitations (${count(rows.length)})`, rows.length > 0, empty("No invitations were made."));
    } catch (error) {
      this.part.show("Invitations", false, problem(error as Error));
    }
  }

  private async create(): Promise<void> {
    try {
      const made = await this.site.api.post(
        PATH,
        {},
        {
          note: this.note.value.trim(),
          expires_in_hours: Math.max(1, Math.round(24 * (Number(this.days.value) || 3))),
          max_uses: Math.max(1, Math.round(Number(this.uses.value) || 1)),
          is_admin: this.role.value === "admin",
        },
      );
      const shown = el("input", {
        class: "field mono",
        id: "invite-link",
        attrs: { type: "text", readonly: true, value: made.url },
      });
      this.answer.replaceChildren(
        el("label", { attrs: { for: "invite-link" } }, "Send this link. It is shown only now."),
        shown,
        act("Copy the link", () => void navigator.clipboard.writeText(made.url).then(() => this.site.say("Copied"))),
      );
      shown.select();
      await this.load();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }

  private async revoke(row: InvitationRow): Promise<void> {
    const answer = await confirmed({
      title: "Revoke the invitation?",
      text: "The link stops working. Accounts that were made with it stay. A new link can be made at any time.",
      action: "Revoke",
    });
    if (answer === null) return;
    try {
      await this.site.api.post(`${PATH}/{invitation_id}/revoke`, { invitation_id: row.id });
      this.site.say("The link does not work any more");
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
    await this.load();
  }
}

function input(id: string, type: string, value: string): HTMLInputElement {
  return el("input", { class: "field", id, attrs: { type, value, min: 1, maxlength: 200, autocomplete: "off" } });
}

function line(id: string, title: string, control: HTMLElement, about: string): HTMLElement {
  return el(
    "p",
    { class: "setting" },
    el("label", { attrs: { for: id } }, title),
    control,
    el("span", { class: "small quiet" }, about),
  );
}

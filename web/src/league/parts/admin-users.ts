import { el, renew } from "../../ui/dom";
import type { UserLine, UsersPage } from "../api-types";
import { bytes, count } from "../format";
import type { Site } from "../view";
import { act, chip, empty, name, Part, problem, time } from "./bits";
import { confirmed } from "./confirm";
import { QuotaDialog } from "./quota-dialog";
import { LiveTable } from "./table";

const PATH = "/observatory/api/admin/people";

/** Accounts: search, roles, disabling, quotas. */
export class Users {
  readonly element: HTMLElement;
  private readonly part = new Part("Users");
  private readonly answer = el("div", { attrs: { role: "status" } });
  private readonly search = el("input", {
    class: "field",
    id: "user-search",
    attrs: { type: "search", autocomplete: "off", placeholder: "name or address" },
  });
  private page: UsersPage | null = null;
  private asked = 0;
  private readonly table = new LiveTable<UserLine>(
    "Users",
    [
      {
        title: "Name",
        kind: "name",
        cell: ({ user }) => [
          name(user.name ?? user.email),
          el("span", { class: "quiet small" }, " ", name(user.email)),
          user.is_admin ? chip("active", "administrator") : null,
          user.disabled_at ? chip("out", "disabled") : null,
        ],
      },
      { title: "Stored", from: "tablet", cell: (row) => this.stored(row) },
      { title: "Uploads today", kind: "number", from: "desktop", cell: (row) => this.uploads(row) },
      { title: "Since", from: "desktop", cell: ({ user }) => time(user.created_at) },
      { title: "", cell: (row) => el("span", { class: "actions" }, ...this.actions(row)) },
    ],
    (row) => row.user.id,
  );

  constructor(private readonly site: Site) {
    this.element = this.part.element;
    this.search.addEventListener("input", () => void this.load());
    const form = el("p", { class: "setting" }, el("label", { attrs: { for: "user-search" } }, "Search"), this.search);
    this.part.heading.after(form, this.answer);
    this.part.body.append(this.table.element);
    void this.load();
  }

  private async load(): Promise<void> {
    const number = ++this.asked;
    try {
      const page = await this.site.api.get(PATH, {}, { q: this.search.value });
      if (number !== this.asked) return;
      this.page = page;
      this.table.update(page.users);
      const more = page.total > page.users.length ? `, the first ${count(page.users.length)} shown` : "";
      this.part.show(`Users (${count(page.total)}${more})`, page.users.length > 0, empty("No account fits."));
    } catch (error) {
      this.part.show("Users", false, problem(error as Error));
    }
  }

  private stored({ quota }: UserLine): string {
    const limit = quota.max_stored_bytes ?? this.page?.default_max_stored_bytes ?? 0;
    return `${bytes(quota.stored_bytes)} of ${bytes(limit)}`;
  }

  private uploads({ quota }: UserLine): string {
    const limit = quota.max_uploads_per_day ?? this.page?.default_max_uploads_per_day ?? 0;
    return `${count(quota.uploads_today)} of ${count(limit)}`;
  }

  private actions(row: UserLine): HTMLElement[] {
    const { user } = row;
    const button = (text: string, run: () => void) => {
      const control = act(text, run, "", `${text} ${user.id}`);
      control.setAttribute("aria-label", `${text.replace(" …", "")} ${user.email}`);
      return control;
    };
    return [
      button("Quota …", () => void this.quota(row)),
      button(user.is_admin ? "Make user …" : "Make administrator …", () => void this.role(row)),
      button(user.disabled_at ? "Enable …" : "Disable …", () => void this.disable(row)),
    ];
  }

  private async role({ user }: UserLine): Promise<void> {
    const list = user.is_admin
      ? ["They cannot manage seasons, users and workers any more", "Their policies stay"]
      : ["They can manage seasons, users and workers, and see private seasons", "Every decision is in the audit log"];
    const action = user.is_admin ? "Make user" : "Make administrator";
    await this.ask(user.id, `${action}: ${user.email}?`, list, action, { is_admin: !user.is_admin });
  }

  private async disable({ user }: UserLine): Promise<void> {
    const list = user.disabled_at
      ? ["They can sign in again", "Their tokens that have not expired work again"]
      : [
          "They are signed out everywhere and cannot sign in",
          "Their tokens stop working",
          "Their policies keep playing",
        ];
    const action = user.disabled_at ? "Enable" : "Disable";
    await this.ask(user.id, `${action} ${user.email}?`, list, action, { disabled: !user.disabled_at });
  }

  private async ask(
    id: string,
    title: string,
    list: string[],
    action: string,
    body: { is_admin?: boolean; disabled?: boolean },
  ): Promise<void> {
    if ((await confirmed({ title, text: "This happens now, and can be undone:", list, action })) === null) return;
    await this.attempt(() => this.site.api.post(`${PATH}/{user_id}`, { user_id: id }, body), "Saved");
  }

  private async quota(row: UserLine): Promise<void> {
    const { page } = this;
    const limits = page && (await new QuotaDialog(row, page).ask());
    if (limits) {
      const words = { user_id: row.user.id };
      await this.attempt(() => this.site.api.put(`${PATH}/{user_id}/quota`, words, limits), "Saved the quota");
    }
  }

  private async attempt(run: () => Promise<unknown>, done: string): Promise<void> {
    try {
      await run();
      renew(this.answer);
      this.site.say(done);
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
    await this.load();
  }
}

import { el, renew } from "../../ui/dom";
import { address } from "../api";
import type { AuditPage, AuditRow } from "../api-types";
import type { Site } from "../view";
import { empty, name, time } from "./bits";
import { PagedPane } from "./paged";
import { LiveTable } from "./table";

const PATH = "/observatory/api/admin/audit-log";

/** The audit log: who did what and when, with filters, page by page. */
export class AuditLog extends PagedPane<AuditRow, AuditPage> {
  private readonly action = el("select", { class: "field", id: "audit-action" });
  private readonly actor = text("audit-actor", "name");
  private readonly words = text("audit-text", "season, account, worker …");
  private readonly saved = el("p", { class: "actions" });
  private readonly table = new LiveTable<AuditRow>(
    "Audit log",
    [
      { title: "When", cell: (row) => time(row.at) },
      { title: "Actor", kind: "name", cell: (row) => name(row.actor) },
      { title: "Action", cell: (row) => el("span", { class: "mono small" }, row.action) },
      { title: "Details", cell: (row) => el("span", { class: "small" }, name(details(row))) },
    ],
    (row) => this.key(row),
  );

  constructor(site: Site) {
    super(site, "audit", [], "Audit log");
    for (const control of [this.action, this.actor, this.words])
      control.addEventListener("change", () => {
        this.link();
        this.restart();
      });
    this.filters.className = "column";
    this.filters.append(
      line("audit-action", "Action", this.action),
      line("audit-actor", "Actor", this.actor),
      line("audit-text", "Details contain", this.words),
      this.saved,
    );
    this.place(this.table.element);
    this.link();
    this.show();
  }

  private get query() {
    return { action: this.action.value, actor: this.actor.value, text: this.words.value };
  }

  private link(): void {
    const href = address(`${PATH}.csv`, {}, this.query);
    const button = el("button", { class: "button bordered", attrs: { type: "button" } }, "Download as CSV");
    button.addEventListener("click", () => void this.download(href));
    this.saved.replaceChildren(button);
  }

  /** Fetch the file with the rights of an administrator, which a plain link does not ask for. */
  private async download(href: string): Promise<void> {
    const file = URL.createObjectURL(new Blob([await this.site.api.text(href)], { type: "text/csv" }));
    const anchor = el("a", { attrs: { href: file, download: "audit-log.csv" } });
    anchor.click();
    URL.revokeObjectURL(file);
  }

  protected page(cursor: string | null, signal?: AbortSignal): Promise<AuditPage> {
    return this.site.api.get(PATH, {}, { ...this.query, cursor }, signal);
  }

  protected key(row: AuditRow): string {
    return `${row.at} ${row.action} ${details(row)}`;
  }

  protected drawRows(value: AuditPage): void {
    if (this.action.options.length <= 1 && value.actions.length > 0) {
      const kinds = value.actions.map((kind) => el("option", { attrs: { value: kind } }, kind));
      this.action.replaceChildren(el("option", { attrs: { value: "" } }, "everything"), ...kinds);
    }
    this.table.update(this.rows);
    this.table.element.hidden = this.rows.length === 0;
    renew(this.note, this.rows.length === 0 ? empty("No matching entries.") : null);
  }
}

function details(row: AuditRow): string {
  return Object.entries(row.details)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key} ${value}`)
    .join(", ");
}

function text(id: string, placeholder: string): HTMLInputElement {
  return el("input", { class: "field", id, attrs: { type: "search", autocomplete: "off", placeholder } });
}

function line(id: string, title: string, control: HTMLElement): HTMLElement {
  return el("p", { class: "setting" }, el("label", { attrs: { for: id } }, title), control);
}

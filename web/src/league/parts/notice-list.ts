import { el, renew } from "../../ui/dom";
import type { NoticeLine, NoticesPage } from "../api-types";
import { count, words } from "../format";
import type { Site } from "../view";
import { act, chip, empty, name, time } from "./bits";
import { PagedPane } from "./paged";

const TONES: Record<string, string> = { failure: "failed", promotion: "promoted", challenge: "running" };

/** The notices of the user, newest first. Opening one marks it as read. */
export class NoticeList extends PagedPane<NoticeLine, NoticesPage> {
  private readonly list = el("ul", { class: "notices" });
  private readonly all = act("Mark all as read", () => void this.read(null));

  constructor(site: Site) {
    super(site, "", ["notice"], "Notices");
    this.filters.append(el("p", { class: "actions" }, this.all));
    this.place(this.list);
    this.list.addEventListener("click", (event) => {
      const line = (event.target as Element).closest("a")?.closest("li");
      if (line?.classList.contains("is-unread")) void this.read([line.dataset.id!]);
    });
  }

  protected page(cursor: string | null, signal?: AbortSignal): Promise<NoticesPage> {
    return this.site.api.get("/observatory/api/notices", {}, { cursor }, signal);
  }

  protected key(row: NoticeLine): string {
    return row.id;
  }

  protected drawRows(value: NoticesPage): void {
    this.heading.textContent = value.unread ? `Notices (${count(value.unread)} unread)` : "Notices";
    this.all.hidden = value.unread === 0;
    renew(this.list, ...this.rows.map(line));
    renew(
      this.note,
      this.rows.length
        ? null
        : empty("No notices yet. They tell you about your policies: matches, failures, promotions and challenges."),
    );
  }

  private async read(ids: string[] | null): Promise<void> {
    try {
      await this.site.api.post("/observatory/api/notices/read", {}, { ids });
      this.source.reload();
    } catch (error) {
      this.site.say((error as Error).message);
    }
  }
}

function line(row: NoticeLine): HTMLElement {
  return el(
    "li",
    { class: row.read ? "" : "is-unread", attrs: { "data-id": row.id } },
    el("span", {
      class: "mark",
      attrs: row.read ? { "aria-hidden": "true" } : { role: "img", "aria-label": "Unread" },
    }),
    el("a", { attrs: { href: row.url } }, name(row.title)),
    el("span", { class: "quiet small" }, time(row.updated_at)),
    el("p", { class: "small" }, chip(TONES[row.kind] ?? "plain", words(row.kind)), " ", name(row.text)),
  );
}

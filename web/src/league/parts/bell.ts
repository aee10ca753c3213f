import { el, icon, setText } from "../../ui/dom";
import type { Api } from "../api";
import { counted } from "../format";
import type { Change } from "../live";
import { to } from "../router";
import { Source } from "../source";
import { ICONS } from "./bits";

const MOST_SHOWN = 99;

/** The bell of the header: a link to the notices with the number of unread ones. Hidden without a user. */
export class Bell {
  private readonly badge = el("span", { class: "badge", attrs: { "aria-hidden": "true", hidden: true } });
  readonly element = el(
    "a",
    { class: "button bell", attrs: { href: to.notices(), hidden: true } },
    icon(ICONS.bell),
    this.badge,
  );
  private readonly unread: Source<{ unread: number }>;

  constructor(private readonly api: Api) {
    this.unread = new Source(
      (signal) => api.get("/observatory/api/notices/unread", {}, {}, signal),
      () => this.draw(),
      (change) => change.kind === "notice",
    );
  }

  handleChanges(changes: readonly Change[]): void {
    if (this.api.me?.signed_in) this.unread.handleChanges(changes);
  }

  refresh(): void {
    if (this.api.me?.signed_in) this.unread.reload();
    this.draw();
  }

  private draw(): void {
    const unread = this.unread.value?.unread ?? 0;
    const text = unread ? `Notices, ${counted(unread, "unread notice")}` : "Notices";
    this.element.hidden = !this.api.me?.signed_in;
    this.element.title = text;
    this.element.setAttribute("aria-label", text);
    this.badge.hidden = unread === 0;
    setText(this.badge, unread > MOST_SHOWN ? `${MOST_SHOWN}+` : String(unread));
  }
}

import { el, renew } from "../../ui/dom";
import { RequestError } from "../api";
import type { Change } from "../live";
import { empty, name, Part } from "../parts/bits";
import { friendlyItem } from "../parts/challenges";
import { meTabs } from "../parts/me-tabs";
import { NoticeList } from "../parts/notice-list";
import { NoticeSettingsForm } from "../parts/notice-settings";
import type { Route } from "../router";
import { type Site, View } from "../view";

/** The notices of the user, their challenges, and the settings of both. */
export class NoticesView extends View {
  override title = "Notices";
  private readonly settings = this.source(
    (signal) => this.signedIn(() => this.site.api.get("/observatory/api/notices/settings", {}, {}, signal)),
    "account",
  );
  private readonly friendlies = this.source(
    (signal) => this.signedIn(() => this.site.api.get("/observatory/api/friendlies", {}, {}, signal)),
    "friendly",
    "notice",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly list: NoticeList;
  private readonly challenges = new Part("Challenges and friendly matches");
  private readonly form: NoticeSettingsForm;

  constructor(site: Site, route: Route) {
    super(site, route);
    this.list = new NoticeList(site);
    this.form = new NoticeSettingsForm(site);
    this.content.append(this.head, this.list.element, this.challenges.element, this.form.part.element);
  }

  private signedIn<T>(ask: () => Promise<T>): Promise<T> {
    if (this.site.api.me?.signed_in) return ask();
    return Promise.reject(new RequestError("Sign in to see your notices", 401));
  }

  override handleChanges(changes: readonly Change[]): void {
    super.handleChanges(changes);
    this.list.handleChanges(changes);
  }

  override refresh(): void {
    super.refresh();
    this.list.refresh();
  }

  override close(): void {
    super.close();
    this.list.close();
  }

  draw(): void {
    const settings = this.dataOf(this.settings);
    if (!settings) return;
    const { me } = this.site.api;
    renew(this.head, el("h1", {}, name(me?.name ?? "Notices")), meTabs("notices", me?.user_id ?? ""));
    this.list.show();
    this.form.draw(settings);
    const rows = this.friendlies.value ?? [];
    renew(
      this.challenges.body,
      el(
        "ul",
        { class: "plain-list" },
        ...rows.map((row) => friendlyItem(this.site, row, () => this.friendlies.reload())),
      ),
    );
    this.challenges.show(
      "Challenges and friendly matches",
      rows.length > 0,
      empty("No challenges yet. The page of every policy has a button for one."),
    );
  }
}

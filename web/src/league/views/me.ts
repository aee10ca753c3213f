import { el, renew } from "../../ui/dom";
import { RequestError } from "../api";
import type { PolicyVersionRow, PolicyVersionsResponse } from "../api-types";
import { count } from "../format";
import { buttonLink, empty, link, name, Part, time } from "../parts/bits";
import { LiveTable } from "../parts/table";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

/** The user's own policies. */
export class MeView extends View {
  override title = "Me";
  private readonly versions = this.source((signal) => this.ask(signal), "policy");
  private readonly head = el("header", { class: "page-head" });
  private readonly table = new LiveTable<PolicyVersionRow>(
    "Your policies",
    [
      {
        title: "Policy",
        kind: "name",
        cell: (row) => [
          el(
            "a",
            { class: "policy", attrs: { href: to.policy(row.id) } },
            name(row.name),
            el("span", { class: "version" }, `v${row.version}`),
          ),
        ],
      },
      { title: "Uploaded", cell: (row) => time(row.created_at) },
      { title: "Id", from: "tablet", cell: (row) => el("span", { class: "mono small quiet" }, row.id) },
    ],
    (row) => row.id,
  );
  private readonly policies = new Part("Your policies", this.table.element);
  private readonly account = new Part("Your account");

  constructor(site: Site, route: Route) {
    super(site, route);
    this.content.append(this.head, this.policies.element, this.account.element);
    const csrf = el("input", { attrs: { type: "hidden", name: "csrf", value: site.api.me?.csrf ?? "" } });
    const out = el(
      "form",
      { attrs: { method: "post", action: "/sign-out" } },
      csrf,
      el("button", { class: "button bordered", attrs: { type: "submit" } }, "Sign out"),
    );
    this.account.body.append(
      el(
        "p",
        {},
        el("a", { attrs: { href: "/observatory/home" } }, "Tokens and players"),
        el("span", { class: "quiet" }, ": view or revoke them"),
      ),
      el("p", { class: "quiet small" }, "On a command line, `cogames auth login` gets a separate token."),
      out,
    );
  }

  private ask(signal: AbortSignal): Promise<PolicyVersionsResponse> {
    const { api } = this.site;
    if (!api.me?.signed_in) return Promise.reject(new RequestError("Sign in to see your policies", 401));
    return api.get("/stats/policy-versions", {}, { mine: true, limit: 200 }, signal);
  }

  draw(): void {
    const value = this.dataOf(this.versions);
    if (!value) return;
    const { me } = this.site.api;
    renew(this.head, el("h1", {}, name(me?.name ?? "Me")), el("p", { class: "quiet" }, name(me?.email ?? "")));
    this.table.update(value.entries);
    this.policies.show(
      `Your policies (${count(value.total_count)})`,
      value.entries.length > 0,
      empty("You have no policies yet.", buttonLink(to.upload(), "Upload one"), link(to.home(), "All seasons")),
    );
  }
}

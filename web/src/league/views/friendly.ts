import { el, renew } from "../../ui/dom";
import type { FriendlyPage, FriendlyPolicy } from "../api-types";
import { count, plainName, score, words } from "../format";
import type { Change } from "../live";
import { chip, facts, link, loading, name, Part, policyLink, problem, time } from "../parts/bits";
import { answers, friendlyState } from "../parts/challenges";
import { ExplanationPart } from "../parts/explanation";
import { ReplayFrame } from "../parts/replay-frame";
import { LiveTable } from "../parts/table";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

type FriendlyRoute = Extract<Route, { page: "friendly" }>;

/** A friendly match: the challenge, the players, the result and the replay. */
export class FriendlyView extends View<FriendlyRoute> {
  private readonly page = this.source(
    (signal) =>
      this.site.api.get("/observatory/api/friendlies/{friendly_id}", { friendly_id: this.route.friendly }, {}, signal),
    "friendly",
    "queue",
  );
  private readonly explained = this.source(
    (signal) =>
      this.site.api.get(
        "/observatory/api/friendlies/{friendly_id}/explanation",
        { friendly_id: this.route.friendly },
        {},
        signal,
      ),
    "friendly",
    "queue",
  );
  private readonly explanation = new ExplanationPart();
  private readonly head = el("header", { class: "page-head" });
  private readonly players = new LiveTable<FriendlyPolicy>(
    "Players",
    [
      {
        title: "Policy",
        kind: "name",
        cell: (row) => [policyLink(row.policy, { author: true }), row.to_blame ? chip("failed", "at fault") : null],
      },
      { title: "Score", kind: "number", cell: (row) => score(row.score) },
      { title: "Agents", kind: "number", cell: (row) => count(row.num_agents) },
    ],
    (row) => row.policy.id,
    (row) => (row.to_blame ? "is-guilty" : ""),
  );
  private readonly replay = new ReplayFrame(this.site);
  private readonly parts = {
    players: new Part("Players", this.players.element),
    decided: new Part("What decided it", this.explanation.element),
    replay: this.replay.part,
    details: new Part("Details"),
  };

  constructor(site: Site, route: FriendlyRoute) {
    super(site, route);
    this.title = "Friendly match";
    this.content.append(this.head, ...Object.values(this.parts).map((part) => part.element));
  }

  override handleChanges(changes: readonly Change[]): void {
    const { value } = this.page;
    if (value?.status === "completed" || value?.status === "failed") return; // it does not change any more
    super.handleChanges(changes);
  }

  draw(): void {
    const page = this.dataOf(this.page);
    if (!page) return;
    this.title = page.players.map(({ policy }) => plainName(policy.name)).join(" – ");
    document.title = `${this.title} · Alignment League`;
    renew(this.head, ...this.headOf(page));
    this.players.update(page.players);
    this.drawExplanation(page);
    const why = page.status === "completed" ? "The replay has expired." : "No replay yet.";
    this.replay.update(page, { path: to.friendly(page.id), title: this.title, why });
    renew(
      this.parts.details.body,
      facts(
        ["Game", page.season ? link(to.season(page.season), name(page.mission)) : name(page.mission)],
        ["Steps", count(page.steps)],
        ["Counts for", "no table"],
      ),
    );
  }

  private headOf(page: FriendlyPage): HTMLElement[] {
    const title = page.players.flatMap(({ policy }, i) => [
      i ? el("span", { class: "quiet" }, " – ") : null,
      name(`${policy.name} v${policy.version}`),
    ]);
    const buttons = answers(this.site, page, () => this.page.reload());
    return [
      el("p", { class: "crumbs" }, "Friendly match · ", name(page.mission)),
      el("h1", {}, ...title),
      el(
        "p",
        { class: "chips" },
        chip(page.expired ? "plain" : page.status, friendlyState(page)),
        el("span", { class: "quiet small" }, time(page.completed_at ?? page.created_at)),
      ),
      ...(buttons.length ? [el("p", { class: "actions" }, ...buttons)] : []),
      ...(page.status === "failed"
        ? [
            el(
              "div",
              { class: "problem", attrs: { role: "note" } },
              el("p", {}, el("strong", {}, words(page.error_type ?? "failed")), page.error ? `: ${page.error}` : ""),
            ),
          ]
        : []),
    ];
  }

  private drawExplanation(page: FriendlyPage): void {
    const { value, error } = this.explained;
    const { decided } = this.parts;
    decided.element.hidden = page.status !== "completed" && page.status !== "failed";
    decided.show("What decided it", value !== null, error ? problem(error) : loading());
    if (value) this.explanation.update(value, page.viewer_url);
  }
}

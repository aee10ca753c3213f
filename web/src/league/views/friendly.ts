import { el, icon, renew } from "../../ui/dom";
import type { FriendlyPage, FriendlyPolicy } from "../api-types";
import { count, plainName, score, words } from "../format";
import type { Change } from "../live";
import { atTick } from "../moments";
import { chip, empty, facts, ICONS, link, loading, name, Part, policyLink, problem, time } from "../parts/bits";
import { answers, friendlyState } from "../parts/challenges";
import { ExplanationPart, REPLAY_FRAME } from "../parts/explanation";
import { shareButton, tickIn } from "../parts/share-menu";
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
  private readonly frame = el("div", { class: "replay" });
  private readonly parts = {
    players: new Part("Players", this.players.element),
    decided: new Part("What decided it", this.explanation.element),
    replay: new Part("Replay", this.frame),
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
    this.drawReplay(page);
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

  private drawReplay(page: FriendlyPage): void {
    const { dataset } = this.frame;
    const replay = page.viewer_url === null ? null : atTick(page.viewer_url, location.search);
    // The viewer of a running match continues with its replay by itself.
    const address = replay ?? page.watch_url ?? (page.completed_at ? null : (dataset.address ?? null));
    const isLive = replay === null && address !== null;
    const why = page.status === "completed" ? "The replay is not stored any more." : "There is no replay yet.";
    this.parts.replay.show(isLive ? "Live" : "Replay", address !== null, empty(why));
    if (address === null || dataset.address === address || (dataset.live === page.id && !isLive)) return;
    dataset.address = address;
    dataset.live = isLive ? page.id : "";
    const shown = el("iframe", {
      title: "The replay of this match",
      attrs: { src: address, name: REPLAY_FRAME, loading: "lazy", allow: "fullscreen" },
    });
    const whole = el(
      "a",
      { class: "button bordered", attrs: { href: address, target: "_blank", rel: "noopener" } },
      icon(ICONS.full),
      "Full screen",
    );
    const share = shareButton(this.site, {
      path: to.friendly(page.id),
      title: this.title,
      embeds: true,
      tick: () => tickIn(shown),
    });
    this.frame.replaceChildren(shown, el("p", { class: "actions" }, whole, share));
  }
}

import { el, onClick, renew } from "../../ui/dom";
import type { MatchPage, MatchPolicy } from "../api-types";
import { count, duration, NONE, score, whyNoReplay, words } from "../format";
import type { Change } from "../live";
import { chip, facts, link, loading, Part, policyLink, problem, time } from "../parts/bits";
import { ExplanationPart } from "../parts/explanation";
import { MatchLogs } from "../parts/logs";
import { matchText, matchTitle } from "../parts/matches";
import { ReplayFrame } from "../parts/replay-frame";
import { LiveTable } from "../parts/table";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

type MatchRoute = Extract<Route, { page: "match" }>;
type Seat = MatchPolicy & { index: number; isolation: string; agents: number[]; rewards: number[] };

/** A match: players, scores, the policy at fault for a failure, and the replay. */
export class MatchView extends View<MatchRoute> {
  private readonly match = this.source(
    (signal) => this.site.api.get("/observatory/api/matches/{match_id}", { match_id: this.route.match }, {}, signal),
    "match",
    "queue",
  );
  private readonly explained = this.source(
    (signal) =>
      this.site.api.get("/tournament/matches/{match_id}/explanation", { match_id: this.route.match }, {}, signal),
    "match",
  );
  private readonly explanation = new ExplanationPart();
  private readonly head = el("header", { class: "page-head" });
  private readonly players = new LiveTable<Seat>(
    "Players",
    [
      {
        title: "Policy",
        kind: "name",
        cell: (seat) => [policyLink(seat.policy, { author: true }), seat.to_blame ? chip("failed", "at fault") : null],
      },
      {
        title: "Score",
        kind: "number",
        about: "total reward of its agents divided by their number",
        cell: (seat) => score(seat.score),
      },
      { title: "Agents", cell: (seat) => agentsCell(seat) },
      {
        title: "Isolation",
        from: "tablet",
        about: "verified isolation of the policy's process",
        cell: (seat) => seat.isolation || NONE,
      },
    ],
    (seat) => String(seat.index),
    (seat) => (seat.to_blame ? "is-guilty" : ""),
  );
  private readonly replay = new ReplayFrame(this.site);
  private readonly parts = {
    players: new Part("Players", this.players.element),
    decided: new Part("What decided it", this.explanation.element),
    replay: this.replay.part,
    logs: new Part("Logs of your policies"),
    details: new Part("Details"),
  };
  private logs: MatchLogs | null = null;

  constructor(site: Site, route: MatchRoute) {
    super(site, route);
    this.title = "Match";
    this.content.append(this.head, ...Object.values(this.parts).map((part) => part.element));
  }

  override handleChanges(changes: readonly Change[]): void {
    const mine = changes.filter(
      (change) =>
        !change.ids?.length ||
        change.ids.includes(this.route.match) ||
        change.ids.includes(this.match.value?.job_id ?? ""),
    );
    super.handleChanges(mine);
  }

  draw(): void {
    const match = this.dataOf(this.match);
    if (!match) return;
    this.title = matchText(match);
    document.title = `${this.title} · Alignment League`;
    renew(this.head, ...headOf(match));
    this.players.update(match.players.map((player, index) => seatOf(match, player, index)));
    this.drawExplanation(match);
    this.replay.update(match, { path: to.match(match.id), title: this.title, why: whyNoReplay(match) });
    this.drawLogs(match);
    renew(this.parts.details.body, ...details(match));
  }

  private drawExplanation(match: MatchPage): void {
    const { decided } = this.parts;
    const { value, error } = this.explained;
    decided.element.hidden = match.status !== "completed" && match.status !== "failed";
    decided.show("What decided it", value !== null, error ? problem(error) : loading());
    if (!value) return;
    this.explanation.update(value, match.viewer_url);
    renew(
      decided.note,
      el(
        "p",
        { class: "actions" },
        el("a", { class: "button bordered", attrs: { href: to.compare(match.id) } }, "Compare with …"),
      ),
    );
  }

  private drawLogs(match: MatchPage): void {
    const { logs } = this.parts;
    const hasEnded = match.status === "completed" || match.status === "failed";
    logs.element.hidden = match.my_policies.length === 0 || !hasEnded;
    if (logs.element.hidden || this.logs) return;
    this.logs = new MatchLogs(this.site, match);
    logs.body.append(this.logs.element);
  }
}

function seatOf(match: MatchPage, player: MatchPolicy, index: number): Seat {
  const agents = match.assignments.flatMap((seat, agent) => (seat === index ? [agent] : []));
  const rewards = match.rewards ? agents.map((agent) => match.rewards![agent]) : [];
  return { ...player, index, isolation: match.isolation[index] ?? "", agents, rewards };
}

function agentsCell(seat: Seat): HTMLElement {
  const list = el("ul", { class: "agents" });
  seat.agents.forEach((agent, i) => {
    const reward = seat.rewards[i];
    list.append(
      el(
        "li",
        { title: `agent ${agent}` },
        el("span", { class: "quiet" }, `#${agent}`),
        reward === undefined ? "" : ` ${score(reward)}`,
      ),
    );
  });
  return list;
}

function headOf(match: MatchPage): HTMLElement[] {
  const guilty = match.players.filter((player) => player.to_blame);
  const blame = guilty.length
    ? el(
        "p",
        {},
        "At fault: ",
        ...guilty.map(({ policy }) => policyLink(policy)),
        match.players.length > guilty.length ? ". The other policies play again." : "",
      )
    : el("p", {}, "No policy is at fault.");
  return [
    el(
      "p",
      { class: "crumbs" },
      link(to.season(match.season), match.season_display_name),
      " · ",
      link(`${to.season(match.season, "matches")}?pool=${encodeURIComponent(match.pool)}`, match.pool),
    ),
    el("h1", {}, ...matchTitle(match)),
    el(
      "p",
      { class: "chips" },
      chip(match.status),
      el(
        "span",
        { class: "quiet small" },
        match.completed_at ? "ended " : "created ",
        time(match.completed_at ?? match.created_at),
      ),
    ),
    ...(match.status === "failed"
      ? [
          el(
            "div",
            { class: "problem", attrs: { role: "note" } },
            el("p", {}, el("strong", {}, words(match.error_type ?? "failed")), match.error ? `: ${match.error}` : ""),
            blame,
          ),
        ]
      : []),
  ];
}

function details(match: MatchPage): (HTMLElement | null)[] {
  const digests = Object.entries(match.digests);
  const runtime = Object.keys(match.runtime).length > 0;
  return [
    facts(
      ["Steps", count(match.steps)],
      ["Map", match.sample === null ? NONE : `number ${match.sample} of the season`],
      [
        "Seed",
        match.seed === null ? "hidden until the season ends" : el("span", { class: "mono" }, String(match.seed)),
      ],
      ["Queued for", duration(match.timings.waited)],
      ["Duration", duration(match.timings.played)],
      ["Worker", match.worker ?? NONE],
      ["Attempts", count(match.attempts)],
    ),
    digests.length > 0
      ? el(
          "div",
          {},
          el("h3", {}, "Digests (SHA-256)"),
          el(
            "dl",
            { class: "digests" },
            ...digests.map(([file, digest]) => el("div", {}, el("dt", {}, file), el("dd", { class: "mono" }, digest))),
          ),
        )
      : null,
    digests.length > 0 ? again(match) : null,
    runtime
      ? el(
          "details",
          {},
          el("summary", {}, "Worker log"),
          el("pre", { attrs: { tabindex: 0 } }, JSON.stringify(match.runtime, null, 2)),
        )
      : null,
  ];
}

function again(match: MatchPage): HTMLElement {
  const command = `cogames reproduce ${match.id} --server ${location.origin}`;
  const copy = el("button", { class: "button bordered", attrs: { type: "button" } }, "Copy");
  onClick(copy, () => void navigator.clipboard?.writeText(command));
  return el("p", { class: "command" }, el("code", {}, command), copy);
}

import { el, renew } from "../../ui/dom";
import type { RoundMove, RoundPage, RoundResultLine } from "../api-types";
import { count, counted, difference, digitsFor, percent, ratingDigits, score, words } from "../format";
import type { Change } from "../live";
import { act, chip, empty, link, name, Part, policyLink, problem, time } from "../parts/bits";
import { CommissionerReport } from "../parts/commissioner";
import { confirmed } from "../parts/confirm";
import { crumbs, divisionLink, isOpen, playerLink, roundProgress } from "../parts/league-bits";
import { PairingSquare } from "../parts/pairings";
import { EpisodeGrid } from "../parts/round-episodes";
import { LiveTable } from "../parts/table";
import { type Route, to } from "../router";
import { type Site, View } from "../view";

type RoundRoute = Extract<Route, { page: "round" }>;

/** A round: its plan in words, progress, results with ratings, moves, meetings and every episode. */
export class RoundView extends View<RoundRoute> {
  private readonly page = this.source(
    (signal) => this.site.api.get("/observatory/api/rounds/{round_id}", { round_id: this.route.round }, {}, signal),
    "round",
    "round_episode",
    "league_entry",
  );
  private readonly head = el("header", { class: "page-head" });
  private readonly answer = el("div");
  private readonly cancel = act("Cancel this round", () => void this.stop(), "is-danger");
  private digits = 2;
  private readonly results = resultTable(() => this.digits);
  private readonly resultPart = new Part("Results", this.results.element);
  private readonly moves = new Part("Moves");
  private readonly entrants = new Part("Entrants");
  private readonly commissioner: CommissionerReport;
  private readonly pairings: PairingSquare;
  private readonly episodes: EpisodeGrid;

  constructor(site: Site, route: RoundRoute) {
    super(site, route);
    this.title = "Round";
    this.commissioner = new CommissionerReport(site, route.round);
    this.pairings = new PairingSquare(site, route.round);
    this.episodes = new EpisodeGrid(site, route.round);
    this.content.append(
      this.head,
      el("p", { class: "actions" }, this.cancel),
      this.answer,
      this.resultPart.element,
      this.moves.element,
      this.entrants.element,
      this.commissioner.element,
      this.pairings.element,
      this.episodes.element,
    );
  }

  override get stream(): string {
    return `/observatory/api/events?league=${encodeURIComponent(this.route.round)}`;
  }

  /** Changes of other rounds of the league do not concern this page. */
  override handleChanges(changes: readonly Change[]): void {
    const own = changes.filter(
      ({ kind, ids }) => !kind.startsWith("round") || !ids?.length || ids.includes(this.route.round),
    );
    super.handleChanges(own);
    for (const pane of [this.pairings, this.episodes]) pane.handleChanges(own);
  }

  override refresh(): void {
    super.refresh();
    for (const pane of [this.pairings, this.episodes]) pane.refresh();
  }

  override close(): void {
    super.close();
    for (const pane of [this.pairings, this.episodes]) pane.close();
  }

  draw(): void {
    const round = this.dataOf(this.page);
    if (!round) return;
    this.title = `Round ${round.number} · ${round.division.name} · ${round.league.name}`;
    document.title = `${this.title} · Alignment League`;
    renew(this.head, ...headOf(round));
    this.cancel.parentElement!.hidden = !(round.may_manage && isOpen(round));
    this.results.element.classList.toggle("has-ratings", round.rating_label !== null);
    const scores = round.results.map((row) => row.score);
    this.digits = digitsFor(scores.length ? Math.max(...scores) - Math.min(...scores) : 0);
    this.results.update(round.results, () => [round.rating_label, this.digits]);
    this.resultPart.show("Results", round.results.length > 0, empty(noResults(round)));
    this.moves.element.hidden = round.moves.length === 0;
    renew(this.moves.body, el("ul", { class: "plain-list" }, ...round.moves.map(moveLine)));
    this.entrants.element.hidden = round.results.length > 0 || round.participants.length === 0;
    renew(
      this.entrants.body,
      el(
        "ul",
        { class: "plain-list" },
        ...round.participants.map((one) =>
          el("li", {}, one.player ? playerLink(one.player) : null, policyLink(one.policy, { author: !one.player })),
        ),
      ),
    );
    this.entrants.heading.textContent = `Entrants (${count(round.participants.length)})`;
    this.commissioner.update(round);
    this.pairings.show();
    this.episodes.show();
  }

  private async stop(): Promise<void> {
    const reason = await confirmed({
      title: "Cancel this round?",
      text: "Its episodes are taken from the queue and from workers. It changes no rating, and cannot be continued.",
      action: "Cancel the round",
      reason: "Reason (everyone can read it)",
    });
    if (reason === null) return;
    try {
      await this.site.api.post(
        "/v2/rounds/{round_id}/cancel",
        { round_id: this.route.round },
        { reason: reason || null },
      );
      this.site.say("The round was cancelled");
      renew(this.answer);
      this.page.reload();
    } catch (error) {
      renew(this.answer, problem(error as Error));
    }
  }
}

function noResults(round: RoundPage): string {
  if (isOpen(round)) return "The round is being played; its results appear when all episodes have ended.";
  if (round.kind === "qualification") return "A qualification has no results: the moves say who has qualified.";
  return `The round is ${round.status}, so that it has no results and changed no rating.`;
}

function headOf(round: RoundPage): HTMLElement[] {
  const isActive = isOpen(round);
  return [
    crumbs(
      link(to.leagues(), "Leagues"),
      link(to.league(round.league.id), name(round.league.name)),
      divisionLink(round.division),
    ),
    el("h1", {}, `Round ${round.number}`),
    el(
      "p",
      { class: "chips" },
      chip(round.status, words(round.status)),
      round.kind === "ladder" ? null : chip("plain", words(round.kind)),
      round.previous_id ? link(to.round(round.previous_id), `← Round ${round.number - 1}`) : null,
      round.next_id ? link(to.round(round.next_id), `Round ${round.number + 1} →`) : null,
    ),
    round.error ? el("p", { class: "problem" }, round.error) : el("p", {}, ""),
    el("p", {}, `${round.structure}.`),
    isActive ? roundProgress(round) : el("p", {}, ""),
    el(
      "p",
      { class: "quiet counts" },
      `${counted(round.participants.length, "entrant")} · ${counted(round.episodes, "episode")}`,
      round.retries ? ` · ${counted(round.retries, "retry", "retries")}` : "",
      round.failed ? ` · ${count(round.failed)} failed` : "",
      " · started ",
      time(round.started_at ?? round.created_at),
      ...(round.completed_at ? [" · ended ", time(round.completed_at)] : []),
    ),
  ];
}

function resultTable(digits: () => number): LiveTable<RoundResultLine> {
  return new LiveTable<RoundResultLine>(
    "Results",
    [
      {
        title: "Rank",
        kind: "rank",
        cell: (row) => el("span", { class: `rank rank-${Math.min(row.rank, 4)}` }, String(row.rank)),
      },
      {
        title: "Player",
        kind: "name",
        cell: (row) =>
          row.player
            ? el(
                "span",
                { class: "policy-author" },
                playerLink(row.player),
                el("span", { class: "small" }, policyLink(row.policy)),
              )
            : policyLink(row.policy, { author: true }),
      },
      { title: "Score", kind: "number", cell: (row) => score(row.score, digits()) },
      {
        title: "Rating",
        kind: "number",
        about: "before and after the round",
        cell: (row) => {
          if (row.rating_after === null) return "–";
          const change = row.rating_before === null ? null : row.rating_after - row.rating_before;
          const places = ratingDigits(row.rating_before, row.rating_after);
          return [
            el(
              "span",
              { class: "from-tablet quiet" },
              row.rating_before === null ? "" : `${score(row.rating_before, places)} → `,
            ),
            el("span", { class: "score" }, score(row.rating_after, places)),
            change === null
              ? null
              : el(
                  "span",
                  { class: `small ${change > 0 ? "good" : change < 0 ? "bad" : "quiet"}` },
                  ` ${difference(change, places)}`,
                ),
          ];
        },
      },
      {
        title: "Won",
        kind: "number",
        from: "tablet",
        about: "share of its meetings with other entrants",
        cell: (row) => (row.won === null ? "–" : percent(row.won)),
      },
      {
        title: "Episodes",
        kind: "number",
        from: "tablet",
        cell: (row) => [
          count(row.episodes),
          row.forfeits ? el("span", { class: "bad small" }, ` ${counted(row.forfeits, "forfeit")}`) : null,
        ],
      },
    ],
    (row) => row.policy.id,
  );
}

function moveLine(move: RoundMove): HTMLElement {
  return el(
    "li",
    {},
    chip(move.kind, words(move.kind)),
    move.player ? link(to.player(move.player.id), move.headline) : el("span", {}, move.headline),
    move.why ? el("span", { class: "small quiet" }, move.why) : null,
  );
}

import { el, renew } from "../../ui/dom";
import type { SeasonCard } from "../api-types";
import { count, counted, score, words } from "../format";
import { buttonLink, chip, empty, facts, link, policyLink, time } from "../parts/bits";
import { matchTitle } from "../parts/matches";
import { to } from "../router";
import { View } from "../view";

const MOST_SHOWN = 6;

/** All seasons and the running matches. */
export class HomeView extends View {
  override title = "Seasons";
  private readonly seasons = this.source(
    (signal) => this.site.api.get("/observatory/api/seasons", {}, {}, signal),
    "season",
    "match",
    "table",
    "membership",
  );
  private readonly queue = this.source(
    (signal) => this.site.api.get("/observatory/api/queue", {}, {}, signal),
    "queue",
    "match",
  );

  draw(): void {
    const value = this.dataOf(this.seasons);
    if (!value) return;
    renew(
      this.content,
      el("h1", {}, "Seasons"),
      this.now(),
      value.length ? el("div", { class: "cards" }, ...value.map(card)) : noSeasons(this.site.api.me?.is_admin ?? false),
    );
  }

  private now(): HTMLElement {
    const { value } = this.queue;
    const running = value?.running ?? [];
    const workers = value?.workers.length ?? 0;
    const summary = !value
      ? "Loading the queue …"
      : running.length
        ? `${counted(running.length, "match", "matches")} running, ${count(value.queued_total)} waiting`
        : value.queued_total
          ? `${counted(value.queued_total, "match waits", "matches wait")} for ${workers ? "a free worker" : "a worker; none has connected recently"}`
          : "No matches are running";
    const lines = running
      .slice(0, MOST_SHOWN)
      .map(({ match, since, kind }) =>
        el(
          "li",
          {},
          match
            ? link(to.match(match.id), ...matchTitle(match))
            : words(kind === "private" ? "a match of a private season" : `an ${kind}`),
          el("span", { class: "quiet small" }, match ? `${match.season} · ` : "", time(since)),
        ),
      );
    return el(
      "section",
      { class: "panel now", attrs: { "aria-label": "Running now" } },
      el(
        "p",
        { class: "now-line" },
        el("span", { class: running.length ? "dot is-on" : "dot" }),
        el("span", {}, summary),
        link(to.queue(), "Queue"),
      ),
      lines.length > 0 && el("ul", { class: "plain-list" }, ...lines),
    );
  }
}

function card(season: SeasonCard): HTMLElement {
  return el(
    "article",
    { class: "card", attrs: { "data-season": season.name } },
    el("h2", {}, link(to.season(season.name), season.display_name)),
    el(
      "p",
      { class: "chips" },
      chip(season.status),
      chip("plain", season.tournament_type),
      season.version > 1 && chip("plain", `version ${season.version}`),
      season.is_default && chip("plain", "default"),
      !season.public && chip("out", "private"),
    ),
    el("p", { class: "grow" }, season.summary),
    season.leader &&
      el(
        "p",
        { class: "leader" },
        el("span", { class: "quiet" }, "Leader"),
        policyLink(season.leader.policy),
        el("span", { class: "number" }, score(season.leader.score)),
      ),
    facts(
      ["Policies", count(season.active_entrants)],
      ["Matches", count(season.matches)],
      ["Running", count(season.running)],
      ["Waiting", count(season.waiting)],
    ),
  );
}

function noSeasons(isAdmin: boolean): HTMLElement {
  return isAdmin
    ? empty("No seasons yet. Create one from a YAML description.", buttonLink(to.manage(), "Create a season"))
    : empty("No seasons yet. The operator of this server creates them.");
}

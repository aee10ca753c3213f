import { type Child, el, renew } from "../../ui/dom";
import type { EpisodeSeatLine, RoundEpisode, RoundEpisodes } from "../api-types";
import { count, counted, score, words } from "../format";
import { to } from "../router";
import type { Site } from "../view";
import { act, chip, empty, link, loading, name, policyLink, problem } from "./bits";
import { playerLink } from "./league-bits";
import { Pane } from "./pane";
import { watchLink } from "./watch";

const PAGE = 60;

/** Every episode of a round in the order of its plan: seats, scores, forfeits and retries. */
export class EpisodeGrid extends Pane<RoundEpisodes> {
  readonly element = el("section", { class: "panel", attrs: { "aria-label": "Episodes" } });
  private readonly heading = el("h2", {}, "Episodes");
  private readonly head = el("div");
  private readonly list = el("ol", { class: "episode-grid" });
  private readonly more = act("Show more", () => {
    this.limit += PAGE;
    void this.source.load();
  });
  private limit = PAGE;

  constructor(site: Site, round: string) {
    super(site, round, ["round", "round_episode"]);
    this.more.hidden = true;
    this.element.append(this.heading, this.head, this.list, this.more);
  }

  show(): void {
    this.open();
  }

  protected ask(signal: AbortSignal): Promise<RoundEpisodes> {
    const query = { limit: Math.min(this.limit, 1000) };
    const params = { round_id: this.season };
    return this.site.api.get("/observatory/api/rounds/{round_id}/episodes", params, query, signal);
  }

  protected draw(): void {
    const { value, error } = this.source;
    const isEmpty = value !== null && value.rows.length === 0;
    renew(
      this.head,
      error ? problem(error) : value ? null : loading(),
      isEmpty && empty("No episodes yet: the commissioner has not asked for one."),
    );
    if (!value) return;
    this.heading.textContent = `Episodes (${count(value.total)})`;
    renew(this.list, ...value.rows.map(episodeCard));
    this.more.hidden = value.rows.length >= value.total || this.limit >= 1000;
  }
}

function episodeCard(episode: RoundEpisode): HTMLElement {
  const state = episode.status === "pending" ? "waiting" : episode.status === "submitted" ? "running" : episode.status;
  return el(
    "li",
    { class: `episode is-${state}`, attrs: { "data-episode": episode.id } },
    el(
      "p",
      { class: "episode-head" },
      link(to.episode(episode.id), episode.label ?? `Episode ${episode.number}`),
      chip(state, words(state)),
      episode.drawn && chip("plain", "draw"),
      state === "running" && watchLink(to.episode(episode.id)),
    ),
    el("ol", { class: "seats" }, ...episode.seats.map((seat) => seatLine(seat))),
    episode.error && el("p", { class: "small bad" }, episode.error),
    el(
      "p",
      { class: "small quiet" },
      [episode.variant_id ?? "", episode.earlier.length ? `repeated ${counted(episode.earlier.length, "time")}` : ""]
        .filter(Boolean)
        .join(" · "),
      ...episode.earlier.flatMap((one): Child[] => [
        " ",
        link(to.episode(one.id), words(one.error_type ?? one.status)),
      ]),
    ),
  );
}

function seatLine(seat: EpisodeSeatLine): HTMLElement {
  return el(
    "li",
    { class: `seat${seat.won ? " is-winner" : ""}${seat.is_filler ? " is-filler" : ""}` },
    el("span", { class: "quiet small seat-number" }, seat.side === null ? `${seat.position + 1}` : sideName(seat.side)),
    seat.player
      ? playerLink(seat.player)
      : seat.policy
        ? policyLink(seat.policy)
        : name(seat.name || "player of the game"),
    seat.won && el("span", { class: "good small" }, "won"),
    seat.at_fault && el("span", { class: "bad small" }, "forfeit"),
    seat.is_filler && el("span", { class: "quiet small" }, "fills a seat"),
    el("span", { class: "number" }, seat.score === null ? "" : score(seat.score)),
  );
}

function sideName(side: number): string {
  return String.fromCharCode(65 + (side % 26));
}

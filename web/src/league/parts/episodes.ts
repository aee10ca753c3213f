/** Episodes of Coworlds in lists. */
import { type Child, el } from "../../ui/dom";
import type { EpisodeLine, SeatLine } from "../api-types";
import { score } from "../format";
import { to } from "../router";
import { chip, link, name, policyLink, time } from "./bits";
import { LiveTable } from "./table";
import { watchLink } from "./watch";

const MOST_NAMES = 3;

/** The seats of an episode, as the text of a link. */
export function episodeTitle(seats: readonly SeatLine[]): Child[] {
  const parts: Child[] = [];
  const times = new Map<string, number>();
  for (const seat of seats) times.set(seat.name, (times.get(seat.name) ?? 0) + 1);
  const names = [...times];
  names.slice(0, MOST_NAMES).forEach(([text, seated], i) => {
    if (i) parts.push(el("span", { class: "quiet" }, " – "));
    parts.push(name(text));
    if (seated > 1) parts.push(el("span", { class: "quiet" }, ` × ${seated}`));
  });
  if (names.length > MOST_NAMES) parts.push(el("span", { class: "quiet" }, ` and ${names.length - MOST_NAMES} more`));
  return parts.length ? parts : ["Episode"];
}

/** A seat: a link to its policy, or the name of a player of the game. */
export function seatName(seat: SeatLine): HTMLElement {
  return seat.policy ? policyLink(seat.policy) : name(seat.name);
}

function seatsOf(episode: EpisodeLine): HTMLElement {
  const lines = episode.seats.map((seat) =>
    el(
      "li",
      { class: seat.at_fault ? "is-guilty" : "" },
      seatName(seat),
      seat.policy ? null : el("span", { class: "quiet small" }, "of the game"),
      el("span", { class: "number" }, seat.at_fault ? "at fault" : seat.score === null ? "" : score(seat.score)),
    ),
  );
  return el("ul", { class: "players" }, ...lines);
}

/** Where an episode belongs: its round, or the game. */
export function episodePlace(episode: EpisodeLine): HTMLElement {
  const { round, coworld } = episode;
  if (!round) return link(to.coworld(coworld.id), coworld.name);
  return el(
    "span",
    {},
    link(to.league(round.league_id), name(round.league)),
    el("span", { class: "quiet small" }, ` ${round.division}, `),
    link(to.round(round.id), `round ${round.number}`),
  );
}

export function episodeTable(caption: string): LiveTable<EpisodeLine> {
  return new LiveTable<EpisodeLine>(
    caption,
    [
      { title: "Status", cell: (episode) => link(to.episode(episode.id), chip(episode.status)) },
      { title: "Seats and scores", kind: "name", cell: seatsOf },
      { title: "Played in", from: "tablet", cell: episodePlace },
      { title: "When", from: "tablet", cell: (episode) => time(episode.completed_at ?? episode.created_at) },
      {
        title: "Watch",
        cell: (episode) =>
          episode.is_live
            ? watchLink(to.episode(episode.id))
            : episode.has_replay
              ? link(to.episode(episode.id), "Replay")
              : "",
      },
    ],
    (episode) => episode.id,
  );
}

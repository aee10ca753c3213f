import { el } from "../../ui/dom";
import type { BoardPlace, DivisionCard, LeagueCard } from "../api-types";
import { count, counted, labelled } from "../format";
import { to } from "../router";
import { chip, facts, link, name, policyLink, time } from "./bits";
import { divisionLink, playerLink, roundLink, roundProgress, stateChip, stateLine } from "./league-bits";

/** A league in a list: what it plays now, its numbers, and who leads. */
export function leagueCard(league: LeagueCard): HTMLElement {
  return el(
    "article",
    { class: "card league-card", attrs: { "data-league": league.id } },
    el("h2", {}, link(to.league(league.id), name(league.name))),
    el(
      "p",
      { class: "chips" },
      stateChip(league.state.state),
      chip("plain", "league"),
      league.is_game_of_week && chip("champion", "game of the week"),
      league.hidden || !league.public ? chip("out", league.hidden ? "hidden" : "private") : null,
      link(to.coworld(league.game.coworld_name), name(league.game.name)),
    ),
    stateLine(league.state),
    ...league.playing.map((round) => roundProgress(round)),
    league.leader &&
      el(
        "p",
        { class: "leader" },
        el("span", { class: "quiet" }, "Leader "),
        playerLink(league.leader.player),
        " ",
        el("span", { class: "number" }, `${labelled(league.leader.score, league.leader_label)} ${league.leader_label}`),
      ),
    el("span", { class: "grow" }),
    facts(["Players", count(league.players)], ["Divisions", count(league.divisions)], ["Rounds", count(league.rounds)]),
  );
}

/** A division on the page of its league: what it does now, its best players, and how full it is. */
export function divisionCard(division: DivisionCard, place: number): HTMLElement {
  const { round } = division;
  return el(
    "li",
    {
      class:
        `stage division-card ${division.type === "staging" ? "is-pending" : ""} ${round ? "is-active" : ""}`.trim(),
      attrs: { "data-division": division.id },
    },
    el("h3", {}, divisionLink(division)),
    el(
      "p",
      { class: "chips" },
      stateChip(division.state),
      division.type === "staging" ? chip("plain", "qualification") : place === 1 ? chip("plain", "top division") : null,
      division.hidden && chip("out", "hidden"),
    ),
    round
      ? el("div", { class: "column" }, el("p", { class: "small" }, roundLink(round)), roundProgress(round))
      : el("p", { class: "small" }, division.why, ...(division.next_at ? [" ", time(division.next_at)] : [])),
    division.best.length > 0
      ? el("ol", { class: "best" }, ...division.best.map((place) => bestLine(place, division.score_label)))
      : el("p", { class: "small quiet" }, division.type === "staging" ? "" : "No results yet"),
    el(
      "p",
      { class: "small quiet" },
      `${counted(division.members, "member")}, ${counted(division.champions, "champion")}`,
    ),
  );
}

function bestLine(place: BoardPlace, label: string): HTMLElement {
  return el(
    "li",
    {},
    el("span", { class: `rank rank-${Math.min(place.rank, 4)}` }, String(place.rank)),
    el(
      "span",
      { class: "policy-author" },
      playerLink(place.player),
      place.policy && el("span", { class: "small" }, policyLink(place.policy)),
    ),
    el("span", { class: "number", title: label }, labelled(place.score, label)),
  );
}

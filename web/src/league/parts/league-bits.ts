/** Small elements of the pages of leagues. All names come from users and are inserted as text. */
import { type Child, el } from "../../ui/dom";
import type { DivisionRef, LeagueState, PlayerRef, RoundLine } from "../api-types";
import { count, counted, percent } from "../format";
import { to } from "../router";
import type { Site } from "../view";
import { act, chip, link, name, progressBar, time } from "./bits";

export function playerLink(player: PlayerRef): HTMLElement {
  return el("a", { class: "player", attrs: { href: to.player(player.id) } }, name(player.name));
}

export function divisionLink(division: DivisionRef): HTMLElement {
  return el("a", { class: "division", attrs: { href: to.division(division.id) } }, name(division.name));
}

export function roundLink(round: { id: string; number: number }, text = `Round ${round.number}`): HTMLElement {
  return link(to.round(round.id), text);
}

const STATE_TONES: Record<string, string> = {
  playing: "playing",
  waiting: "plain",
  paused: "plain",
  off: "plain",
  closed: "out",
  failed: "failed",
};

/** The chip of a league or division, such as `playing`. */
export function stateChip(state: string): HTMLElement {
  return chip(STATE_TONES[state] ?? "plain", state === "off" ? "no rounds yet" : state);
}

/** The state of a league in one line, with the time of the next round. */
export function stateLine(state: LeagueState): HTMLElement {
  return el(
    "p",
    { class: "state-line", attrs: { "data-state": state.state } },
    el("span", { class: state.state === "playing" ? "dot is-on" : "dot" }),
    el("span", {}, state.sentence, ...(state.next_at ? [" ", time(state.next_at)] : [])),
  );
}

/** How far the episodes of a round are. */
export function roundProgress(round: RoundLine): HTMLElement {
  const part = round.episodes ? round.ended / round.episodes : 0;
  const words = [
    `${count(round.ended)} of ${counted(round.episodes, "episode")}`,
    round.running > 0 ? `${count(round.running)} running` : "",
    round.failed > 0 ? `${count(round.failed)} failed` : "",
  ].filter(Boolean);
  return el(
    "span",
    { class: "round-progress" },
    progressBar(part, `Round ${round.number}: ${percent(part)} of the episodes have ended`),
    el("span", { class: "small quiet" }, words.join(", ")),
  );
}

/** A command with a button that copies it. */
export function command(site: Site, text: string): HTMLElement {
  const copy = act("Copy", () => {
    void navigator.clipboard?.writeText(text);
    site.say("Copied");
  });
  copy.setAttribute("aria-label", `Copy: ${text}`);
  return el("p", { class: "command" }, el("code", {}, text), copy);
}

export function crumbs(...children: Child[]): HTMLElement {
  const parts: Child[] = [];
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (parts.length) parts.push(el("span", { class: "quiet", attrs: { "aria-hidden": "true" } }, " › "));
    parts.push(child);
  }
  return el("nav", { class: "crumbs", attrs: { "aria-label": "Breadcrumb" } }, ...parts);
}

/** Whether a round has not ended. */
export function isOpen(round: { status: string }): boolean {
  return ["pending", "claimed", "running"].includes(round.status);
}

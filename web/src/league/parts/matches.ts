/** Matches in lists. */
import { type Child, el } from "../../ui/dom";
import type { MatchLine } from "../api-types";
import { plainName, score, words } from "../format";
import { to } from "../router";
import { chip, link, name, policyLink, time } from "./bits";
import { LiveTable } from "./table";
import { watchLink } from "./watch";

const MOST_NAMES = 3;

/** The players of a match, as the text of a link. */
export function matchTitle(match: MatchLine): Child[] {
  const shown = match.players.slice(0, MOST_NAMES);
  const parts: Child[] = [];
  shown.forEach(({ policy }, i) => {
    if (i) parts.push(el("span", { class: "quiet" }, " – "));
    parts.push(name(`${policy.name} v${policy.version}`));
  });
  if (match.players.length > shown.length)
    parts.push(el("span", { class: "quiet" }, ` and ${match.players.length - shown.length} more`));
  return parts.length ? parts : [`Match ${match.id.slice(0, 8)}`];
}

export function matchText(match: MatchLine): string {
  const names = match.players.slice(0, MOST_NAMES).map(({ policy }) => plainName(policy.name));
  return names.join(" – ") || `Match ${match.id.slice(0, 8)}`;
}

/** The result of a match: its scores, or the failure and the policy at fault. */
export function outcome(match: MatchLine): HTMLElement {
  if (match.status === "failed") {
    const guilty = match.players.filter((player) => player.to_blame);
    const who = guilty.length
      ? guilty.map(({ policy }) => `${plainName(policy.name)} v${policy.version}`).join(", ")
      : "no policy is at fault";
    return el("span", { class: "small outcome" }, `${words(match.error_type ?? "failed")}: ${who}`);
  }
  return el("span", { class: "small quiet" }, match.status === "waiting" ? (match.why ?? "for a worker") : "");
}

/** Players with their scores, each on a line. */
export function playersOf(match: MatchLine): HTMLElement {
  const lines = match.players.map((player) =>
    el(
      "li",
      { class: player.to_blame ? "is-guilty" : "" },
      policyLink(player.policy),
      el("span", { class: "quiet small" }, `×${player.num_agents}`),
      el(
        "span",
        { class: "number" },
        player.to_blame ? "at fault" : match.status === "completed" ? score(player.score) : "",
      ),
    ),
  );
  return el("ul", { class: "players" }, ...lines);
}

function watchCell(match: MatchLine): HTMLElement | string {
  if (match.watch_url) return watchLink(to.match(match.id));
  return match.has_replay ? link(to.match(match.id), "Replay") : "";
}

/** A table of matches; `extra` is the content of a last column. */
export function matchTable(caption: string, extra?: (match: MatchLine) => Child): LiveTable<MatchLine> {
  return new LiveTable<MatchLine>(
    caption,
    [
      { title: "Status", cell: (match) => [link(to.match(match.id), chip(match.status)), outcome(match)] },
      { title: "Players and scores", kind: "name", cell: playersOf },
      { title: "Pool", from: "tablet", cell: (match) => match.pool },
      { title: "When", from: "tablet", cell: (match) => time(match.completed_at ?? match.created_at) },
      { title: "Watch", cell: watchCell },
      ...(extra ? [{ title: "", from: "tablet" as const, cell: extra }] : []),
    ],
    (match) => match.id,
  );
}

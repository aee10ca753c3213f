/** The user's own entries in seasons and leagues, each on a line. */
import { el } from "../../ui/dom";
import type { PlayerMembership, SeasonEntryLine } from "../api-types";
import { count, score } from "../format";
import { to } from "../router";
import { chip, link, name, policyLink } from "./bits";

export function seasonEntry(entry: SeasonEntryLine): HTMLElement {
  return el(
    "li",
    { attrs: { "data-entry": "season" } },
    policyLink(entry.policy),
    el("span", {}, "in ", link(to.season(entry.season), entry.display_name)),
    el("span", { class: "quiet small" }, entry.pool),
    entry.active ? null : chip("plain", "inactive"),
    place(entry.rank === null ? "no rank yet" : `rank ${entry.rank} of ${count(entry.of)}`, entry.score),
  );
}

export function leagueEntry(entry: PlayerMembership): HTMLElement {
  return el(
    "li",
    { attrs: { "data-entry": "league" } },
    policyLink(entry.policy),
    el("span", {}, "in ", link(to.league(entry.league.id), name(entry.league.name))),
    link(to.division(entry.division.id), name(entry.division.name)),
    ...entryChips(entry),
    place(entry.rank === null ? "no rank yet" : `rank ${entry.rank} of ${count(entry.of)}`, entry.score),
  );
}

/** The state of a membership: champion, status, and whether it has ended. */
export function entryChips(entry: PlayerMembership): HTMLElement[] {
  if (!entry.is_live)
    return [chip(entry.status === "disqualified" ? "failed" : "plain", STATUS[entry.status] ?? "ended")];
  return [
    entry.is_champion
      ? chip("running", "champion")
      : chip("plain", entry.substatus ? `${entry.status}, ${entry.substatus}` : entry.status),
  ];
}

const STATUS: Record<string, string> = { disqualified: "disqualified", competing: "retired" };

function place(text: string, value: number | null): HTMLElement {
  return el(
    "span",
    { class: "own-place" },
    el("span", { class: "quiet small" }, text),
    value === null ? null : el("span", { class: "number" }, score(value)),
  );
}

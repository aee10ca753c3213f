import { type Child, el } from "../../ui/dom";
import type { HistoryEvent, HistoryPage } from "../api-types";
import { words } from "../format";
import { to } from "../router";
import type { Site } from "../view";
import { chip, empty, link, name, policyLink, time } from "./bits";
import { divisionLink } from "./league-bits";
import { PagedPane } from "./paged";

const WORDS: Record<string, string> = {
  entered: "entered",
  promoted: "moved up",
  relegated: "moved down",
  left: "left",
  disqualified: "disqualified",
  changed: "changed",
};

/** Every change of a player's memberships as a timeline: where from, where to, and why. */
export class MembershipHistory extends PagedPane<HistoryEvent, HistoryPage> {
  private readonly list = el("ol", { class: "timeline" });

  constructor(
    site: Site,
    private readonly player: string,
  ) {
    super(site, player, ["league_entry", "round"], "Membership history");
    this.place(this.list);
  }

  protected page(cursor: string | null, signal?: AbortSignal): Promise<HistoryPage> {
    const params = { player_id: this.player };
    return this.site.api.get("/observatory/api/players/{player_id}/history", params, { cursor }, signal);
  }

  protected key(row: HistoryEvent): string {
    return row.id;
  }

  protected drawRows(): void {
    this.list.replaceChildren(...this.rows.map(historyLine));
    this.note.replaceChildren(...(this.rows.length ? [] : [empty("No memberships yet.")]));
  }
}

function historyLine(row: HistoryEvent): HTMLElement {
  return el(
    "li",
    { class: `is-${row.move}` },
    el(
      "p",
      { class: "timeline-head" },
      chip(row.move === "left" ? "plain" : row.move, WORDS[row.move] ?? row.move),
      policyLink(row.policy),
      el("span", { class: "quiet small" }, time(row.at)),
    ),
    el("p", { class: "small" }, link(to.league(row.league.id), name(row.league.name)), ...where(row)),
    el("p", {}, row.reason),
    row.notes ? el("p", { class: "small" }, row.notes) : null,
    row.evidence.length > 0 ? el("ul", { class: "plain-list small" }, ...row.evidence.map(evidenceLine)) : null,
  );
}

function where(row: HistoryEvent): Child[] {
  const { from_division: from, to_division: target } = row;
  const state = row.substatus ? `${words(row.status)}, ${words(row.substatus)}` : words(row.status);
  if (from && target && from.id !== target.id)
    return [": ", divisionLink(from), " → ", divisionLink(target), ` (${state})`];
  const place = target ?? from;
  return place ? [": ", divisionLink(place), ` (${state})`] : [` (${state})`];
}

function evidenceLine(entry: Record<string, unknown>): HTMLElement {
  const id = typeof entry.public_id === "string" ? entry.public_id : "";
  const title = String(entry.title ?? entry.type ?? "evidence");
  const target = id.startsWith("round_") ? to.round(id) : id.startsWith("ereq_") ? to.episode(id) : "";
  return el(
    "li",
    {},
    target ? link(target, title) : el("span", {}, title),
    entry.summary ? el("span", { class: "quiet" }, String(entry.summary)) : null,
  );
}

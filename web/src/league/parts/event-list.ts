import { el } from "../../ui/dom";
import type { EventLine, EventsPage } from "../api-types";
import { words } from "../format";
import { to } from "../router";
import type { Site } from "../view";
import { chip, empty, link, time } from "./bits";
import { PagedPane } from "./paged";

const TONES: Record<string, string> = {
  membership_promoted: "promoted",
  membership_relegated: "relegated",
  membership_disqualified: "failed",
  membership_restored: "completed",
  round_failed: "failed",
  round_completed: "completed",
  round_started: "running",
  champion_changed: "champion",
};

/** What happened in a league, newest first. */
export class EventList extends PagedPane<EventLine, EventsPage> {
  private readonly list = el("ol", { class: "plain-list events" });

  constructor(
    site: Site,
    private readonly league: string,
  ) {
    super(site, league, ["round", "league", "league_entry"], "Events");
    this.place(this.list);
  }

  protected page(cursor: string | null, signal?: AbortSignal): Promise<EventsPage> {
    const query = { cursor };
    return this.site.api.get("/observatory/api/leagues/{league_id}/events", { league_id: this.league }, query, signal);
  }

  protected key(row: EventLine): string {
    return row.id;
  }

  protected drawRows(): void {
    this.list.replaceChildren(...this.rows.map(eventLine));
    this.note.replaceChildren(...(this.rows.length ? [] : [empty("No events yet.")]));
  }
}

function eventLine(row: EventLine): HTMLElement {
  return el(
    "li",
    {},
    chip(TONES[row.kind] ?? "plain", words(row.kind.replace(/^membership_/, ""))),
    row.round_id
      ? link(to.round(row.round_id), row.headline)
      : row.player
        ? link(to.player(row.player.id), row.headline)
        : el("span", {}, row.headline),
    row.summary ? el("span", { class: "small" }, row.summary) : null,
    el("span", { class: "small quiet" }, time(row.at)),
  );
}

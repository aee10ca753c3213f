import { el } from "../../ui/dom";
import type { DivisionRef, RoundLine, RoundsPage } from "../api-types";
import { count, counted, words } from "../format";
import { to } from "../router";
import type { Site } from "../view";
import { chip, empty, link, policyLink, time } from "./bits";
import { divisionLink, isOpen, playerLink, roundProgress } from "./league-bits";
import { PagedPane } from "./paged";
import { LiveTable } from "./table";

const KINDS: Record<string, string> = {
  grading: "grading",
  qualification: "qualification",
};

/** Rounds of a league or of one division, newest first. */
export class RoundList extends PagedPane<RoundLine, RoundsPage> {
  private readonly table: LiveTable<RoundLine>;

  constructor(
    site: Site,
    private readonly league: () => string,
    private readonly division: string | null = null,
    title = "Rounds",
  ) {
    super(site, division ?? "", ["round", "round_episode", "league_entry"], title);
    this.table = roundTable(division === null);
    this.place(this.table.element);
  }

  protected page(cursor: string | null, signal?: AbortSignal): Promise<RoundsPage> {
    const query = { cursor, division: this.division };
    return this.site.api.get(
      "/observatory/api/leagues/{league_id}/rounds",
      { league_id: this.league() },
      query,
      signal,
    );
  }

  protected key(row: RoundLine): string {
    return row.id;
  }

  protected drawRows(value: RoundsPage): void {
    this.table.element.hidden = this.rows.length === 0;
    this.table.update(this.rows);
    this.note.replaceChildren(
      this.rows.length === 0
        ? empty("No rounds yet. The first one begins when enough champions have entered.")
        : el(
            "p",
            { class: "quiet small" },
            `${count(this.rows.length)} of ${count(Math.max(value.total, this.rows.length))} shown`,
          ),
    );
  }
}

function roundTable(withDivision: boolean): LiveTable<RoundLine> {
  return new LiveTable<RoundLine>(
    "Rounds",
    [
      {
        title: "Round",
        kind: "name",
        cell: (row) => [
          link(to.round(row.id), `Round ${row.number}`),
          withDivision ? el("span", { class: "small quiet" }, " ", divisionLink(row.division as DivisionRef)) : null,
          KINDS[row.kind] ? el("span", { class: "small quiet" }, ` ${KINDS[row.kind]}`) : null,
        ],
      },
      { title: "Status", cell: (row) => chip(row.status, words(row.status)) },
      {
        title: "Progress",
        from: "tablet",
        cell: (row) =>
          isOpen(row)
            ? roundProgress(row)
            : [
                counted(row.episodes, "episode"),
                row.failed > 0 ? el("span", { class: "bad small" }, ` ${count(row.failed)} failed`) : null,
                row.error ? el("span", { class: "bad small" }, ` ${row.error}`) : null,
              ],
      },
      {
        title: "Winner",
        cell: (row) =>
          row.winner
            ? [
                playerLink(row.winner),
                row.winner_policy
                  ? el("span", { class: "small from-tablet" }, " ", policyLink(row.winner_policy))
                  : null,
              ]
            : "–",
      },
      { title: "When", from: "tablet", cell: (row) => time(row.completed_at ?? row.started_at ?? row.created_at) },
    ],
    (row) => row.id,
  );
}

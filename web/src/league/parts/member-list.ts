import { el } from "../../ui/dom";
import type { MemberLine, MembersPage } from "../api-types";
import { count } from "../format";
import type { Site } from "../view";
import { chip, empty, policyLink, problem, time } from "./bits";
import { playerLink } from "./league-bits";
import { membershipActions } from "./membership-actions";
import { PagedPane } from "./paged";
import { LiveTable } from "./table";

/** Members of a division: the champion of each player, the bench, and on request those that have left. */
export class MemberList extends PagedPane<MemberLine, MembersPage> {
  private readonly answer = el("div");
  private readonly former = el("input", { id: "former", attrs: { type: "checkbox" } });
  private readonly table: LiveTable<MemberLine>;

  constructor(
    site: Site,
    private readonly division: string,
  ) {
    super(site, division, ["league_entry", "round", "league"], "Members");
    this.table = new LiveTable<MemberLine>(
      "Members",
      [
        { title: "Player", kind: "name", cell: (row) => playerLink(row.player) },
        { title: "Policy", cell: (row) => policyLink(row.policy) },
        { title: "Status", cell: (row) => statusChip(row) },
        {
          title: "Why",
          from: "tablet",
          cell: (row) => [row.reason, el("span", { class: "quiet small" }, " ", time(row.reason_at))],
        },
        { title: "Since", from: "desktop", cell: (row) => time(row.since) },
        { title: "", cell: (row) => el("span", { class: "actions" }, ...this.actions(row)) },
      ],
      (row) => row.membership_id,
      (row) => (row.ended_at ? "is-out" : ""),
    );
    this.filters.append(
      el("p", { class: "fields" }, this.former, el("label", { attrs: { for: "former" } }, "Show former members")),
    );
    this.former.addEventListener("change", () => this.restart());
    this.place(this.table.element);
    this.element.append(this.answer);
  }

  private actions(row: MemberLine): HTMLButtonElement[] {
    return membershipActions(
      this.site,
      row,
      () => this.source.reload(),
      (error) => this.answer.replaceChildren(problem(error)),
    );
  }

  protected page(cursor: string | null, signal?: AbortSignal): Promise<MembersPage> {
    const query = { cursor, live: !this.former.checked };
    const words = { division_id: this.division };
    return this.site.api.get("/observatory/api/divisions/{division_id}/members", words, query, signal);
  }

  protected key(row: MemberLine): string {
    return row.membership_id;
  }

  protected drawRows(value: MembersPage): void {
    this.heading.textContent = `Members (${count(value.live)})`;
    this.table.element.hidden = this.rows.length === 0;
    this.table.update(this.rows);
    this.note.replaceChildren(
      ...(this.rows.length ? [] : [empty("No members here yet. A policy enters the league with a submission.")]),
    );
  }
}

function statusChip(row: { status: string; substatus: string | null; is_champion: boolean; ended_at: string | null }) {
  if (row.is_champion) return chip("champion");
  if (row.ended_at && row.status !== "disqualified") return chip("plain", "retired");
  return chip(row.status, row.substatus === "benched" ? "benched" : row.status);
}

import { el, renew } from "../../ui/dom";
import type { SeasonPage, TeamRow, Teams } from "../api-types";
import { count, score } from "../format";
import { intervalScale, type Scale, scaleFrom } from "../scale";
import type { Site } from "../view";
import { chip, empty, intervalBar, loading, policyLink, problem } from "./bits";
import { Pane } from "./pane";
import { LiveTable } from "./table";

/** The teams of a round: active and eliminated ones with reasons, and each team's predecessor in the previous round. */
export class SeasonTeams extends Pane<Teams> {
  readonly element = el("section", { class: "panel", attrs: { "aria-label": "Teams" } });
  private readonly head = el("div");
  private readonly rounds = el("div", { class: "chips", attrs: { role: "group", "aria-label": "Round" } });
  private readonly note = el("div");
  private pool = "";
  private scale: Scale = scaleFrom(0, 1);
  private readonly table = new LiveTable<TeamRow>(
    "Teams",
    [
      { title: "Rank", kind: "rank", cell: (team) => (team.rank === null ? "–" : String(team.rank)) },
      { title: "Members by seat", kind: "name", cell: (team) => members(team) },
      { title: "Score", kind: "number", cell: (team) => score(team.score) },
      { title: "95 % interval", kind: "bar", from: "desktop", cell: (team) => intervalBar(team, this.scale) },
      { title: "Matches", kind: "number", from: "tablet", cell: (team) => count(team.matches) },
      { title: "Status", cell: (team) => statusOf(team) },
    ],
    (team) => team.id,
    (team) => (team.eliminated ? "is-out" : ""),
  );

  constructor(site: Site, season: string) {
    super(site, season, ["stage", "table", "match", "season"]);
    this.element.append(el("h2", {}, "Teams"), this.head, this.rounds, this.table.element, this.note);
    this.table.element.hidden = true;
  }

  show(_page: SeasonPage): void {
    if (!this.source.value) this.pool = new URLSearchParams(location.search).get("pool") ?? "";
    this.open();
  }

  protected ask(signal: AbortSignal): Promise<Teams> {
    return this.site.api.get(
      "/observatory/api/seasons/{season}/teams",
      { season: this.season },
      { pool: this.pool },
      signal,
    );
  }

  protected draw(): void {
    const { value, error } = this.source;
    renew(this.head, error ? problem(error) : value ? null : loading());
    if (!value) return;
    const shown = this.pool || value.rows[0]?.pool || "";
    this.rounds.replaceChildren(...value.pools.map((pool) => this.round(pool, pool === shown)));
    const rows = value.rows.filter((team) => team.pool === shown);
    this.scale = intervalScale(rows);
    this.table.element.hidden = rows.length === 0;
    this.table.update(rows, () => [this.scale.low, this.scale.high]);
    const more = value.total - value.rows.length;
    renew(
      this.note,
      rows.length === 0 ? empty("No teams yet. They are drawn when the play-ins are over.") : null,
      more > 0
        ? el("p", { class: "quiet small" }, `The first ${count(value.rows.length)} of ${count(value.total)} teams`)
        : null,
    );
  }

  private round(pool: string, isShown: boolean): HTMLElement {
    const control = el("button", { class: "chip", attrs: { type: "button", "aria-pressed": String(isShown) } }, pool);
    control.addEventListener("click", () => {
      this.pool = pool;
      history.replaceState(null, "", `${location.pathname}?pool=${encodeURIComponent(pool)}`);
      void this.source.load();
    });
    return control;
  }
}

function members(team: TeamRow): HTMLElement {
  const seats = new Map<string, { policy: TeamRow["members"][number]; seats: number }>();
  for (const policy of team.members) {
    const known = seats.get(policy.id);
    if (known) known.seats++;
    else seats.set(policy.id, { policy, seats: 1 });
  }
  const items = [...seats.values()].map(({ policy, seats: number }) =>
    el("li", {}, policyLink(policy), number > 1 ? el("span", { class: "quiet small" }, `×${number}`) : null),
  );
  return el("ul", { class: "members" }, ...items);
}

function statusOf(team: TeamRow): HTMLElement {
  const parent = team.parent_team_id
    ? el("span", { class: "quiet small", title: `from team ${team.parent_team_id}` }, "from the previous round")
    : null;
  if (!team.eliminated) return el("span", {}, chip("active"), " ", parent);
  return el("span", {}, chip("out", "eliminated"), " ", el("span", { class: "small" }, team.notes ?? ""));
}

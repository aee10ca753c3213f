import { el, renew } from "../../ui/dom";
import type { PolicyPage, PolicyVersionLine } from "../api-types";
import { count, score } from "../format";
import { to } from "../router";
import { intervalScale, type Scale, scaleFrom } from "../scale";
import { empty, intervalBar, link, time } from "./bits";
import { LiveTable } from "./table";

/** The versions of a policy, the newest first, each with its score in the chosen season and its interval. */
export class Versions {
  readonly element = el("div", { class: "column" });
  private scale: Scale = scaleFrom(0, 1);
  private own = "";
  private readonly note = el("div");
  private readonly table = new LiveTable<PolicyVersionLine>(
    "Versions",
    [
      {
        title: "Version",
        kind: "name",
        cell: (line) => [
          line.id === this.own ? el("strong", {}, `v${line.version}`) : link(to.policy(line.id), `v${line.version}`),
          el("span", { class: "quiet small" }, " ", time(line.created_at)),
        ],
      },
      { title: "Rank", kind: "number", cell: (line) => (line.rank === null ? "–" : count(line.rank)) },
      { title: "Score", kind: "number", cell: (line) => score(line.score) },
      {
        title: "95 % interval",
        kind: "bar",
        from: "tablet",
        cell: (line) => intervalBar({ score: line.score, low: line.low, high: line.high }, this.scale),
      },
      { title: "Matches", kind: "number", from: "tablet", cell: (line) => count(line.matches) },
      {
        title: "Seasons",
        from: "desktop",
        cell: (line) => (line.seasons.length ? line.seasons.join(", ") : "not in a season"),
      },
    ],
    (line) => line.id,
  );

  constructor() {
    this.element.append(this.note, this.table.element);
  }

  update(page: PolicyPage): void {
    this.own = page.policy.id;
    this.scale = intervalScale(page.versions);
    const place = page.season ? `Scores in ${page.season} · ${page.pool}. ` : "";
    const trend = trendOf(page.versions);
    renew(this.note, place || trend ? el("p", { class: "quiet small" }, place + trend) : empty("No scores yet."));
    this.table.update(page.versions, () => [this.scale.low, this.scale.high, this.own]);
  }
}

/** Say how the newest scored version compares with the one before it; only if their intervals are apart. */
export function trendOf(versions: readonly PolicyVersionLine[]): string {
  const [now, before] = versions.filter((line) => line.score !== null);
  if (!now || !before || now.low === null || now.high === null || before.low === null || before.high === null)
    return "";
  if (now.low > before.high)
    return `v${now.version} is better than v${before.version}: their intervals do not overlap.`;
  if (now.high < before.low) return `v${now.version} is worse than v${before.version}: their intervals do not overlap.`;
  return `v${now.version} and v${before.version} do not differ clearly yet: their intervals overlap.`;
}

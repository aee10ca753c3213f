import { el } from "../../ui/dom";
import type { PartnerLine } from "../api-types";
import { count, difference, digitsFor, score } from "../format";
import { intervalScale, type Scale, scaleFrom } from "../scale";
import { intervalBar, policyLink } from "./bits";
import { LiveTable } from "./table";

/** The partners of a policy in a game with a shared reward: its score with each against its average. */
export class Partners {
  readonly element = el("div", { class: "column" });
  private scale: Scale = scaleFrom(-1, 1);
  private digits = 3;
  private readonly table = new LiveTable<PartnerLine>(
    "Partners",
    [
      { title: "Partner", kind: "name", cell: (row) => policyLink(row.partner, { author: true }) },
      { title: "Score together", kind: "number", cell: (row) => score(row.score, this.digits) },
      {
        title: "Its average",
        kind: "number",
        from: "tablet",
        about: "of this policy on the same maps, with all its partners",
        cell: (row) => score(row.average, this.digits),
      },
      {
        title: "Difference",
        kind: "number",
        cell: (row) =>
          el(
            "span",
            { class: row.low !== null && row.low > 0 ? "good" : row.high !== null && row.high < 0 ? "bad" : "" },
            difference(row.difference, this.digits),
          ),
      },
      {
        title: "95 % interval",
        kind: "bar",
        from: "tablet",
        cell: (row) => intervalBar({ score: row.difference, low: row.low, high: row.high }, this.scale),
      },
      { title: "Matches", kind: "number", from: "tablet", cell: (row) => count(row.matches) },
    ],
    (row) => row.partner.id,
  );

  constructor() {
    const why = "All players of a match get the same reward here, so that no policy can beat another one.";
    this.element.append(el("p", { class: "quiet small" }, why), this.table.element);
  }

  update(rows: readonly PartnerLine[]): void {
    const intervals = rows.map((row) => ({ score: row.difference, low: row.low, high: row.high }));
    this.scale = intervalScale([...intervals, { score: 0 }]);
    this.digits = digitsFor(this.scale.high - this.scale.low);
    this.table.update(rows, () => [this.scale.low, this.scale.high]);
  }
}

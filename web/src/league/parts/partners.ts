import { el } from "../../ui/dom";
import type { PartnerLine } from "../api-types";
import { Differences } from "./differences";

/** The partners of a policy in a game with a shared reward: its score with each against its average. */
export class Partners {
  readonly element = el("div", { class: "column" });
  private readonly table = new Differences<PartnerLine>({
    table: "Partners",
    other: "Partner",
    policy: (row) => row.partner,
    score: "Score together",
    base: "Its average",
    aboutBase: "of this policy on the same maps, with all its partners",
    baseOf: (row) => row.average,
  });

  constructor() {
    const why = "All players of a match get the same reward here, so that no policy can beat another one.";
    this.element.append(el("p", { class: "quiet small" }, why), this.table.element);
  }

  update(rows: readonly PartnerLine[]): void {
    this.table.update(rows);
  }
}

import { el } from "../../ui/dom";
import type { PolicyRef } from "../api-types";
import { count, difference, digitsFor, score } from "../format";
import { intervalScale, type Scale, scaleFrom } from "../scale";
import { intervalBar, policyLink } from "./bits";
import { LiveTable } from "./table";

/** A policy beside another one: the scores of both, and their difference with its interval. */
interface Difference {
  readonly score: number | null;
  readonly difference: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly matches: number;
}

interface Titles<Row> {
  readonly table: string;
  readonly other: string;
  readonly policy: (row: Row) => PolicyRef;
  readonly score: string;
  readonly base: string;
  readonly aboutBase?: string;
  readonly baseOf: (row: Row) => number | null;
}

/** A table of differences with one scale for all its intervals. */
export class Differences<Row extends Difference> {
  readonly element: HTMLElement;
  private scale: Scale = scaleFrom(-1, 1);
  private digits = 3;
  private readonly table: LiveTable<Row>;

  constructor(titles: Titles<Row>) {
    this.table = new LiveTable<Row>(
      titles.table,
      [
        { title: titles.other, kind: "name", cell: (row) => policyLink(titles.policy(row), { author: true }) },
        { title: titles.score, kind: "number", cell: (row) => score(row.score, this.digits) },
        {
          title: titles.base,
          kind: "number",
          from: "tablet",
          about: titles.aboutBase,
          cell: (row) => score(titles.baseOf(row), this.digits),
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
      (row) => titles.policy(row).id,
    );
    this.element = this.table.element;
  }

  update(rows: readonly Row[]): void {
    const intervals = rows.map((row) => ({ score: row.difference, low: row.low, high: row.high }));
    this.scale = intervalScale([...intervals, { score: 0 }]);
    this.digits = digitsFor(this.scale.high - this.scale.low);
    this.table.update(rows, () => [this.scale.low, this.scale.high]);
  }
}

import { Comparer, type Comparison, type Difference, type Episode } from "../../decode";
import { button, el, onClick, renew } from "../../ui/dom";
import { ICONS } from "../../ui/icons";
import type { App, Change } from "../app";
import { type Panel, section } from "./panel";

/** Two replays side by side: the first difference, and the differences at this tick. */
export class ComparePanel implements Panel {
  readonly name = "compare";
  readonly title = "Compare";
  readonly icon = ICONS.compare;
  readonly element = el("div", { class: "panel-body" });
  private made: { left: Episode; right: Episode; comparer: Comparer } | null = null;

  constructor(
    private readonly app: App,
    private readonly openBeside: () => void,
    private readonly closeBeside: () => void,
  ) {}

  update(_: ReadonlySet<Change>): void {
    const { left, right } = this.app;
    if (!left || !right) {
      this.made = null;
      if (this.app.live)
        return renew(
          this.element,
          el(
            "p",
            { class: "quiet" },
            "Go to any tick and press “What if from here” to see both branches side by side, with the first difference",
          ),
        );
      const open = button("Open a second replay (Shift B)", ICONS.open, this.openBeside, "Open a second replay");
      return renew(
        this.element,
        el("p", { class: "quiet" }, "Open a second replay to see both side by side, with the first difference"),
        open,
      );
    }
    if (this.made?.left !== left || this.made.right !== right) {
      this.made = { left, right, comparer: new Comparer(left.replay, right.replay) };
    }
    const { comparer } = this.made;
    const comparison = comparer.compare(); // compares only the new ticks
    const outset = this.app.live ? [] : comparison.outset; // both are the same game
    const now = comparer.differencesAt(this.app.tick);
    renew(
      this.element,
      el("p", {}, el("b", {}, left.name), " and ", el("b", {}, right.name)),
      this.app.live
        ? null
        : el(
            "div",
            { class: "fields" },
            button("Close the second replay", ICONS.close, this.closeBeside, "Close the second"),
          ),
      outset.length ? this.differences("Differences in the setup", outset) : null,
      this.first(comparison),
      this.differences(`At tick ${this.app.tick}`, now),
    );
  }

  table(): { name: string; rows: (string | number)[][] } | null {
    if (!this.made) return null;
    const rows = this.made.comparer
      .differencesAt(this.app.tick)
      .map(({ tick, what, left, right }) => [tick, what, left, right]);
    return { name: `differences-tick-${this.app.tick}`, rows: [["tick", "what", "left", "right"], ...rows] };
  }

  private first({ firstTick, first, from, to }: Comparison): HTMLElement {
    if (firstTick === null) {
      return section(
        "First difference",
        el(
          "p",
          { attrs: { "data-testid": "first-difference" } },
          `None from tick ${from} to ${to}: the recordings are equal`,
        ),
      );
    }
    const go = button("Go to the first difference", ICONS.forward, () => this.app.seek(firstTick), `Tick ${firstTick}`);
    go.dataset.testid = "first-difference";
    go.dataset.tick = String(firstTick);
    return section("First difference", go, this.differences("First difference", first));
  }

  private differences(title: string, list: readonly Difference[]): HTMLElement {
    if (!list.length) return section(title, el("p", { class: "quiet" }, "No difference"));
    const head = el("tr", {}, ...["What", "Left", "Right"].map((name) => el("th", {}, name)));
    const rows = list.map((difference) => {
      const row = el(
        "tr",
        { attrs: { "data-difference": difference.what } },
        el("td", {}, this.what(difference)),
        el("td", {}, difference.left),
        el("td", {}, difference.right),
      );
      return row;
    });
    return section(title, el("table", { class: "differences" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  }

  private what({ id, what }: Difference): Node | string {
    if (id < 0) return what;
    const link = el("button", { class: "plain", attrs: { type: "button", "data-id": id } }, what);
    onClick(link, () => this.app.select(id));
    return link;
  }
}
